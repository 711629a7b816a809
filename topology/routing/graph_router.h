// Routes on any graph: the fewest links, or up*/down*.
//
//     GraphRouter router(network.graph, GraphRoutes::Balanced, seed);
//
// Balanced: the fewest links; a switch uses equal links in turn, by destination
// (topology/routing/balanced_steps.h). What is a dragonfly by its links has the routes of one
// (topology/routing/group_routes.h), and a product of dimensions routes in dimension order
// (topology/routing/dimension_order.h). ShortestPath: the fewest links, among equals to the
// neighbour of the lowest link. Ecmp: any of the equals, by a hash of seed, source and destination.
// UpDown: the fewest links among the routes that never go up after they have gone down, where a
// link goes up when it leads to a node that is nearer to the root, or as near and of a lower
// number; the root is the node with the most links, the lowest of equals (Schroeder et al.,
// "Autonet: a high-speed, self-configuring local area network using point-to-point links", IEEE J.
// Sel. Areas Commun. 9, 1991). Links up wait for lower nodes only and links down for higher ones,
// so no cycle can close.
//
// Routes pass through NPUs as through switches. Of parallel links a route takes one by the hash;
// where balanced ones go from switch to switch, the one whose turn it is, whatever its rate, or on
// a dragonfly the one by the places of the NPUs.
//
// Where balanced routes could wait for each other in a cycle, a packet that goes up after it has
// gone down, in the order of up*/down*, goes on on the next virtual channel. On each channel it
// goes up, then down, so that no cycle can close there, and it never returns to a lower one. On a
// dragonfly the local link behind the one between groups has channel 1, all others channel 0; on a
// product the channel changes at the datelines of rings.
//
// Where the shortest paths to all destinations could wait for each other in a cycle, layers of
// virtual channels are assigned: destination by destination, each to the lowest layer in which no
// cycle closes (after Skeie, Lysne and Theiss, "Layered shortest path (LASH) routing in irregular
// system area networks", IPDPS 2002, who assign pairs). Parallel links count as one in that check.
//
// C++17-clean: reached from ns-3 scenario scripts.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "topology/graph/graph.h"
#include "topology/routing/balanced_steps.h"
#include "topology/routing/dimension_order.h"
#include "topology/routing/group_routes.h"
#include "topology/routing/multipath.h"
#include "topology/routing/router.h"

namespace npunet::topology {

enum class GraphRoutes : std::uint8_t { Balanced, ShortestPath, Ecmp, UpDown };

class GraphRouter : public Router {
public:
    /// Routes that need no layers so far. NPUs reach each other; at most 65534 nodes.
    GraphRouter(const Graph& graph, GraphRoutes kind, std::uint64_t seed);
    /// Up*/down* by a given order (topology/routing/up_down_order.h); for up_down_step() only.
    GraphRouter(const Graph& graph, std::vector<std::uint32_t> order);

    [[nodiscard]] std::vector<Hop> route(const Graph& graph, NodeId from, NodeId to) const override;
    [[nodiscard]] std::uint8_t virtual_channels_needed() const override { return layers_; }
    [[nodiscard]] std::string name() const override;
    [[nodiscard]] std::string note() const override { return note_; }
    void set_note(std::string note) { note_ = std::move(note); }
    [[nodiscard]] bool is_up_down() const { return kind_ == GraphRoutes::UpDown; }
    /// Of the hashes.
    [[nodiscard]] std::uint64_t seed() const { return seed_; }

    /// The links that the paths to the NPU take from a node (not the NPU itself). Not for
    /// up*/down*.
    void list_links_towards(const Graph& graph, NodeId at, NodeId to,
                            std::vector<LinkId>& links) const;

    /// The links that begin a path of the fewest links from a node to the NPU, whichever neighbour
    /// they lead to. Not for up*/down*.
    void list_shortest_steps(const Graph& graph, NodeId at, NodeId to,
                             std::vector<LinkId>& links) const;

    /// The next link of an up*/down* path from a node to an NPU, whether or not the path has gone
    /// down already; nothing where there is no such path.
    struct Step {
        LinkId link;
        bool goes_up = false;
    };
    [[nodiscard]] std::optional<Step> up_down_step(const Graph& graph, NodeId at, bool gone_down,
                                                   NodeId to) const;

    /// Which of these links, several ones from a node, a route between the NPUs takes there: the
    /// one that is its turn, else one by the hash.
    [[nodiscard]] std::size_t preferred(const std::vector<LinkId>& links, NodeId at, NodeId to,
                                        std::uint64_t hash) const;

    /// The virtual channel of the routes to an NPU, where it is the same all along them: of other
    /// kinds than Balanced.
    [[nodiscard]] std::uint8_t layer_towards(NodeId to) const {
        return layer_of_.empty() ? std::uint8_t{0} : layer_of_[to.index()];
    }
    /// Sets the virtual channels of a route to an NPU.
    void set_channels(const Graph& graph, NodeId to, std::vector<Hop>& route) const;

