#include "engine/collective/alike_communicators.h"

#include <algorithm>
#include <cmath>

#include "engine/collective_library/library_in_use.h"

namespace npunet::engine {

namespace {

/// The place of a number in an ascending list that has it.
template <class Number>
std::int64_t place_in(const std::vector<Number>& list, Number number) {
    return std::lower_bound(list.begin(), list.end(), number) - list.begin();
}

template <class Number>
void sort_unique(std::vector<Number>& list) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
}

}  // namespace

/// What a communicator has, ascending: names are places in these lists.
struct AlikeCommunicators::Names {
    std::vector<Rank> ranks;
    std::vector<NodeId> nodes;
    std::vector<LinkId> links;
};

AlikeCommunicators::AlikeCommunicators(const Workload& workload,
                                       const topology::NetworkDescription& network,
                                       const SystemConfig& system)
    : workload_(workload),
      network_(network),
      system_(system),
      rates_(system.compute_rates(workload.ranks())),
      first_(workload.groups.size()) {}

std::size_t AlikeCommunicators::first_like(std::size_t group,
                                           const std::vector<std::uint32_t>& links) {
    std::optional<std::size_t>& known = first_[group];
    if (!known) {
        const bool may_be = workload_.groups[group].ranks.size() > 1 &&
                            workload_.groups[group].ranks.size() <= most_members && may_be_alike();
        known =
            may_be ? first_of_.try_emplace(likeness_of(group, links), group).first->second : group;
    }
    return *known;
}

bool AlikeCommunicators::may_be_alike() const {
    const bool have_trees = system_.library != nullptr && system_.library->collnet;
    return network_.reducing_switches.empty() ||
           (!have_trees &&
            std::all_of(network_.reducing_switches.begin(), network_.reducing_switches.end(),
                        [](const topology::ReducingSwitch& each) {
                            return each.groups == topology::ReducingSwitch::no_limit;
                        }));
}

AlikeCommunicators::Likeness AlikeCommunicators::likeness_of(
    std::size_t group, const std::vector<std::uint32_t>& links) const {
    const std::vector<Rank>& ranks = workload_.groups[group].ranks;
    Names names;
    names.ranks = ranks;
    std::sort(names.ranks.begin(), names.ranks.end());
    for (const Rank rank : ranks) {
        names.nodes.push_back(network_.npu_of_rank[rank.index()]);
    }
    for (const std::uint32_t number : links) {
        const topology::Link& link = network_.graph.link(LinkId(std::size_t{number}));
        names.links.emplace_back(std::size_t{number});
        names.nodes.insert(names.nodes.end(), {link.from, link.to});
    }
    sort_unique(names.nodes);
    Likeness likeness{workload_.groups[group].by_dimensions ? 1 : 0,
                      static_cast<std::int64_t>(ranks.size()),
                      static_cast<std::int64_t>(names.links.size()),
                      static_cast<std::int64_t>(names.nodes.size())};
    add_members(group, names, likeness);
    add_layout(ranks, names, likeness);
    add_links(names, likeness);
    add_nodes(names, likeness);
    add_routes(ranks, names, likeness);
    return likeness;
}

void AlikeCommunicators::add_members(std::size_t group, const Names& names,
                                     Likeness& likeness) const {
    for (const Rank rank : workload_.groups[group].ranks) {
        const std::vector<std::int32_t>& groups = workload_.bindings[rank.index()].groups;
        const auto slot = std::find(groups.begin(), groups.end(), static_cast<std::int32_t>(group));
        likeness.insert(
            likeness.end(),
            {std::int64_t{workload_.program_of[rank.index()]}, slot - groups.begin(),
             place_in(names.ranks, rank), place_in(names.nodes, network_.npu_of_rank[rank.index()]),
             // Reductions take memory accesses.
             std::llround(rates_[rank.index()].memory_bandwidth * 1e9)});
    }
}

