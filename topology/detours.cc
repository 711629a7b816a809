#include "topology/detours.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <utility>

#include "base/errors.h"
#include "topology/up_down_order.h"

namespace npunet::topology {

namespace {

/// Besides on_detour a bit of PacketPlace::memory above those of the usual routing.
constexpr std::uint32_t went_down = std::uint32_t{1} << 30U;

}  // namespace

Detours::Detours(const NetworkDescription& network)
    : network_(network),
      channel_(static_cast<std::uint8_t>(network.virtual_channels_needed() - 1)),
      dead_from_(network.graph.links(), Time::max()) {
    if (network.graph.nodes() > most_nodes) {
        throw InputError(
            {network.file, "faults",
             "a link that goes down among " + std::to_string(network.graph.nodes()) + " nodes",
             "at most " + std::to_string(most_nodes) +
                 " nodes where packets have to go round links",
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
    whole_ = without(std::vector<bool>(network.graph.links()));
    set_epoch(0);
}

std::vector<bool> Detours::down_at(Time time) const {
    std::vector<bool> down(network_.graph.links());
    for (const LinkFault& fault : network_.faults.links) {
        if (fault.bandwidth.billionths == 0 && fault.at <= time && time < fault.until) {
            down[fault.link.index()] = true;
        }
    }
    return down;
}

Detours::Rest Detours::without(const std::vector<bool>& links) const {
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

void Detours::set_epoch(std::size_t epoch) {
    down_ = down_at(begins_[epoch]);
    dead_.assign(down_.size(), false);
    for (std::size_t i = 0; i < dead_.size(); ++i) {
        dead_[i] = dead_from_[i] <= begins_[epoch];
    }
    up_ = without(down_);
    lasting_ = without(dead_);
}

std::string Detours::name() const {
    return network_.routing_name();
}

std::optional<Way> Detours::detour(const Rest& rest, NodeId at, NodeId to, bool gone_down) const {
    const auto step = rest.router->up_down_step(rest.graph, at, gone_down, to);
    if (!step) {
        return std::nullopt;
    }
    Way way;
    way.hop = Hop{rest.original[step->link.index()], channel_};
    way.memory = on_detour | (step->goes_up ? 0 : went_down);
    return way;
}

void Detours::list_usual(const Graph& graph, const PacketPlace& place,
                         std::vector<Way>& ways) const {
    if (network_.multipath) {
        network_.multipath->list_ways(graph, place, ways);
        return;
    }
    ways.clear();
    for (const Hop& hop : network_.route(place.source, place.destination)) {
        if (graph.link(hop.link).from == place.at) {
            ways.emplace_back();
            ways.back().hop = hop;
            return;
        }
    }
}

/// Whether the way leads over one of the links: of fixed routes all that is ahead, otherwise what
/// is chosen at once.
bool Detours::usual_meets(const std::vector<bool>& links, const PacketPlace& place,
                          const Way& way) const {
    if (network_.multipath) {
        return links[way.hop.link.index()] ||
               (way.then.link.valid() && links[way.then.link.index()]);
    }
    bool ahead = false;
    for (const Hop& hop : network_.route(place.source, place.destination)) {
        ahead = ahead || hop == way.hop;
        if (ahead && links[hop.link.index()]) {
            return true;
        }
    }
    return false;
}

void Detours::list_detour(const PacketPlace& place, std::vector<Way>& ways) const {
    const NodeId to = place.destination;
    const bool gone_down = (place.memory & went_down) != 0;
    // What comes back is waited for rather than to begin anew.
    std::optional<Way> way = detour(up_, place.at, to, gone_down);
    for (const auto& [rest, down] : {std::pair(&lasting_, gone_down), std::pair(&up_, false),
                                     std::pair(&lasting_, false), std::pair(&whole_, false)}) {
        if (!way) {
            way = detour(*rest, place.at, to, down);
        }
    }
    if (!way) {
        const Graph& graph = network_.graph;
        throw StallError("the network cannot go on: a packet at " + graph.name(place.at) + " for " +
                         graph.name(to) +
                         " has to go round links that are down, and up*/down* has no way there, "
                         "not even over those: add links back to those that lead one way only, or "
                         "use another fidelity");
    }
    ways.assign(1, *way);
}

void Detours::list_ways(const Graph& graph, const PacketPlace& place,
                        std::vector<Way>& ways) const {
    if ((place.memory & on_detour) != 0) {
        list_detour(place, ways);
        return;
    }
    list_usual(graph, place, ways);
    // The ways that do not lead over these links, if packets can wait for one of them.
    const auto rest = [&](const std::vector<bool>& links) {
        std::vector<Way> left;
        std::copy_if(ways.begin(), ways.end(), std::back_inserter(left),
                     [&](const Way& way) { return !usual_meets(links, place, way); });
        return left;
    };
    const auto suffices = [](const std::vector<Way>& left) {
        return std::any_of(left.begin(), left.end(),
                           [](const Way& way) { return !way.needs_room; });
    };
    std::vector<Way> left = rest(down_);
    if (!suffices(left)) {
        std::optional<Way> around = detour(up_, place.at, place.destination, false);
        if (!around) {
            // What comes back is waited for.
            left = rest(dead_);
            if (!suffices(left)) {
                around = detour(lasting_, place.at, place.destination, false);
            }
        }
        if (around) {
            around->escape = !left.empty();
            left.push_back(*around);
        }
    }
    if (suffices(left)) {
        ways = std::move(left);
    }
}

}  // namespace npunet::topology
