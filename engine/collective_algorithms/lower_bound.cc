#include "engine/collective_algorithms/lower_bound.h"

#include <algorithm>

#include "engine/clock/clock_limit.h"

namespace npunet::engine {

namespace {

using topology::counts;
using Wide = topology::RateSum;

/// ceil(amount x 10^12 / rate) ps.
Time wide_time(Wide amount, Wide rate) {
    const Wide quotient = (amount * 1'000'000'000'000ULL + rate - 1) / rate;
    return quotient > static_cast<Wide>(Time::max().ps())
               ? Time::max()
               : Time::ps(static_cast<std::int64_t>(quotient));
}

/// As above; nothing has to cross a border that nothing can cross.
Time crossing_time(Wide amount, Wide rate) {
    return rate == 0 ? Time() : wide_time(amount, rate);
}

Wide product(std::int64_t factor, Bytes bytes) {
    return static_cast<Wide>(factor) * static_cast<Wide>(bytes.value());
}

/// What has to cross the border of a block.
struct Crossing {
    Wide in = 0;
    Wide out = 0;
};

/// Of a block with k of n members; `has_root`: the root is one of them.
Crossing crossing_of(CollectiveKind kind, std::int64_t n, std::int64_t k, Bytes bytes,
                     bool has_root) {
    const Wide all = product(1, bytes);
    const Bytes least_part(bytes.value() / n);
    // What the k members have at most of a buffer in n parts, of which some have one byte more.
    const Wide own = product(k, Bytes((bytes.value() + n - 1) / n));
    switch (kind) {
        case CollectiveKind::AllReduce:
            return {all, all};
        case CollectiveKind::AllGather:
            return {product(n - k, bytes), product(k, bytes)};
        case CollectiveKind::ReduceScatter:
            return {product(k, least_part), all > own ? all - own : 0};
        case CollectiveKind::AllToAll:
            return {product(k, least_part) * static_cast<Wide>(n - k),
                    product(k, least_part) * static_cast<Wide>(n - k)};
        case CollectiveKind::Broadcast:
            return has_root ? Crossing{0, all} : Crossing{all, 0};
        case CollectiveKind::Reduce:
            return has_root ? Crossing{all, 0} : Crossing{0, all};
        case CollectiveKind::Gather:
            return has_root ? Crossing{product(n - k, bytes), 0} : Crossing{0, product(k, bytes)};
        case CollectiveKind::Scatter:
            return has_root ? Crossing{0, product(n - k, least_part)}
                            : Crossing{product(k, least_part), 0};
        case CollectiveKind::Barrier:
            break;
    }
    return {};
}

}  // namespace

CollectiveBounds::CollectiveBounds(const topology::NetworkDescription& network, BoundBy by,
                                   ReduceIn reduce_in)
    : network_(network), by_(by) {
    if (reduce_in == ReduceIn::Switches) {
        may_reduce_.resize(network.graph.nodes(), false);
        for (const topology::ReducingSwitch& reducing : network.reducing_switches) {
            may_reduce_[reducing.node.index()] = reducing.entries > 0;
        }
    }
}

std::vector<bool> CollectiveBounds::dimensions_of(const std::vector<Rank>& ranks) const {
    std::vector<bool> differ(network_.dimensions.size(), false);
    const NodeId first = network_.npu_of_rank[ranks.front().index()];
    for (const Rank rank : ranks) {
        const NodeId npu = network_.npu_of_rank[rank.index()];
        for (std::size_t d = 0; d < differ.size(); ++d) {
            if (network_.coordinate(npu, d) != network_.coordinate(first, d)) {
                differ[d] = true;
            }
        }
    }
    return differ;
}

CollectiveBounds::Sum CollectiveBounds::rate_of(Rank rank,
                                                const std::vector<bool>& dimensions) const {
    const NodeId npu = network_.npu_of_rank[rank.index()];
    const auto sum = [&](const std::vector<LinkId>& links) {
        Sum rate = 0;
        for (const LinkId id : links) {
            const topology::Link& link = network_.graph.link(id);
            if (counts(link, dimensions)) {
                rate += static_cast<Sum>(link.rate.bytes_per_second());
            }
        }
        return rate;
    };
    // The bounds hold for either direction; the larger rate keeps them true for both.
    return std::max(sum(network_.graph.links_from(npu)), sum(network_.graph.links_to(npu)));
}

const std::vector<topology::TierCuts>& CollectiveBounds::cuts_for(
    const std::vector<bool>& dimensions) {
    const auto [found, is_new] = cuts_.try_emplace(dimensions);
    if (is_new && by_ == BoundBy::PortsAndCuts && !network_.tiers.empty()) {
        for (std::size_t tier = 0; tier + 1 < network_.tiers.size(); ++tier) {
            found->second.push_back(
                topology::cuts_of(network_.graph, network_.tiers[tier], dimensions));
        }
    }
    return found->second;
}

void CollectiveBounds::divide(const topology::TierCuts& tier) {
    members_.resize(std::max(members_.size(), tier.of_block.size()));
    const auto block_of = [&](Rank rank) {
        return tier.block_of_node[network_.npu_of_rank[rank.index()].index()];
    };
    for (const Rank rank : latest_.ranks) {
        ++members_[static_cast<std::size_t>(block_of(rank))];
    }
    Division division;
    division.tier = &tier;
    for (const Rank rank : latest_.ranks) {
        const auto block = static_cast<std::size_t>(block_of(rank));
        if (members_[block] > 0) {
            const topology::BlockCut& cut = tier.of_block[block];
            division.parts.push_back({static_cast<std::int32_t>(block), members_[block], cut});
            division.all.out += cut.out;
            division.all.in += cut.in;
            members_[block] = 0;
        }
    }
    if (division.parts.size() > 1) {
        latest_.divisions.push_back(std::move(division));
    }
}

const CollectiveBounds::Ports& CollectiveBounds::ports_of(const std::vector<Rank>& ranks) {
    if (latest_.ranks == ranks) {
        return latest_;
    }
    const std::vector<bool> dimensions = dimensions_of(ranks);
    latest_ = {};
    latest_.ranks = ranks;
    latest_.dimensions = dimensions;
    latest_.least = rate_of(ranks.front(), dimensions);
    latest_.latency = Time::max();
    for (const Rank rank : ranks) {
        const Sum rate = rate_of(rank, dimensions);
        latest_.all += rate;
        latest_.least = std::min(latest_.least, rate);
        bool has_switch = false;
        for (const LinkId id : network_.graph.links_from(network_.npu_of_rank[rank.index()])) {
            const topology::Link& link = network_.graph.link(id);
            if (counts(link, dimensions)) {
                latest_.latency = std::min(latest_.latency, link.latency);
            }
            has_switch = has_switch || (!may_reduce_.empty() && may_reduce_[link.to.index()]);
        }
        latest_.has_switches = latest_.has_switches && has_switch;
    }
    for (const topology::TierCuts& tier : cuts_for(dimensions)) {
        divide(tier);
    }
    return latest_;
}

Time CollectiveBounds::least_by_ports(CollectiveKind kind, Bytes bytes, Rank root) const {
    const auto n = static_cast<std::int64_t>(latest_.ranks.size());
    // Parts are floor(S / n) or one byte more.
    const Bytes least_part(bytes.value() / n);
    const Bytes all_but_one = bytes - Bytes((bytes.value() + n - 1) / n);
    switch (kind) {
        case CollectiveKind::AllReduce:
            if (latest_.has_switches) {
                return wide_time(product(1, bytes), latest_.least);
            }
            return std::max(wide_time(product(2 * (n - 1), bytes), latest_.all),
                            wide_time(product(1, bytes), latest_.least));
        case CollectiveKind::AllGather:
            return wide_time(product(n - 1, bytes), latest_.least);
        case CollectiveKind::ReduceScatter:
        case CollectiveKind::AllToAll:
            return wide_time(product(1, all_but_one), latest_.least);
        case CollectiveKind::Broadcast:
        case CollectiveKind::Reduce:
            return wide_time(product(1, bytes), latest_.least);
        case CollectiveKind::Gather:
            return wide_time(product(n - 1, bytes), rate_of(root, latest_.dimensions));
        case CollectiveKind::Scatter:
            return wide_time(product(n - 1, least_part), rate_of(root, latest_.dimensions));
        case CollectiveKind::Barrier:
            break;
    }
    return {};
}

Time CollectiveBounds::least_by_cuts(CollectiveKind kind, const Division& division, Bytes bytes,
                                     Rank root) const {
    const auto n = static_cast<std::int64_t>(latest_.ranks.size());
    const std::int32_t root_block =
        root.valid() ? division.tier->block_of_node[network_.npu_of_rank[root.index()].index()]
                     : topology::TierCuts::no_block;
    Time longest;
    for (const Part& part : division.parts) {
        const Crossing crossing =
            crossing_of(kind, n, part.members, bytes, part.block == root_block);
        longest = std::max({longest, crossing_time(crossing.in, part.cut.in),
                            crossing_time(crossing.out, part.cut.out)});
    }
    if (kind == CollectiveKind::AllReduce && !latest_.has_switches) {
        const Wide all = product(2 * (static_cast<std::int64_t>(division.parts.size()) - 1), bytes);
        longest = std::max(
            {longest, crossing_time(all, division.all.in), crossing_time(all, division.all.out)});
    }
    return longest;
}

Time CollectiveBounds::least_time(CollectiveKind kind, const std::vector<Rank>& ranks, Bytes bytes,
                                  Rank root) {
    if (ranks.size() < 2) {
        return Time();
    }
    const Ports& ports = ports_of(ranks);
    Time busy = least_by_ports(kind, bytes, root);
    for (const Division& division : ports.divisions) {
        busy = std::max(busy, least_by_cuts(kind, division, bytes, root));
    }
    return later(busy, ports.latency);
}

Time CollectiveBounds::least_by_ports(const Rows& rows) const {
    std::vector<Wide> out(rows.size(), 0);
    std::vector<Wide> in(rows.size(), 0);
    for (std::size_t from = 0; from < rows.size(); ++from) {
        for (std::size_t to = 0; to < rows.size(); ++to) {
            const Wide bytes = from == to ? 0 : static_cast<Wide>((*rows[from])[to]);
            out[from] += bytes;
            in[to] += bytes;
        }
    }
    Time longest;
    for (std::size_t member = 0; member < rows.size(); ++member) {
        const Sum rate = rate_of(latest_.ranks[member], latest_.dimensions);
        longest = std::max(longest, crossing_time(std::max(out[member], in[member]), rate));
    }
    return longest;
}

Time CollectiveBounds::least_by_cuts(const Division& division, const Rows& rows) const {
    std::vector<Crossing> crossings(division.tier->of_block.size());
    const auto block_of = [&](std::size_t member) {
        const NodeId npu = network_.npu_of_rank[latest_.ranks[member].index()];
        return static_cast<std::size_t>(division.tier->block_of_node[npu.index()]);
    };
    for (std::size_t from = 0; from < rows.size(); ++from) {
        const std::size_t block = block_of(from);
        for (std::size_t to = 0; to < rows.size(); ++to) {
            if (const std::size_t other = block_of(to); other != block) {
                const auto bytes = static_cast<Wide>((*rows[from])[to]);
                crossings[block].out += bytes;
                crossings[other].in += bytes;
            }
        }
    }
    Time longest;
    for (const Part& part : division.parts) {
        const Crossing& crossing = crossings[static_cast<std::size_t>(part.block)];
        longest = std::max({longest, crossing_time(crossing.in, part.cut.in),
                            crossing_time(crossing.out, part.cut.out)});
    }
    return longest;
}

Time CollectiveBounds::least_time_of_parts(const std::vector<Rank>& ranks, const Rows& rows) {
    if (ranks.size() < 2) {
        return Time();
    }
    const Ports& ports = ports_of(ranks);
    Time busy = least_by_ports(rows);
    for (const Division& division : ports.divisions) {
        busy = std::max(busy, least_by_cuts(division, rows));
    }
    return later(busy, ports.latency);
}

}  // namespace npunet::engine