void AlikeCommunicators::add_layout(const std::vector<Rank>& ranks, const Names& names,
                                    Likeness& likeness) const {
    const CommunicatorLayout layout(network_, ranks);
    likeness.push_back(layout.fills_dimensions() ? 1 : 0);
    likeness.push_back(static_cast<std::int64_t>(layout.factors().size()));
    for (const LayoutFactor& factor : layout.factors()) {
        likeness.push_back(static_cast<std::int64_t>(factor.tier));
        likeness.push_back(factor.size);
        likeness.insert(likeness.end(), factor.line_of_member.begin(), factor.line_of_member.end());
        likeness.insert(likeness.end(), factor.place_of_member.begin(),
                        factor.place_of_member.end());
    }
    likeness.push_back(static_cast<std::int64_t>(layout.hamiltonian_ring().size()));
    for (const Rank rank : layout.hamiltonian_ring()) {
        likeness.push_back(place_in(names.ranks, rank));
    }
    // Where a library numbers NPUs by nodes of its own.
    if (system_.library != nullptr && system_.library->gpus_per_node > 0) {
        std::vector<std::int32_t> nodes;
        for (const Rank rank : ranks) {
            nodes.push_back(network_.npu_of_rank[rank.index()].value() /
                            system_.library->gpus_per_node);
        }
        std::vector<std::int32_t> ascending = nodes;
        sort_unique(ascending);
        for (const std::int32_t node : nodes) {
            likeness.push_back(place_in(ascending, node));
        }
    }
}

void AlikeCommunicators::add_links(const Names& names, Likeness& likeness) const {
    const topology::Graph& graph = network_.graph;
    for (const LinkId number : names.links) {
        const topology::Link& link = graph.link(number);
        likeness.insert(
            likeness.end(),
            {place_in(names.nodes, link.from), place_in(names.nodes, link.to),
             link.rate.bytes_per_second(), link.latency.ps(), network_.buffer_of(number).value(),
             static_cast<std::int64_t>(network_.packet_of(number).flow_control)});
        // Headroom depends on the links back.
        for (const LinkId back : graph.links_from(link.to)) {
            if (graph.link(back).to == link.from) {
                likeness.insert(likeness.end(), {graph.link(back).rate.bytes_per_second(),
                                                 graph.link(back).latency.ps()});
            }
        }
        likeness.push_back(-1);
    }
}

void AlikeCommunicators::add_nodes(const Names& names, Likeness& likeness) const {
    // With credits each link has a buffer of its own.
    std::vector<NodeId> sharing;
    for (const LinkId number : names.links) {
        if (network_.packet_of(number).flow_control != topology::FlowControl::Credit) {
            sharing.push_back(network_.graph.link(number).from);
        }
    }
    sort_unique(sharing);
    for (const NodeId node : sharing) {
        likeness.push_back(network_.shared_buffer_of(node).value());
    }
    for (const topology::ReducingSwitch& each : network_.reducing_switches) {
        if (std::binary_search(names.nodes.begin(), names.nodes.end(), each.node)) {
            likeness.insert(likeness.end(),
                            {place_in(names.nodes, each.node), each.unit.value(), each.entries,
                             each.latency.ps(), each.rate.bytes_per_second(), each.radix});
        }
    }
}

void AlikeCommunicators::add_routes(const std::vector<Rank>& ranks, const Names& names,
                                    Likeness& likeness) const {
    for (const Rank from : ranks) {
        for (const Rank to : ranks) {
            if (from == to) {
                continue;
            }
            for (const auto& route : network_.routes(network_.npu_of_rank[from.index()],
                                                     network_.npu_of_rank[to.index()])) {
                likeness.push_back(static_cast<std::int64_t>(route.size()));
                for (const topology::Hop hop : route) {
                    likeness.push_back(place_in(names.links, hop.link));
                    likeness.push_back(hop.virtual_channel);
                }
            }
        }
    }
}

}  // namespace npunet::engine
