// Multipath routing on rails over all equal-cost up-links (topology/fat_tree_next_hops.h). Within
// servers packets take the routes of RailRouter.
//
//     network.multipath = std::make_shared<RailNextHops>(shape, Spread::Adaptive);
//
// C++17-clean: reached from ns-3 scenario scripts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "topology/multipath.h"
#include "topology/rail.h"

namespace npunet::topology {

class RailNextHops : public MultipathRouter {
public:
    RailNextHops(const RailShape& shape, Spread spread)
        : shape_(shape), spread_(spread), fixed_(shape, UpLinks::ByDestination, 0) {}

    void list_next_hops(const Graph& graph, const PacketPlace& place,
                        std::vector<OfferedHop>& next_hops) const override;
    [[nodiscard]] bool is_oblivious() const override { return spread_ == Spread::Spray; }
    [[nodiscard]] std::uint8_t virtual_channels_needed() const override { return 1; }
    [[nodiscard]] std::string name() const override { return name_of(spread_); }

private:
    RailShape shape_;
    Spread spread_;
    RailRouter fixed_;
};

}  // namespace npunet::topology
