// Ways round links that are down: as the routes, until a link of them is down, then up*/down* on
// what is left of the network.
//
//     Reroutes detours(network, fixed_routes);
//     detours.set_epoch(3);                        // the links that are down have changed
//     detours.list_next_hops(graph, place, ways);
//
// An epoch is a span in which the same links are down; epoch 0 begins at time 0. A packet that can
// go on without a link that is down goes on as always. Otherwise it takes a detour from where it is
// up to its destination: the fewest links among those that are up, never up after down, on a
// virtual channel of its own, the highest. The order of up*/down* is the same in all epochs, so the
// detours of different epochs do not wait for each other in a circle either; it goes
// by the links that stay, in both directions, and on over those that live longest
// (lasting_order()). Where it offers no detour packets wait for the link; for one that never comes
// back they do so only where no way leads to the destination over links that do.
//
// Packets on a detour when the epoch changes go on to their destination in the new one, or wait for
// what comes back. Where up*/down* would not let them for good, having gone down towards a link
// that has died since, they begin anew: the one case in which packets may wait in a circle.
//
// C++17-clean: reached from ns-3 scenario scripts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "topology/graph_router.h"
#include "topology/multipath.h"
#include "topology/network_description.h"

namespace npunet::topology {

class Reroutes : public MultipathRouter {
public:
    /// The network, which must outlive this, has faults that take links down. Throws InputError
    /// where it has more than most_nodes.
    explicit Reroutes(const NetworkDescription& network);

    /// When the epochs begin, 0 first, ascending.
    [[nodiscard]] const std::vector<Time>& epochs() const { return begins_; }
    void set_epoch(std::size_t epoch);
    /// PacketPlace::memory of a packet that is to take a detour from where it is.
    static constexpr std::uint32_t rerouted_bit = std::uint32_t{1} << 31U;

    /// Whether the link is down from this epoch on for ever.
    [[nodiscard]] bool is_dead(LinkId link) const { return dead_[link.index()]; }

    /// When the link goes down for ever; Time::max(): never.
    [[nodiscard]] Time dead_from(LinkId link) const { return dead_from_[link.index()]; }

    /// Throws StallError for a packet on a detour that no up*/down* route brings on from there,
    /// which takes links without one back.
    void list_next_hops(const Graph& graph, const PacketPlace& place,
                        std::vector<OfferedHop>& next_hops) const override;
    [[nodiscard]] bool is_oblivious() const override { return false; }
    [[nodiscard]] std::uint8_t virtual_channels_needed() const override {
        return static_cast<std::uint8_t>(channel_ + 1);
    }
    [[nodiscard]] std::string name() const override;

    static constexpr std::size_t most_nodes = 65534;

private:
    /// What is left of the network.
    struct Rest {
        Graph graph;
        std::vector<LinkId> original;  ///< of its links
        std::unique_ptr<GraphRouter> router;
    };
    [[nodiscard]] std::vector<bool> down_at(Time time) const;
    [[nodiscard]] Rest without(const std::vector<bool>& links) const;
    void list_usual(const Graph& graph, const PacketPlace& place,
                    std::vector<OfferedHop>& next_hops) const;
    [[nodiscard]] bool usual_meets(const std::vector<bool>& links, const PacketPlace& place,
                                   const OfferedHop& next_hop) const;
    void list_reroute(const PacketPlace& place, std::vector<OfferedHop>& next_hops) const;
    [[nodiscard]] std::optional<OfferedHop> reroute(const Rest& rest, NodeId at, NodeId to,
                                                    bool gone_down) const;

    const NetworkDescription& network_;
    std::uint8_t channel_;
    std::vector<Time> begins_;
    std::vector<std::uint32_t> order_;
    std::vector<bool> down_;       ///< in this epoch
    std::vector<bool> dead_;       ///< from this epoch on for ever
    std::vector<Time> dead_from_;  ///< by link; Time::max(): never
    Rest up_;                      ///< without the links that are down
    Rest lasting_;                 ///< without those that are dead
    Rest whole_;                   ///< with all links
};

}  // namespace npunet::topology
