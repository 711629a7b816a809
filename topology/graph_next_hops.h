// Multipath routing on any graph over all shortest paths: sprayed, or by the link that is free
// soonest. The layers of a GraphRouter (virtual channels) are assigned to destinations and have
// acyclic channel dependencies whichever shortest paths are taken, so they apply here too.
//
//     network.multipath = std::make_shared<GraphNextHops>(router, Spread::Spray);
//
// C++17-clean: reached from ns-3 scenario scripts.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "topology/graph_router.h"
#include "topology/multipath.h"

namespace npunet::topology {

class GraphNextHops : public MultipathRouter {
public:
    /// `paths`: of GraphRoutes::Ecmp, with layers assigned if it needs any.
    GraphNextHops(std::shared_ptr<const GraphRouter> paths, Spread spread)
        : paths_(std::move(paths)), spread_(spread) {}

    void list_next_hops(const Graph& graph, const PacketPlace& place,
                        std::vector<OfferedHop>& next_hops) const override;
    [[nodiscard]] bool is_oblivious() const override { return spread_ == Spread::Spray; }
    [[nodiscard]] std::uint8_t virtual_channels_needed() const override {
        return paths_->virtual_channels_needed();
    }
    [[nodiscard]] std::string name() const override { return name_of(spread_); }

private:
    std::shared_ptr<const GraphRouter> paths_;
    Spread spread_;
};

}  // namespace npunet::topology
