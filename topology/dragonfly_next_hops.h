// UGAL on dragonflies: each packet takes the minimal route, or a route over one other group if that
// is estimated to be faster (Singh, "Load-balanced routing in interconnection networks", PhD
// thesis, Stanford, 2005; with local information only: UGAL-L of Kim, Dally, Scott and Abts, ISCA
// 2008).
//
//     network.multipath = std::make_shared<DragonflyNextHops>(shape);
//
// The source's router weights the first link of the minimal route by the number of links between
// routers on that route, and the first link of the route over a randomly drawn third group by the
// number on that one. From then on the route is fixed: to a group by a local link, if needed, and
// the global link; in the destination's group by the local link to the destination's router.
//
// Virtual channels: a local link uses channel 0, 1 or 2 after as many global links, a global link 0
// or 1. A packet never returns to a lower channel, and on one channel takes a local link, then a
// global one, so three channels keep channel dependencies acyclic.
//
// C++17-clean: reached from ns-3 scenario scripts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "topology/dragonfly.h"
#include "topology/multipath.h"

namespace npunet::topology {

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