    /// A cycle of links that wait for each other when all routes have one channel; empty when
    /// there is none. O(npus x (nodes + links)).
    [[nodiscard]] std::vector<Hop> find_cycle(const Graph& graph) const;
    /// The same, but ends soon after that much work: then, where `cycle` is empty, there may be one
    /// that was not found.
    struct CycleSearch {
        std::vector<Hop> cycle;
        bool is_whole = true;  ///< all routes were looked at
        [[nodiscard]] bool is_free() const { return cycle.empty() && is_whole; }
    };
    [[nodiscard]] CycleSearch look_for_cycle(const Graph& graph,
                                             std::uint64_t most = most_cycle_work) const;
    /// In comparisons of links: some seconds.
    static constexpr std::uint64_t most_cycle_work = std::uint64_t{1} << 31;
    /// Assigns layers until no cycle is left; false when that would take more than `most`, and
    /// on networks of more than most_layered_npus.
    [[nodiscard]] bool assign_layers(const Graph& graph, std::uint8_t most);
    /// Of Balanced: a virtual channel more for every turn from down to up, or those of dragonflies
    /// and products; false when that takes more than `most`. O(npus x (nodes + links)).
    [[nodiscard]] bool count_turns(const Graph& graph, std::uint8_t most);
    /// Of Balanced: on as few of these channels as the routes need; false when it is more. Where
    /// the search for a cycle ends early, count_turns() decides.
    [[nodiscard]] bool is_free_of_deadlock(const Graph& graph, std::uint8_t most);
    /// Every NPU has a route to every other one. Shortest paths always have; up*/down* may not
    /// where links lead one way only.
    [[nodiscard]] bool reaches_all(const Graph& graph) const;

private:
    /// Links to the destination from each state: a node, or for up*/down* two a node, before and
    /// after the first link down. `nowhere` where there is no way.
    using Distances = std::vector<std::uint16_t>;
    static constexpr std::uint16_t nowhere = 0xFFFF;

    [[nodiscard]] std::size_t states_per_node() const {
        return kind_ == GraphRoutes::UpDown ? 2 : 1;
    }
    [[nodiscard]] bool goes_up(const Link& link) const;
    /// `met`: the states from which the destination is reached, the nearest first.
    [[nodiscard]] Distances distances_to(const Graph& graph, NodeId destination,
                                         std::vector<std::size_t>& met) const;
    [[nodiscard]] Distances distances_to(const Graph& graph, NodeId destination) const;
    [[nodiscard]] const Distances& towards(const Graph& graph, NodeId destination) const;
    /// The state behind a link, or -1 where the routing forbids it.
    [[nodiscard]] std::int64_t state_after(std::size_t state, const Link& link) const;
    /// The links by which a route may go on from a state; parallel ones all.
    void list_steps(const Graph& graph, const Distances& distance, NodeId destination,
                    std::size_t state, std::vector<LinkId>& steps) const;
    /// Which links of the fewest links to the destination: to whatever neighbour, to that of the
    /// lowest link, or all that are used in turn.
    enum class Reach : std::uint8_t { All, Lowest, Alike };
    void list_steps(const Graph& graph, const Distances& distance, NodeId destination,
                    std::size_t state, Reach reach, std::vector<LinkId>& steps) const;
    /// Of Balanced: which link is whose turn, destination after destination.
    void take_turns(const Graph& graph);
    /// One more than the most turns of routes to a destination.
    [[nodiscard]] std::uint32_t channels_towards(const Graph& graph, NodeId destination) const;
    /// Calls add(held, wanted) for what the routes to a destination wait for.
    template <class Add>
    void visit_dependencies(const Graph& graph, NodeId destination, Add&& add) const;

    GraphRoutes kind_;
    std::uint64_t seed_;
    std::uint8_t layers_ = 1;
    std::vector<std::uint8_t> layer_of_;  ///< by destination; empty: all in layer 0
    bool by_turns_ = false;               ///< the virtual channels
    BalancedSteps turns_;
    GroupRoutes groups_;                  ///< of Balanced, on a dragonfly
    DimensionOrder product_;              ///< of Balanced
    std::vector<std::uint32_t> order_;    ///< the lower, the nearer to the root of up*/down*
    std::vector<LinkId> first_parallel_;  ///< of every link the lowest with the same ends
    std::string note_;
    mutable std::mutex mutex_;
    mutable std::vector<Distances> distances_;  ///< by destination, worked out when first asked for
};

/// Virtual channels that a port of the packet machine may have.
inline constexpr std::uint8_t most_layers = 32;
/// Beyond it assigning layers takes minutes.
inline constexpr std::size_t most_layered_npus = 2048;

/// Multipath routing on any graph over all shortest paths: sprayed, or by the link that is free
/// soonest. Sprayed packets of a message take the links of a node in turn, so that they use all of
/// them equally, and those that came there over several links divide among the next ones in the
/// same manner: with the fan-outs k(1), k(2), ... of the nodes so far, packet q takes link floor(q
/// / K) + q mod K of the node, K = k(1) k(2) ..., modulo the number of its links. The layers of a
/// GraphRouter (virtual channels) are assigned to destinations and have acyclic channel
/// dependencies whichever shortest paths are taken, so they apply here too.
///
///     network.multipath = std::make_shared<GraphNextHops>(router, Spread::Spray);
class GraphNextHops : public EqualCostRouter {
public:
    /// `paths`: of GraphRoutes::Ecmp, with layers assigned if it needs any.
    GraphNextHops(std::shared_ptr<const GraphRouter> paths, Spread spread)
        : EqualCostRouter(spread), paths_(std::move(paths)) {}

    void list_next_hops(const Graph& graph, const PacketPlace& place,
                        std::vector<OfferedHop>& next_hops) const override;
    [[nodiscard]] std::uint8_t virtual_channels_needed() const override {
        return paths_->virtual_channels_needed();
    }

private:
    /// Keeps the link whose turn it is.
    void take_turn(const PacketPlace& place, std::vector<OfferedHop>& next_hops) const;

    std::shared_ptr<const GraphRouter> paths_;
};

}  // namespace npunet::topology
