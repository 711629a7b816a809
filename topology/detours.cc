#include "topology/detours.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "topology/up_down_order.h"

namespace npunet::topology {

namespace {

/// Bits of PacketPlace::memory above those of the usual routing.
constexpr std::uint32_t on_detour = std::uint32_t{1} << 31U;
constexpr std::uint32_t went_down = std::uint32_t{1} << 30U;

}  // namespace

Detours::Detours(const NetworkDescription& network)
    : network_(network),
      channel_(static_cast<std::uint8_t>(network.virtual_channels_needed() - 1)),
      dead_from_(network.graph.links(), Time::max()) {
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
    std::vector<bool> later;
    for (std::size_t i = begins_.size(); i-- > 0;) {
        const std::vector<bool> down = down_at(begins_[i]);
        for (std::size_t link = 0; link < down.size(); ++link) {
            const bool last = i + 1 == begins_.size();
            if (down[link] && (last || dead_from_[link] == begins_[i + 1])) {
                dead_from_[link] = begins_[i];
            }
        }
        if (later.empty()) {
            later = down;
        }
    }
    std::set<std::pair<NodeId, NodeId>> joined;
    for (std::size_t i = 0; i < later.size(); ++i) {
        if (!later[i]) {
            const Link& link = network.graph.link(LinkId(i));
            joined.insert({link.from, link.to});
        }
    }
    order_ = up_down_order(network.graph, [&](LinkId id) {
        const Link& link = network.graph.link(id);
        return !later[id.index()] && joined.count({link.to, link.from}) > 0;
    });
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

void Detours::set_epoch(std::size_t epoch) {
    epoch_ = epoch;
    down_ = down_at(begins_[epoch]);
    rest_ = Rest();
    const Graph& graph = network_.graph;
    rest_.graph.reserve(graph.nodes(), graph.links());
    for (std::size_t i = 0; i < graph.nodes(); ++i) {
        rest_.graph.add_node(graph.kind(NodeId(i)), "");
    }
    for (std::size_t i = 0; i < graph.links(); ++i) {
        if (!down_[i]) {
            rest_.graph.add_link(graph.link(LinkId(i)));
            rest_.original.push_back(LinkId(i));
        }
    }
    rest_.router = std::make_unique<GraphRouter>(rest_.graph, order_);
}

bool Detours::is_dead(LinkId link) const {
    return dead_from_[link.index()] <= begins_[epoch_];
}

std::string Detours::name() const {
    return network_.routing_name();
}

std::optional<Way> Detours::detour(NodeId at, NodeId to, bool gone_down) const {
    const auto step = rest_.router->up_down_step(rest_.graph, at, gone_down, to);
    if (!step) {
        return std::nullopt;
    }
    Way way;
    way.hop = Hop{rest_.original[step->link.index()], channel_};
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

/// Fixed routes are avoided as soon as any of their links ahead is down.
bool Detours::usual_is_blocked(const PacketPlace& place, const Way& way) const {
    if (network_.multipath) {
        return blocked(way.hop) || blocked(way.then);
    }
    bool ahead = false;
    for (const Hop& hop : network_.route(place.source, place.destination)) {
        ahead = ahead || hop == way.hop;
        if (ahead && blocked(hop)) {
            return true;
        }
    }
    return false;
}

void Detours::list_ways(const Graph& graph, const PacketPlace& place,
                        std::vector<Way>& ways) const {
    if ((place.memory & on_detour) != 0) {
        std::optional<Way> way =
            detour(place.at, place.destination, (place.memory & went_down) != 0);
        if (!way) {
            way = detour(place.at, place.destination, false);
        }
        if (!way) {
            // Cut off: on towards the link that has to come back.
            const GraphRouter whole(graph, order_);
            const auto step = whole.up_down_step(graph, place.at, false, place.destination);
            way.emplace();
            way->hop = Hop{step->link, channel_};
            way->memory = on_detour | (step->goes_up ? 0 : went_down);
        }
        ways.assign(1, *way);
        return;
    }
    list_usual(graph, place, ways);
    const auto is_blocked = [&](const Way& way) { return usual_is_blocked(place, way); };
    if (std::none_of(ways.begin(), ways.end(), is_blocked)) {
        return;
    }
    std::optional<Way> around = detour(place.at, place.destination, false);
    if (!around) {
        return;
    }
    ways.erase(std::remove_if(ways.begin(), ways.end(), is_blocked), ways.end());
    const bool waits =
        std::any_of(ways.begin(), ways.end(), [](const Way& way) { return !way.needs_room; });
    if (!waits) {
        around->escape = !ways.empty();
        ways.push_back(*around);
    }
}

}  // namespace npunet::topology
