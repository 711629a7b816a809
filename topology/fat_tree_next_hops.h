// Multipath routing on fat trees over all equal-cost up-links: sprayed, or by the link that is free
// soonest.
//
//     network.multipath = std::make_shared<FatTreeNextHops>(shape, Spread::Spray);
//
// A packet goes up only as far as it must; every up-link leads towards a switch above the
// destination, and there is one route down. Down-channels never wait for up-channels, so one
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

/// Replaces the content of `next_hops` by the next hops from a switch of a tree towards host `to`.
/// The switch is given by its index among the tree's switches (leaves, aggregation switches, top),
/// the tree by the first of its links.
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
