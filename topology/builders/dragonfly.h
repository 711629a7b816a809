// A dragonfly (Kim, Dally, Scott and Abts, "Technology-driven, highly-scalable dragonfly topology",
// ISCA 2008): groups of `a` routers, fully connected within; each router has p NPUs and h links to
// other groups.
//
//     DragonflyShape shape{4, 2, 2, 9};                    // 72 NPUs
//     NetworkDescription network = make_dragonfly(shape, {npu, local, global});
//
// Global links: port q of a group (0 .. a h - 1) belongs to its router q / h. With g groups the
// ports come in floor(a h / (g - 1)) rounds of g - 1; in round t port t (g - 1) + o - 1 leads from
// group i to group i + o mod g, where it ends at port t (g - 1) + g - o - 1. With g = a h + 1 that
// is one link between any two groups ("palm tree": Camarero, Vallejo and Beivide, "Topological
// characterization of Hamming and dragonfly networks and its implications on routing", ACM TACO 11,
// 2014). Ports left over by the last round are not used.
//
// Minimal routes: to the router with the global link, over it, to the destination's router; of
// several global links between two groups the one with the shortest route, and among equals the
// (s + d mod number)-th, s and d being the places of the NPUs in their groups.
//
// Virtual channels: 0 up to the global link and on it, 1 on the local link behind it. So local
// links of channel 0 wait for global links, those for local links of channel 1, those for NPUs.
//
// C++17-clean: reached from ns-3 scenario scripts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "topology/graph/graph.h"
#include "topology/network/network_description.h"
#include "topology/routing/multipath.h"
#include "topology/routing/router.h"

namespace npunet::topology {

struct DragonflyShape {
    std::int64_t a = 1;  ///< routers of a group
    std::int64_t p = 1;  ///< NPUs of a router
    std::int64_t h = 0;  ///< global links of a router
    std::int64_t groups = 1;

    [[nodiscard]] std::int64_t npus() const { return groups * a * p; }
    /// Global links between two groups; 0 with one group.
    [[nodiscard]] std::int64_t rounds() const { return groups > 1 ? a * h / (groups - 1) : 0; }
    /// Directed links within a group, and those that leave it.
    [[nodiscard]] std::int64_t local_links() const { return a * (a - 1); }
    [[nodiscard]] std::int64_t global_links() const { return rounds() * (groups - 1); }
    [[nodiscard]] std::int64_t links() const {
        return 2 * npus() + groups * (local_links() + global_links());
    }
    /// The port in the other group where a global link of that port ends.
    [[nodiscard]] std::int64_t far_port(std::int64_t port) const {
        return port / (groups - 1) * (groups - 1) + (groups - 2 - port % (groups - 1));
    }
    /// The place among a group's local links of the one from its router r to its router s.
    [[nodiscard]] std::int64_t local_place(std::int64_t r, std::int64_t s) const {
        return r * (a - 1) + (s > r ? s - 1 : s);
    }
};

class DragonflyRouter : public Router {
public:
    explicit DragonflyRouter(const DragonflyShape& shape);

    [[nodiscard]] std::vector<Hop> route(const Graph& graph, NodeId from, NodeId to) const override;
    [[nodiscard]] std::uint8_t virtual_channels_needed() const override { return channels_; }
    [[nodiscard]] std::string name() const override { return "minimal"; }

private:
    [[nodiscard]] std::vector<Hop> hops(std::int64_t from, std::int64_t to) const;
    [[nodiscard]] std::int64_t port_towards(std::int64_t from, std::int64_t to) const;
    [[nodiscard]] bool one_channel_suffices() const;

    DragonflyShape shape_;
    std::uint8_t channels_ = 2;
};

/// NPU i has the place i mod p at router i / p; router r the place r mod a in group r / a. Speeds:
/// of the NPUs' links, the local ones, the global ones.
[[nodiscard]] NetworkDescription make_dragonfly(const DragonflyShape& shape,
                                                const std::vector<LinkSpeed>& speeds);

/// UGAL on dragonflies: each packet takes the minimal route, or a route over one other group if
/// that is estimated to be faster (Singh, "Load-balanced routing in interconnection networks", PhD
/// thesis, Stanford, 2005; with local information only: UGAL-L of Kim, Dally, Scott and Abts, ISCA
/// 2008).
///
///     network.multipath = std::make_shared<DragonflyNextHops>(shape);
///
/// The source's router weights the first link of the minimal route by the number of links between
/// routers on that route, and the first link of the route over a randomly drawn third group by the
/// number on that one. From then on the route is fixed: to a group by a local link, if needed, and
/// the global link; in the destination's group by the local link to the destination's router.
///
/// Virtual channels: a local link uses channel 0, 1 or 2 after as many global links, a global link
/// 0 or 1. A packet never returns to a lower channel, and on one channel takes a local link, then a
/// global one, so three channels keep channel dependencies acyclic.
class DragonflyNextHops : public MultipathRouter {
public:
    explicit DragonflyNextHops(const DragonflyShape& shape) : shape_(shape) {}

    void list_next_hops(const Graph& graph, const PacketPlace& place,
                        std::vector<OfferedHop>& next_hops) const override;
    [[nodiscard]] bool is_oblivious() const override { return false; }
    [[nodiscard]] std::uint8_t virtual_channels_needed() const override { return 3; }
    [[nodiscard]] std::string name() const override { return "ugal"; }

private:
    /// The route to a group, and how many links between routers it has.
    struct Leg {
        OfferedHop next_hop;
        std::int64_t links = 0;
        std::int64_t enters_at = 0;  ///< index of the entry router in that group
    };
    [[nodiscard]] Leg leg_to(std::int64_t router, std::int64_t group, std::uint8_t globals,
                             std::uint64_t drawn) const;
    [[nodiscard]] Hop local_hop(std::int64_t router, std::int64_t place,
                                std::uint8_t globals) const;

    DragonflyShape shape_;
};

}  // namespace npunet::topology
