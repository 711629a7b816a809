#include "topology/network/link_changes.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>

#include "base/errors.h"
#include "topology/network/link_kinds.h"
#include "topology/network/scale_up.h"

namespace npunet::topology {

namespace {

/// By link: whether it is one of those within servers; empty where there are no such links.
std::vector<bool> scale_up_links(const NetworkDescription& network) {
    if (network.scale_up) {
        return network.scale_up->links;
    }
    if (network.tiers.empty()) {
        return {};
    }
    try {
        return make_scale_up(network, 1, network.packet, network.file, "tiers")->links;
    } catch (const InputError&) {
        return {};  // no links of their own, or all
    }
}

bool have_equal_links(const LinkKind& a, const LinkKind& b) {
    return a.rate == b.rate && a.latency == b.latency;
}

/// Whether the links of a product are of servers and of a network between them.
bool has_servers(const NetworkDescription& network, const std::vector<LinkKind>& kinds) {
    return kinds.size() == 2 && kinds.back().rate < kinds.front().rate &&
           network.dimensions[static_cast<std::size_t>(kinds.back().dimension)].kind ==
               DimensionKind::Switch;
}

/// Those of which `of_group` is true.
template <class OfGroup>
LinkGroup group_of(LinkGroup::Kind kind, const LinkKinds& kinds, std::size_t links,
                   const OfGroup& of_group) {
    LinkGroup group;
    group.kind = kind;
    std::vector<bool> present(kinds.names().size(), false);
    for (std::size_t i = 0; i < links; ++i) {
        group.links.push_back(of_group(LinkId(i)));
        present[kinds.kind_of(LinkId(i))] = present[kinds.kind_of(LinkId(i))] || group.links.back();
    }
    for (std::size_t kind_of_link = 0; kind_of_link < present.size(); ++kind_of_link) {
        if (present[kind_of_link]) {
            group.classes.push_back(kinds.names()[kind_of_link]);
        }
    }
    return group;
}

/// The network with each link as `change` leaves it.
template <class Change>
NetworkDescription with_links(const NetworkDescription& network, const Change& change) {
    const Graph& before = network.graph;
    NetworkDescription result = network;
    result.graph = Graph();
    result.graph.reserve(before.nodes(), before.links());
    for (std::size_t i = 0; i < before.nodes(); ++i) {
        result.graph.add_node(before.kind(NodeId(i)), before.name(NodeId(i)));
    }
    std::vector<bool> hidden(before.links(), true);
    for (const LinkId shown : before.shown_links()) {
        hidden[shown.index()] = false;
    }
    for (std::size_t i = 0; i < before.links(); ++i) {
        Link link = before.link(LinkId(i));
        change(LinkId(i), link);
        result.graph.add_link(link);
        if (hidden[i]) {
            result.graph.hide(LinkId(i));
        }
    }
    // It keeps the routes that it has found, which may depend on rates and latencies.
    if (network.planes && dynamic_cast<const PlaneNextHops*>(network.multipath.get()) != nullptr) {
        result.multipath = std::make_shared<PlaneNextHops>(network.planes, network.faults);
    }
    return result;
}

double number_of(Factor factor) {
    return static_cast<double>(factor.billionths) / static_cast<double>(Factor::one);
}

Rate scaled(Rate rate, Factor factor) {
    return Rate(scaled_rate(rate.bytes_per_second(), factor));
}

}  // namespace

std::vector<LinkGroup> link_groups(const NetworkDescription& network) {
    const std::size_t links = network.graph.links();
    if (links == 0) {
        return {};
    }
    using Kind = LinkGroup::Kind;
    const LinkKinds kinds(network);
    const auto all = [](LinkId /* link */) { return true; };
    const std::vector<LinkKind>& list = kinds.kinds();
    if (!network.dimensions.empty() && !network.scale_up && !has_servers(network, list)) {
        if (std::all_of(list.begin(), list.end(), [&](const LinkKind& kind) {
                return have_equal_links(kind, list.front());
            })) {
            return {group_of(Kind::All, kinds, links, all)};
        }
        std::vector<LinkGroup> groups;
        for (std::uint32_t kind = 0; kind < list.size(); ++kind) {
            groups.push_back(group_of(Kind::Dimension, kinds, links,
                                      [&](LinkId link) { return kinds.kind_of(link) == kind; }));
        }
        return groups;
    }
    const std::vector<bool> inner = scale_up_links(network);
    if (inner.empty()) {
        return {group_of(Kind::All, kinds, links, all)};
    }
    return {
        group_of(Kind::ScaleUp, kinds, links, [&](LinkId link) { return inner[link.index()]; }),
        group_of(Kind::ScaleOut, kinds, links, [&](LinkId link) { return !inner[link.index()]; })};
}

NetworkDescription with_rates(const NetworkDescription& network, const std::vector<bool>& links,
                              Factor factor) {
    std::vector<bool> dimensions(network.dimensions.size(), false);
    NetworkDescription result = with_links(network, [&](LinkId id, Link& link) {
        if (links[id.index()]) {
            link.rate = scaled(link.rate, factor);
            if (link.dimension >= 0) {
                dimensions[static_cast<std::size_t>(link.dimension)] = true;
            }
        }
    });
    for (std::size_t i = 0; i < dimensions.size(); ++i) {
        if (dimensions[i]) {
            result.dimensions[i].rate = scaled(result.dimensions[i].rate, factor);
            result.dimensions[i].bandwidth_gbps *= number_of(factor);
        }
    }
    for (ReducingSwitch& reducing : result.reducing_switches) {
        const std::vector<LinkId>& ports = network.graph.links_from(reducing.node);
        if (std::any_of(ports.begin(), ports.end(),
                        [&](LinkId port) { return links[port.index()]; })) {
            reducing.rate = scaled(reducing.rate, factor);
        }
    }
    return result;
}

NetworkDescription with_latencies(const NetworkDescription& network, Factor factor) {
    NetworkDescription result = with_links(network, [&](LinkId /* id */, Link& link) {
        link.latency = scaled_time(link.latency, factor);
    });
    for (Dimension& dimension : result.dimensions) {
        dimension.latency = scaled_time(dimension.latency, factor);
        dimension.latency_ns *= number_of(factor);
    }
    for (ReducingSwitch& reducing : result.reducing_switches) {
        reducing.latency = scaled_time(reducing.latency, factor);
    }
    return result;
}

}  // namespace npunet::topology
