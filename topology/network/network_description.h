// What a network.yml says, read once and used by every fidelity: the graph, its dimensions, the
// placement of ranks, the parameters of the packet machine, the faults, and the routes.
//
//     // read_network() is in topology/yaml/network_reader.h.
//     NetworkDescription network = read_network("net.yml", GigaByte::Decimal);
//     std::vector<Hop> hops = network.route(NodeId{1}, NodeId{7});
//
// C++17-clean: reached from ns-3 scenario scripts.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/quantities.h"
#include "topology/graph/dimension.h"
#include "topology/graph/graph.h"
#include "topology/network/faults.h"
#include "topology/network/planes.h"
#include "topology/network/reducing_switch.h"
#include "topology/network/tiers.h"
#include "topology/parameters/packet_parameters.h"
#include "topology/routing/multipath.h"
#include "topology/routing/router.h"

namespace npunet::topology {

struct ScaleUp;

/// What GB/s means in `bandwidth`: 10^9 (npunet) or 2^30 (the astra-sim dialects) bytes per second.
enum class GigaByte : std::uint8_t { Decimal, Binary };

class NetworkDescription {
public:
    Graph graph;
    std::string file;                   ///< it was read from, for messages; empty for others
    std::string name;                   ///< "Mesh2D", "Ring x Switch", ... for people
    std::vector<Dimension> dimensions;  ///< empty for networks without dimensions
    /// The hierarchy, from the inside to the outside; empty where there is none to be seen. The
    /// last tier has one block.
    std::vector<Tier> tiers;
    std::vector<NodeId> npu_of_rank;  ///< the placement: all NPUs, or those of a job
    /// Switches that reduce and multicast, by node.
    std::vector<ReducingSwitch> reducing_switches;
    PacketParameters packet;
    /// Links that have credits beside those with the flow control of `packet`
    /// (topology/network/scale_up.h). Null where `packet` holds for all.
    std::shared_ptr<const ScaleUp> scale_up;
    Faults faults;
    /// The routes of a network without dimensions, and of a product that is not routed in dimension
    /// order; else null.
    std::shared_ptr<const Router> router;
    /// How packets choose among several next hops, in the packet fidelity. Null where every pair
    /// of NPUs has one path.
    std::shared_ptr<const MultipathRouter> multipath;
    /// Which parallel planes a message uses together (topology/network/planes.h). Null where every
    /// message takes one route.
    std::shared_ptr<const Planes> planes;

    /// The path from one NPU to another, empty when they are the same. A pure function of the
    /// description: dimensions in ascending order, the larger coordinate on ties round a ring,
    /// virtual channel 1 from the dateline of a ring to its end and 0 elsewhere (rings of up to
    /// three NPUs keep to channel 0: their routes are one hop). Where there is a router, what it
    /// says. With `multipath` it is one of the paths. Both NPUs exist. One of the two may be a
    /// switch to which the other has a link: then it is the first such link.
    [[nodiscard]] std::vector<Hop> route(NodeId from, NodeId to) const;

    /// The routes of the pair's planes over which a message is divided, at least one; route() alone
    /// where it has no planes. Different NPUs that exist.
    [[nodiscard]] PlaneRoutes routes(NodeId from, NodeId to) const;

    /// The least number of virtual channels with which the routing is free of deadlock: what
    /// `multipath` says where there is one, else what the router says, else dimension order needs:
    /// 2 on a network with a ring of more than three NPUs, else 1. One more where faults take links
    /// down, for routes around them (topology/network/reroutes.h).
    [[nodiscard]] std::uint8_t virtual_channels_needed() const;

    /// The routing as network.yml calls it: "dimension-order", "up-down", "minimal", ...
    [[nodiscard]] std::string routing_name() const;

    /// How many virtual channels each port has for a traffic class: packet.virtual_channels, or as
    /// many as needed.
    [[nodiscard]] std::uint8_t virtual_channels() const;

    /// The packet parameters of a link: those of `scale_up` where it is one of its links.
    [[nodiscard]] const PacketParameters& packet_of(LinkId link) const;

    /// Room per virtual channel (of each traffic class) at the input port that the link leads to:
    /// the buffer of packet_of(link), or, where that is automatic, the larger of 256 KiB and 2 x
    /// latency x rate + 4 (mtu + header).
    [[nodiscard]] Bytes buffer_of(LinkId link) const;

    /// The room that packets in a node share, without the headroom of pauses: packet.buffer or, if
    /// that is automatic, the sum over the incoming links of the larger of buffer_of() and 128 KiB
    /// for each 25 Gb/s (as in switch chips: 64 x 400 Gb/s with 113 MB, 32 x 400 Gb/s with 64 MB).
    /// Links of `scale_up` have room of their own.
    [[nodiscard]] Bytes shared_buffer_of(NodeId node) const;

    /// The same network for a job that has some of its NPUs: rank r runs on npus[r]. Links, routes
    /// and faults stay those of all; switches reduce where all NPUs that reach them over switches
    /// are the job's, as jobs do not know each other's reductions. At least one, different ones,
    /// that exist.
    [[nodiscard]] NetworkDescription with_placement(std::vector<NodeId> npus) const;

    /// Coordinate of an NPU in a dimension: (npu / product of lower sizes) mod size.
    [[nodiscard]] std::int32_t coordinate(NodeId npu, std::size_t dimension) const;

private:
    [[nodiscard]] std::uint8_t channels_of_routes() const;
};

}  // namespace npunet::topology
