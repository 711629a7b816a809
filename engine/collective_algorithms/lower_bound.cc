#include "engine/collective_algorithms/lower_bound.h"

#include <algorithm>

#include "engine/clock/clock_limit.h"

namespace npunet::engine {

namespace {

__extension__ using Wide = unsigned __int128;

/// ceil(factor x bytes x 10^12 / rate) ps.
Time wide_time(std::int64_t factor, Bytes bytes, Wide rate) {
    const Wide product =
        static_cast<Wide>(factor) * static_cast<Wide>(bytes.value()) * 1'000'000'000'000ULL;
    const Wide quotient = (product + rate - 1) / rate;
    return quotient > static_cast<Wide>(Time::max().ps())
               ? Time::max()
               : Time::ps(static_cast<std::int64_t>(quotient));
}

/// A port's link counts where the group needs its dimension, or where there are none.
bool counts(const topology::Link& link, const std::vector<bool>& dimensions) {
    return link.dimension < 0 || dimensions[static_cast<std::size_t>(link.dimension)];
}

}  // namespace

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

const CollectiveBounds::Ports& CollectiveBounds::ports_of(const std::vector<Rank>& ranks) {
    if (latest_.ranks == ranks) {
        return latest_;
    }
    const std::vector<bool> dimensions = dimensions_of(ranks);
    latest_.ranks = ranks;
    latest_.all = 0;
    latest_.least = rate_of(ranks.front(), dimensions);
    latest_.latency = Time::max();
    for (const Rank rank : ranks) {
        const Sum rate = rate_of(rank, dimensions);
        latest_.all += rate;
        latest_.least = std::min(latest_.least, rate);
        for (const LinkId id : network_.graph.links_from(network_.npu_of_rank[rank.index()])) {
            const topology::Link& link = network_.graph.link(id);
            if (counts(link, dimensions)) {
                latest_.latency = std::min(latest_.latency, link.latency);
            }
        }
    }
    return latest_;
}

Time CollectiveBounds::least_time(CollectiveKind kind, const std::vector<Rank>& ranks, Bytes bytes,
                                  Rank root) {
    if (ranks.size() < 2) {
        return Time();
    }
    const auto n = static_cast<std::int64_t>(ranks.size());
    const Ports& ports = ports_of(ranks);
    // Parts are floor(S / n) or one byte more.
    const Bytes least_part(bytes.value() / n);
    const Bytes all_but_one = bytes - Bytes((bytes.value() + n - 1) / n);
    Time busy;
    switch (kind) {
        case CollectiveKind::AllReduce:
            busy = std::max(wide_time(2 * (n - 1), bytes, ports.all),
                            wide_time(1, bytes, ports.least));
            break;
        case CollectiveKind::AllGather:
            busy = wide_time(n - 1, bytes, ports.least);
            break;
        case CollectiveKind::ReduceScatter:
        case CollectiveKind::AllToAll:
            busy = wide_time(1, all_but_one, ports.least);
            break;
        case CollectiveKind::Broadcast:
        case CollectiveKind::Reduce:
            busy = wide_time(1, bytes, ports.least);
            break;
        case CollectiveKind::Gather:
        case CollectiveKind::Scatter: {
            const Sum rate = rate_of(root, dimensions_of(ranks));
            busy = kind == CollectiveKind::Gather ? wide_time(n - 1, bytes, rate)
                                                  : wide_time(n - 1, least_part, rate);
            break;
        }
        case CollectiveKind::Barrier:
            break;
    }
    return later(busy, ports.latency);
}

}  // namespace npunet::engine
