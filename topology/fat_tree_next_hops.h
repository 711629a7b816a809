// Packets on fat trees by any of the equal up-links: sprayed, or by the one that is free soonest.
//
//     network.multipath = std::make_shared<FatTreeNextHops>(shape, Spread::Spray);
//
// A packet goes up only as far as it must; every up-link leads to a switch from which the
// destination is below, and there is one way down. No channel below waits for one above, so one
// virtual channel suffices whatever is chosen.
//
// C++17-clean: reached from ns-3 scenario scripts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "topology/fat_tree.h"
#include "topology/multipath.h"

namespace npunet::topology {

/// Replaces the content of `ways` by the ways on from a switch of a tree towards host `to`. The
/// switch is given by its place among the tree's switches (leaves, aggregation switches, top), the
/// tree by the first of its links.
void list_fat_tree_next_hops(const FatTreeShape& shape, std::int64_t tree_switch, std::int64_t to,
                             std::int64_t first_link, std::vector<OfferedHop>& next_hops);

class FatTreeNextHops : public MultipathRouter {
public:
    FatTreeNextHops(const FatTreeShape& shape, Spread spread) : shape_(shape), spread_(spread) {}

    void list_next_hops(const Graph& graph, const PacketPlace& place,
                        std::vector<OfferedHop>& next_hops) const override;
    [[nodiscard]] bool is_oblivious() const override { return spread_ == Spread::Spray; }
    [[nodiscard]] std::uint8_t virtual_channels_needed() const override { return 1; }
    [[nodiscard]] std::string name() const override { return name_of(spread_); }

private:
    FatTreeShape shape_;
    Spread spread_;
};

}  // namespace npunet::topology
