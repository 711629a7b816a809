// Parallel planes: equal routes between two NPUs that a message uses together, such as the links of
// a GPU to each of four NVSwitches, or several links between the same two nodes.
//
//     Planes planes(router, true);
//     std::vector<std::vector<Hop>> routes = planes.routes(graph, faults, NodeId(0), NodeId(1));
//
// The planes of a pair are shortest routes of which no two share a link, so that they differ in
// their first links, at the source, and in their last ones, at the destination. Hop by hop they
// have the same rates and latencies, and none of their links ever has a fault. They pass through
// the same nodes (bundles of parallel links), or through switches only: what another NPU forwards
// is that NPU's traffic. Behind the first link a plane takes one of several equal links, as its
// router does, or by the hash of the pair: which up-link a leaf uses is routing, and makes no
// planes.
// Where equal routes differ in speed, the set with the largest sum of rates counts; of equals the
// one with the lowest first link.
//
// C++17-clean: reached from ns-3 scenario scripts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "topology/graph/graph.h"
#include "topology/network/faults.h"
#include "topology/routing/graph_router.h"
#include "topology/routing/multipath.h"
#include "topology/routing/router.h"

namespace npunet::topology {

using PlaneRoutes = std::vector<std::vector<Hop>>;

class Planes {
public:
    /// `all_switches`: planes may lead over different switches, because shortest paths over all of
    /// them are free of deadlock on the router's virtual channels; otherwise only parallel links
    /// make planes.
    Planes(std::shared_ptr<const GraphRouter> router, bool all_switches)
        : router_(std::move(router)), all_switches_(all_switches) {}

    /// The routes over which a message is divided, in the order of their first links; the router's
    /// route alone where the pair has no two planes. A pure function. from != to.
    [[nodiscard]] PlaneRoutes routes(const Graph& graph, const Faults& faults, NodeId from,
                                     NodeId to) const;

    /// Whether some pair of NPUs may have planes; exact where it takes few pairs to find out.
    [[nodiscard]] bool any(const Graph& graph) const;

    [[nodiscard]] const GraphRouter& router() const { return *router_; }

private:
    /// Routes over switches, or over the links that are parallel to those of the router's route.
    [[nodiscard]] PlaneRoutes disjoint_routes(const Graph& graph, const Faults& faults, NodeId from,
                                              NodeId to, bool bundles) const;
    void list_steps(const Graph& graph, const Faults& faults, NodeId at, NodeId to, bool bundles,
                    const std::vector<Hop>& route, std::vector<LinkId>& steps) const;
    [[nodiscard]] bool may_have(const Graph& graph, const std::vector<LinkId>& ports) const;

    std::shared_ptr<const GraphRouter> router_;
    bool all_switches_;
};

/// What packets do where the routing is not named: those of a message take its planes in turn, and
/// stay on them. A message without planes follows the router's route.
class PlaneNextHops : public MultipathRouter {
public:
    /// `faults` as in Planes::routes().
    PlaneNextHops(std::shared_ptr<const Planes> planes, Faults faults)
        : planes_(std::move(planes)), faults_(std::move(faults)) {}

    void list_next_hops(const Graph& graph, const PacketPlace& place,
                        std::vector<OfferedHop>& next_hops) const override;
    [[nodiscard]] bool is_oblivious() const override { return true; }
    [[nodiscard]] std::uint8_t virtual_channels_needed() const override {
        return planes_->router().virtual_channels_needed();
    }
    /// Of the router, and that packets use planes.
    [[nodiscard]] std::string name() const override;

private:
    [[nodiscard]] const PlaneRoutes& routes(const Graph& graph, NodeId from, NodeId to) const;

    std::shared_ptr<const Planes> planes_;
    Faults faults_;
    mutable std::mutex mutex_;
    /// By source, then destination; rows are empty until asked for, routes null.
    mutable std::vector<std::vector<std::unique_ptr<const PlaneRoutes>>> known_;
};

}  // namespace npunet::topology
