// Whether routes can wait for each other in a cycle.
//
// A channel is a link together with a virtual channel. A packet that holds one channel and needs
// the next one of its route makes the first depend on the second; the network is free of deadlock
// when these dependencies have no cycle (Dally and Seitz, "Deadlock-free message routing in
// multiprocessor interconnection networks", IEEE Trans. Computers C-36, 1987, theorem 1).
//
//     ChannelDependencies dependencies(graph.links(), 1);
//     dependencies.add_route(route);
//     std::vector<Hop> cycle = dependencies.find_cycle();                    // empty: no deadlock
//
// C++17-clean: reached from ns-3 scenario scripts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "topology/graph/graph.h"

namespace npunet::topology {

/// The channel-dependency graph of a set of routes.
class ChannelDependencies {
public:
    /// Room for channels 0 .. virtual_channels - 1 on links 0 .. links - 1.
    ChannelDependencies(std::size_t links, std::size_t virtual_channels);

    /// A packet that holds `held` may wait for `wanted`.
    void add(Hop held, Hop wanted);
    /// How many channels are known to be wanted by what holds that one.
    [[nodiscard]] std::size_t wanted_by(Hop held) const {
        return wanted_by_[index_of(held)].size();
    }
    /// Every hop of the route waits for the next one.
    void add_route(const std::vector<Hop>& route);

    /// The channels of one cycle, each waiting for the next and the last for the first; empty when
    /// there is none. The same dependencies give the same cycle.
    [[nodiscard]] std::vector<Hop> find_cycle() const;

private:
    [[nodiscard]] std::uint32_t index_of(Hop hop) const;
    [[nodiscard]] Hop hop_at(std::uint32_t index) const;

    std::size_t virtual_channels_;
    std::vector<std::vector<std::uint32_t>> wanted_by_;
};

/// For messages: "npu0 -> npu1 -> npu2 -> npu0"; a long cycle is cut short.
[[nodiscard]] std::string describe_cycle(const Graph& graph, const std::vector<Hop>& cycle);

}  // namespace npunet::topology
