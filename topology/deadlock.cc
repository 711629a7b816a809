#include "topology/deadlock.h"

#include <algorithm>
#include <cassert>
#include <set>
#include <tuple>

namespace npunet::topology {

ChannelDependencies::ChannelDependencies(std::size_t links, std::size_t virtual_channels)
    : virtual_channels_(virtual_channels), wanted_by_(links * virtual_channels) {}

std::uint32_t ChannelDependencies::index_of(Hop hop) const {
    assert(hop.virtual_channel < virtual_channels_);
    return static_cast<std::uint32_t>(hop.link.index() * virtual_channels_ + hop.virtual_channel);
}

Hop ChannelDependencies::hop_at(std::uint32_t index) const {
    return Hop{LinkId(index / virtual_channels_),
               static_cast<std::uint8_t>(index % virtual_channels_)};
}

void ChannelDependencies::add(Hop held, Hop wanted) {
    std::vector<std::uint32_t>& others = wanted_by_[index_of(held)];
    const std::uint32_t other = index_of(wanted);
    // A link is followed by few others: a search through them beats any table.
    if (std::find(others.begin(), others.end(), other) == others.end()) {
        others.push_back(other);
    }
}

void ChannelDependencies::add_route(const std::vector<Hop>& route) {
    for (std::size_t i = 1; i < route.size(); ++i) {
        add(route[i - 1], route[i]);
    }
}

std::vector<Hop> ChannelDependencies::find_cycle() const {
    enum class State : std::uint8_t { Fresh, OnPath, Done };
    struct Step {
        std::uint32_t channel;
        std::size_t next;  // which of its dependencies comes next
    };
    std::vector<State> state(wanted_by_.size(), State::Fresh);
    std::vector<Step> path;
    const auto enter = [&](std::uint32_t channel) {
        state[channel] = State::OnPath;
        path.push_back(Step{channel, 0});
    };
    for (std::uint32_t start = 0; start < wanted_by_.size(); ++start) {
        if (state[start] == State::Fresh) {
            enter(start);
        }
        while (!path.empty()) {
            Step& top = path.back();
            if (top.next == wanted_by_[top.channel].size()) {
                state[top.channel] = State::Done;
                path.pop_back();
                continue;
            }
            const std::uint32_t wanted = wanted_by_[top.channel][top.next++];
            if (state[wanted] == State::Fresh) {
                enter(wanted);
            } else if (state[wanted] == State::OnPath) {
                std::vector<Hop> cycle;
                auto step = std::find_if(path.begin(), path.end(),
                                         [&](const Step& s) { return s.channel == wanted; });
                for (; step != path.end(); ++step) {
                    cycle.push_back(hop_at(step->channel));
                }
                return cycle;
            }
        }
    }
    return {};
}

ChannelDependencies channel_dependencies(const NetworkDescription& network) {
    const std::size_t npus = network.graph.npus();
    ChannelDependencies dependencies(network.graph.links(), network.virtual_channels_needed());
    for (std::size_t from = 0; from < npus; ++from) {
        for (std::size_t to = 0; to < npus; ++to) {
            dependencies.add_route(network.route(NodeId(from), NodeId(to)));
        }
    }
    return dependencies;
}

ChannelDependencies waiting_dependencies(const NetworkDescription& network, std::uint64_t draws) {
    const std::size_t npus = network.graph.npus();
    ChannelDependencies dependencies(network.graph.links(), network.virtual_channels_needed());
    using Seen = std::tuple<std::int32_t, std::uint8_t, std::uint32_t>;
    std::vector<OfferedHop> next_hops;
    for (std::size_t to = 0; to < npus; ++to) {
        std::set<Seen> seen;
        std::vector<PacketPlace> open;
        for (std::size_t from = 0; from < npus; ++from) {
            if (from != to) {
                open.push_back({NodeId(from), NodeId(from), NodeId(to), Hop(), 0, 0});
            }
        }
        while (!open.empty()) {
            PacketPlace place = open.back();
            open.pop_back();
            for (place.hash = 0; place.hash < draws; ++place.hash) {
                network.multipath->list_next_hops(network.graph, place, next_hops);
                for (const OfferedHop& next_hop : next_hops) {
                    if (place.in.link.valid() && !next_hop.needs_room) {
                        dependencies.add(place.in, next_hop.hop);
                    }
                    if (next_hop.then.link.valid()) {
                        dependencies.add(next_hop.hop, next_hop.then);
                    }
                    PacketPlace next = place;
                    next.in = next_hop.then.link.valid() ? next_hop.then : next_hop.hop;
                    next.at = network.graph.link(next.in.link).to;
                    next.memory = next_hop.memory;
                    const bool fresh =
                        seen.insert({next.in.link.value(), next.in.virtual_channel, next.memory})
                            .second;
                    if (fresh && next.at != next.destination) {
                        open.push_back(next);
                    }
                }
            }
        }
    }
    return dependencies;
}

std::string describe_cycle(const Graph& graph, const std::vector<Hop>& cycle) {
    constexpr std::size_t longest = 12;
    std::string text;
    for (std::size_t i = 0; i < cycle.size() && i < longest; ++i) {
        text += graph.name(graph.link(cycle[i].link).from) + " -> ";
    }
    return text + (cycle.size() > longest ? "... -> " : "") +
           (cycle.empty() ? "" : graph.name(graph.link(cycle.front().link).from));
}

}  // namespace npunet::topology
