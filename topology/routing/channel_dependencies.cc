#include "topology/routing/channel_dependencies.h"

#include <algorithm>
#include <cassert>

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
