// Rerouting around failed links: the usual routes while their links are up, otherwise up*/down* on
// the rest of the network.
//
//     Reroutes reroutes(network);
//     reroutes.set_epoch(3);                       // other links are down now
//     reroutes.list_next_hops(graph, place, next_hops);
//
// An epoch is a span in which the same links are down; epoch 0 begins at time 0. A packet whose
// usual route avoids links that are down takes it. Otherwise it is rerouted from where it is to its
// destination: by the fewest links among those that are up, never up after down, on a virtual
// channel of its own, the highest. The up*/down* order is the same in all epochs, so channel
// dependencies stay acyclic across epochs; it is built from the links that last, in both
// directions, then extended over those that last longest (lasting_order()). If up*/down* has no
// route, packets wait for the link; for one that never recovers only if no route over links that
// are up or recover reaches the destination.
//
// Packets that are on a reroute when the epoch changes continue to their destination in the new
// one, or wait for links that recover. If up*/down* rules that out for good, as they have gone down
// towards a link that has failed permanently since, they start a new reroute: the one case in which
// a deadlock is possible.
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

#include "topology/network/network_description.h"
#include "topology/routing/graph_router.h"
#include "topology/routing/multipath.h"

namespace npunet::topology {

class Reroutes : public MultipathRouter {
public:
    /// The network, which must outlive this, has faults that take links down. Throws InputError if
    /// it has more than most_nodes.
    explicit Reroutes(const NetworkDescription& network);

    /// When the epochs begin, 0 first, ascending.
    [[nodiscard]] const std::vector<Time>& epochs() const { return begins_; }
    void set_epoch(std::size_t epoch);
    /// PacketPlace::memory of a packet that is to be rerouted from where it is.
    static constexpr std::uint32_t rerouted_bit = std::uint32_t{1} << 31U;

    /// Whether the link is down permanently from this epoch on.
    [[nodiscard]] bool is_dead(LinkId link) const { return dead_[link.index()]; }

    /// When the link goes down permanently; Time::max(): never.
    [[nodiscard]] Time dead_from(LinkId link) const { return dead_from_[link.index()]; }

    /// Throws StallError for a rerouted packet without any up*/down* route, possible only with
    /// links that lack a reverse link.
    void list_next_hops(const Graph& graph, const PacketPlace& place,
                        std::vector<OfferedHop>& next_hops) const override;
    [[nodiscard]] bool is_oblivious() const override { return false; }
    [[nodiscard]] std::uint8_t virtual_channels_needed() const override {
        return static_cast<std::uint8_t>(channel_ + 1);
    }
    [[nodiscard]] std::string name() const override;

    static constexpr std::size_t most_nodes = 65534;

private:
    /// The network without some of its links.
    struct Rest {
        Graph graph;
        std::vector<LinkId> original;  ///< ids of its links in the network
        std::unique_ptr<GraphRouter> router;
    };
    [[nodiscard]] std::vector<bool> hidden_links() const;
    /// Hidden links are down at any time.
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
    std::vector<bool> dead_;       ///< permanently, from this epoch on
    std::vector<Time> dead_from_;  ///< by link; Time::max(): never
    Rest up_;                      ///< without the links that are down
    Rest lasting_;                 ///< without those that are dead
    Rest whole_;                   ///< with all links
};

}  // namespace npunet::topology
