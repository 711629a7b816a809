#include "topology/network/reroutes.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <utility>

#include "base/errors.h"
#include "topology/routing/up_down_order.h"

namespace npunet::topology {

namespace {

/// Like rerouted_bit a bit of PacketPlace::memory, above those of the usual routing.
constexpr std::uint32_t went_down = std::uint32_t{1} << 30U;

}  // namespace

Reroutes::Reroutes(const NetworkDescription& network)
    : network_(network),
      channel_(static_cast<std::uint8_t>(network.virtual_channels_needed() - 1)),
      dead_from_(network.graph.links(), Time::max()) {
    if (network.graph.nodes() > most_nodes) {
        throw InputError(
            {network.file, "faults",
             "a link that goes down among " + std::to_string(network.graph.nodes()) + " nodes",
             "at most " + std::to_string(most_nodes) +
                 " nodes where packets are rerouted around failed links",
             "lower its bandwidth instead, or use another fidelity"});
    }
    std::set<Time> changes{Time()};
    for (const LinkFault& fault : network.faults.links) {
        if (fault.bandwidth.billionths != 0) {
            continue;
        }
        changes.insert(fault.at);
        if (fault.until != Time::max()) {
            changes.insert(fault.until);
        }
    }
    begins_.assign(changes.begin(), changes.end());
    for (std::size_t i = begins_.size(); i-- > 0;) {
        const std::vector<bool> down = down_at(begins_[i]);
        for (std::size_t link = 0; link < down.size(); ++link) {
            const bool last = i + 1 == begins_.size();
            if (down[link] && (last || dead_from_[link] == begins_[i + 1])) {
                dead_from_[link] = begins_[i];
            }
        }
    }
    order_ = lasting_order(network.graph, dead_from_);
    whole_ = without(hidden_links());
    set_epoch(0);
}

std::vector<bool> Reroutes::hidden_links() const {
    std::vector<bool> hidden(network_.graph.links(), true);
    for (const LinkId link : network_.graph.shown_links()) {
        hidden[link.index()] = false;
    }
    return hidden;
}

std::vector<bool> Reroutes::down_at(Time time) const {
    std::vector<bool> down = hidden_links();
    for (const LinkFault& fault : network_.faults.links) {
        if (fault.bandwidth.billionths == 0 && fault.at <= time && time < fault.until) {
            down[fault.link.index()] = true;
        }
    }
    return down;
}

Reroutes::Rest Reroutes::without(const std::vector<bool>& links) const {
    const Graph& graph = network_.graph;
    Rest rest;
    rest.graph.reserve(graph.nodes(), graph.links());
    for (std::size_t i = 0; i < graph.nodes(); ++i) {
        rest.graph.add_node(graph.kind(NodeId(i)), "");
    }
    for (std::size_t i = 0; i < graph.links(); ++i) {
        if (!links[i]) {
            rest.graph.add_link(graph.link(LinkId(i)));
            rest.original.push_back(LinkId(i));
        }
    }
    rest.router = std::make_unique<GraphRouter>(rest.graph, order_);
    return rest;
}

void Reroutes::set_epoch(std::size_t epoch) {
    down_ = down_at(begins_[epoch]);
    dead_.assign(down_.size(), false);
    for (std::size_t i = 0; i < dead_.size(); ++i) {
        dead_[i] = dead_from_[i] <= begins_[epoch];
    }
    up_ = without(down_);
    lasting_ = without(dead_);
}

std::string Reroutes::name() const {
    return network_.routing_name();
}

std::optional<OfferedHop> Reroutes::reroute(const Rest& rest, NodeId at, NodeId to,
                                            bool gone_down) const {
    const auto step = rest.router->up_down_step(rest.graph, at, gone_down, to);
    if (!step) {
        return std::nullopt;
    }
    OfferedHop next_hop;
    next_hop.hop = Hop{rest.original[step->link.index()], channel_};
    next_hop.memory = rerouted_bit | (step->goes_up ? 0 : went_down);
    return next_hop;
}

void Reroutes::list_usual(const Graph& graph, const PacketPlace& place,
                          std::vector<OfferedHop>& next_hops) const {
    if (network_.multipath) {
        network_.multipath->list_next_hops(graph, place, next_hops);
        return;
    }
    next_hops.clear();
    for (const Hop& hop : network_.route(place.source, place.destination)) {
        if (graph.link(hop.link).from == place.at) {
            next_hops.emplace_back();
            next_hops.back().hop = hop;
            return;
        }
    }
}

/// Whether the route uses one of the links: of fixed routes all hops ahead, otherwise those that
/// are chosen at once.
bool Reroutes::usual_meets(const std::vector<bool>& links, const PacketPlace& place,
                           const OfferedHop& next_hop) const {
    if (network_.multipath) {
        return links[next_hop.hop.link.index()] ||
               (next_hop.then.link.valid() && links[next_hop.then.link.index()]);
    }
    bool ahead = false;
    for (const Hop& hop : network_.route(place.source, place.destination)) {
        ahead = ahead || hop == next_hop.hop;
        if (ahead && links[hop.link.index()]) {
            return true;
        }
    }
    return false;
}

void Reroutes::list_reroute(const PacketPlace& place, std::vector<OfferedHop>& next_hops) const {
    const NodeId to = place.destination;
    const bool gone_down = (place.memory & went_down) != 0;
    // Waiting for links that recover is preferred to a new reroute.
    std::optional<OfferedHop> next_hop = reroute(up_, place.at, to, gone_down);
    for (const auto& [rest, down] : {std::pair(&lasting_, gone_down), std::pair(&up_, false),
                                     std::pair(&lasting_, false), std::pair(&whole_, false)}) {
        if (!next_hop) {
            next_hop = reroute(*rest, place.at, to, down);
        }
    }
    if (!next_hop) {
        const Graph& graph = network_.graph;
        throw StallError("the network cannot go on: a packet at " + graph.name(place.at) + " for " +
                         graph.name(to) +
                         " has to be rerouted around failed links, and up*/down* has no path "
                         "there, not even over those: make unidirectional links bidirectional, or "
                         "use another fidelity");
    }
    next_hops.assign(1, *next_hop);
}

void Reroutes::list_next_hops(const Graph& graph, const PacketPlace& place,
                              std::vector<OfferedHop>& next_hops) const {
    if ((place.memory & rerouted_bit) != 0) {
        list_reroute(place, next_hops);
        return;
    }
    list_usual(graph, place, next_hops);
    // The next hops that avoid these links.
    const auto rest = [&](const std::vector<bool>& links) {
        std::vector<OfferedHop> left;
        std::copy_if(
            next_hops.begin(), next_hops.end(), std::back_inserter(left),
            [&](const OfferedHop& next_hop) { return !usual_meets(links, place, next_hop); });
        return left;
    };
    const auto suffices = [](const std::vector<OfferedHop>& left) {
        return std::any_of(left.begin(), left.end(),
                           [](const OfferedHop& next_hop) { return !next_hop.needs_room; });
    };
    std::vector<OfferedHop> left = rest(down_);
    if (!suffices(left)) {
        std::optional<OfferedHop> around = reroute(up_, place.at, place.destination, false);
        if (!around) {
            // Links that recover are waited for.
            left = rest(dead_);
            if (!suffices(left)) {
                around = reroute(lasting_, place.at, place.destination, false);
            }
        }
        if (around) {
            around->escape = !left.empty();
            left.push_back(*around);
        }
    }
    if (suffices(left)) {
        next_hops = std::move(left);
    }
}

}  // namespace npunet::topology
