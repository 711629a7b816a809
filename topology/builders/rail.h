// Servers of NPUs with a fat tree of its own, a rail, for each place in a server.
//
//     RailShape rail{8, DimensionKind::Switch, shape_of_one_rail};     // 8 NPUs a server
//     NetworkDescription network = make_rail(rail, scale_up, scale_out);
//
// NPU s g + j has the place j in server s of g NPUs. Within a server a clique or a switch joins the
// NPUs (scale-up); rail j joins the NPUs with place j of all servers (scale-out), server s being
// its host s. Between places j and k of different servers a message first goes to the NPU with
// place k of its own server, then by rail k: the way of NCCL's PXN ("PCI x NVLink"). Scale-up links
// wait for rails and never rails for scale-up links, so one virtual channel suffices.
//
// C++17-clean: reached from ns-3 scenario scripts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "topology/builders/fat_tree.h"
#include "topology/graph/dimension.h"
#include "topology/graph/graph.h"
#include "topology/network/network_description.h"
#include "topology/routing/multipath.h"
#include "topology/routing/router.h"

namespace npunet::topology {

struct RailShape {
    std::int64_t npus_per_server = 1;
    DimensionKind scale_up = DimensionKind::Switch;  ///< Switch or FullyConnected
    FatTreeShape rail;                               ///< its npus: the servers

    [[nodiscard]] std::int64_t servers() const { return rail.npus; }
    [[nodiscard]] std::int64_t npus() const { return servers() * npus_per_server; }
    /// The links and switches of the scale-up of one server.
    [[nodiscard]] std::int64_t server_links() const;
    [[nodiscard]] std::int64_t server_switches() const;
    [[nodiscard]] std::int64_t switches() const {
        return servers() * server_switches() + npus_per_server * rail.switches();
    }
    [[nodiscard]] std::int64_t links() const {
        return servers() * server_links() + npus_per_server * rail.links();
    }
};

class RailRouter : public Router {
public:
    RailRouter(const RailShape& shape, UpLinks up_links, std::uint64_t seed)
        : shape_(shape), up_links_(up_links), seed_(seed) {}

    [[nodiscard]] std::vector<Hop> route(const Graph& graph, NodeId from, NodeId to) const override;
    [[nodiscard]] std::uint8_t virtual_channels_needed() const override { return 1; }
    [[nodiscard]] std::string name() const override { return name_of(up_links_); }

private:
    RailShape shape_;
    UpLinks up_links_;
    std::uint64_t seed_;
};

/// `scale_out`: one speed a level of the rails.
[[nodiscard]] NetworkDescription make_rail(const RailShape& shape, const LinkSpeed& scale_up,
                                           const std::vector<LinkSpeed>& scale_out);

/// Multipath routing on rails over all equal-cost up-links of the fat trees. Within servers packets
/// take the routes of RailRouter.
///
///     network.multipath = std::make_shared<RailNextHops>(shape, Spread::Adaptive);
class RailNextHops : public EqualCostRouter {
public:
    RailNextHops(const RailShape& shape, Spread spread)
        : EqualCostRouter(spread),
          shape_(shape),
          switches_(shape.rail),
          fixed_(shape, UpLinks::ByDestination, 0) {}

    void list_next_hops(const Graph& graph, const PacketPlace& place,
                        std::vector<OfferedHop>& next_hops) const override;
    [[nodiscard]] std::uint8_t virtual_channels_needed() const override { return 1; }

private:
    RailShape shape_;
    FatTreeSwitches switches_;
    RailRouter fixed_;
};

}  // namespace npunet::topology
