#include "study/tensor_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>

#include "study/plan_verification.h"
#include "topology/network/tier_cuts.h"

namespace npunet::study {

namespace {

using topology::NetworkDescription;
using topology::RateSum;
using topology::TierCuts;

using BlockOf = std::function<std::int64_t(Rank)>;

std::size_t blocks_of(const std::vector<Rank>& ranks, const BlockOf& block_of) {
    std::vector<std::int64_t> blocks;
    blocks.reserve(ranks.size());
    for (const Rank rank : ranks) {
        blocks.push_back(block_of(rank));
    }
    std::sort(blocks.begin(), blocks.end());
    return static_cast<std::size_t>(std::unique(blocks.begin(), blocks.end()) - blocks.begin());
}

std::string list_of(const std::vector<Rank>& ranks) {
    constexpr std::size_t most = 4;
    std::string text;
    for (std::size_t i = 0; i < std::min(ranks.size(), most); ++i) {
        text += fmt::format("{}{}", i == 0 ? "" : ", ", ranks[i].value());
    }
    return text + (ranks.size() > most ? ", ..." : "");
}

/// Which groups leave their blocks.
struct Leaving {
    std::size_t count = 0;
    const std::vector<Rank>* first = nullptr;
    std::size_t blocks = 0;  ///< of the first
};

Leaving leaving(const std::vector<std::vector<Rank>>& groups, const BlockOf& block_of) {
    Leaving found;
    for (const std::vector<Rank>& ranks : groups) {
        const std::size_t blocks = blocks_of(ranks, block_of);
        if (blocks > 1 && ++found.count == 1) {
            found.first = &ranks;
            found.blocks = blocks;
        }
    }
    return found;
}

/// `dimension`: the place is one, and not a block's kind.
std::string sentence(const Leaving& found, std::size_t groups, const std::string& place,
                     bool dimension) {
    const bool one = found.count == 1;
    return fmt::format("{} of {} tensor-parallel groups leave{} {}{}: that of ranks {} spans {}",
                       found.count, groups, one ? "s" : "",
                       dimension ? ""
                       : one     ? "its "
                                 : "their ",
                       place, list_of(*found.first), found.blocks);
}

/// Bytes per second and NPU: inside the blocks of the first tier, and across their borders.
struct Rates {
    double inside = 0;
    double across = 0;
};

Rates rates_of(const NetworkDescription& network, const TierCuts& tier) {
    RateSum inside = 0;
    RateSum across = 0;
    for (std::size_t npu = 0; npu < network.graph.npus(); ++npu) {
        for (const LinkId id : network.graph.links_from(NodeId(npu))) {
            const topology::Link& link = network.graph.link(id);
            if (tier.block_of_node[npu] == tier.block_of_node[link.to.index()]) {
                inside += static_cast<RateSum>(link.rate.bytes_per_second());
            }
        }
    }
    for (const topology::BlockCut& cut : tier.of_block) {
        across += cut.out;
    }
    const auto npus = static_cast<double>(network.graph.npus());
    return {static_cast<double>(inside) / npus, static_cast<double>(across) / npus};
}

std::string place_of(const NetworkDescription& network) {
    if (!network.dimensions.empty()) {
        const topology::Dimension& dimension = network.dimensions.front();
        return fmt::format("dimension 0 ({} of {})", name_of(dimension.kind), dimension.size);
    }
    const std::string& name = network.tiers.front().name;
    return name == "group" ? "group of routers" : name;
}

}  // namespace

std::string tensor_group_note(const std::vector<std::vector<Rank>>& groups,
                              const NetworkDescription& network) {
    if (network.tiers.size() < 2 || groups.empty()) {
        return {};
    }
    const std::vector<std::int32_t>& blocks = network.tiers.front().block_of_npu;
    const Leaving found = leaving(groups, [&](Rank rank) {
        return std::int64_t{blocks[network.npu_of_rank[rank.index()].index()]};
    });
    if (found.count == 0) {
        return {};
    }
    const Rates rates =
        rates_of(network, topology::cuts_of(network.graph, network.tiers.front(),
                                            std::vector<bool>(network.dimensions.size(), true)));
    if (rates.across >= rates.inside) {
        return {};
    }
    constexpr double giga = 1e9;
    return fmt::format(
        "{}; an NPU has {:.4g} GB/s to the outside there, and {:.4g} inside: a rank order that "
        "begins with tp, a placement or a smaller tp would keep them inside",
        sentence(found, groups.size(), place_of(network), !network.dimensions.empty()),
        rates.across / giga, rates.inside / giga);
}

std::string tensor_group_note(const engine::Workload& workload, const engine::Dialect& dialect,
                              const NetworkDescription& network) {
    std::vector<std::vector<Rank>> groups;
    for (const engine::Group& group : workload.groups) {
        if (group.dimension == engine::Parallelism::Tensor) {
            groups.push_back(group.ranks);
        }
    }
    return dialect.whole_nanoseconds ? "" : tensor_group_note(groups, network);
}

std::string tensor_group_note(const planner::Problem& problem, const planner::Plan& plan) {
    const std::vector<planner::Node>& nodes = problem.cluster().nodes;
    std::vector<std::size_t> node_of_rank;
    for (std::size_t n = 0; n < nodes.size(); ++n) {
        node_of_rank.insert(node_of_rank.end(), static_cast<std::size_t>(nodes[n].devices), n);
    }
    const auto node_of = [&](Rank rank) {
        return static_cast<std::int64_t>(node_of_rank[rank.index()]);
    };
    const std::vector<std::vector<Rank>> groups = tensor_groups_of(problem, plan);
    const Leaving found = leaving(groups, node_of);
    if (found.count == 0) {
        return {};
    }
    const planner::Node& node = nodes[static_cast<std::size_t>(node_of(found.first->front()))];
    if (node.inter_rate >= node.intra_rate * static_cast<double>(node.devices)) {
        return {};
    }
    constexpr double per_gbps = planner::bytes_per_ms_of_gbps;
    return fmt::format(
        "{}; its devices share {:.4g} GB/s to the outside there, and each has {:.4g} inside: nodes "
        "whose number of devices tp divides, or a smaller --max-tp, would keep them inside",
        sentence(found, groups.size(), "server", false), node.inter_rate / per_gbps,
        node.intra_rate / per_gbps);
}

}  // namespace npunet::study
