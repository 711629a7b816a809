// UGAL on dragonflies: each packet goes the minimal way, or over one other group when that promises
// to be faster (Singh, "Load-balanced routing in interconnection networks", PhD thesis, Stanford,
// 2005; with what the source's router knows: UGAL-L of Kim, Dally, Scott and Abts, ISCA 2008).
//
//     network.multipath = std::make_shared<DragonflyNextHops>(shape);
//
// The router of the source weighs the first link of the minimal way with the number of links
// between routers on it, and the first link of the way over a third group, drawn at random, with
// the number on that way. From then on the way is fixed: to a group over its global link, with the
// local link before it; in the destination's group by the local link to its router.
//
// Virtual channels: local links 0, 1 and 2 after as many global ones, global links 0 and 1. A
// packet never goes back to a lower channel, and of one channel it takes a local link, then a
// global one: three channels, no circle.
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
    /// To a group: the way, and how many links between routers it has.
    struct Leg {
        OfferedHop next_hop;
        std::int64_t links = 0;
        std::int64_t enters_at = 0;  ///< the router's place in that group
    };
    [[nodiscard]] Leg leg_to(std::int64_t router, std::int64_t group, std::uint8_t globals,
                             std::uint64_t drawn) const;
    [[nodiscard]] Hop local_hop(std::int64_t router, std::int64_t place,
                                std::uint8_t globals) const;

    DragonflyShape shape_;
};

}  // namespace npunet::topology
