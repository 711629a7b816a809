// What a network.yml says, read once and used by every fidelity: the graph, its dimensions, the
// placement of ranks, the parameters of the packet machine, the faults, and the routes.
//
//     NetworkDescription network = read_network("net.yml", GigaByte::Decimal);  // network_reader.h
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
#include "topology/congestion_control.h"
#include "topology/dimension.h"
#include "topology/faults.h"
#include "topology/graph.h"
#include "topology/hop.h"
#include "topology/multipath.h"
#include "topology/router.h"
#include "topology/traffic_classes.h"
#include "topology/transport_parameters.h"

namespace npunet::topology {

/// What GB/s means in `bandwidth`: 10^9 (npunet) or 2^30 (the astra-sim dialects) bytes per second.
enum class GigaByte : std::uint8_t { Decimal, Binary };

enum class Routing : std::uint8_t { DimensionOrder, ShortestPath };

/// When a packet may leave a node on its way: when all of it is in, or when its header is.
enum class Switching : std::uint8_t { StoreAndForward, CutThrough };

/// Which of the packets that could leave by a port goes first.
enum class Arbitration : std::uint8_t { RoundRobin, Oldest };

/// Parameters of the packet fidelity (docs/inputs.md): those of networks with credits, and, at the
/// end, those of networks with Ethernet-like switches.
struct PacketParameters {
    Bytes mtu{4096};   ///< payload bytes per packet, at least 1
    Bytes header{64};  ///< bytes on the wire besides the payload
    /// 0 = automatic. With credits per input port and virtual channel; without them the room that
    /// all packets in a node share.
    Bytes buffer{0};
    std::uint8_t virtual_channels = 0;  ///< of each class; 0 = as many as the routing needs
    TrafficClasses classes;             ///< each with virtual channels, and buffers, of its own
    Switching switching = Switching::StoreAndForward;
    Arbitration arbitration = Arbitration::RoundRobin;
    /// Of a packet to be corrupted each time that it crosses a link; from 0 to below 1. Such links
    /// check whole packets: Switching::StoreAndForward only.
    double error_rate = 0;
    std::uint64_t seed = 1;        ///< of what is drawn, and of hashes that spread routes
    bool queue_histogram = false;  ///< keep engine::LinkUse::queue_times
    /// How many packets at most leave one input port of a node at a time; 0: any number.
    std::uint8_t speedup = 0;
    /// Of a port of each NPU for injection and ejection, which with_injection() makes
    /// (topology/injection.h); 0: none.
    Rate injection;

    FlowControl flow_control = FlowControl::Credit;
    TransportParameters transport;
    EcnParameters ecn;
    SharedBufferParameters shared_buffer;
    CongestionControlChoice congestion_control;  ///< of the transport's senders
};

class ShortestPaths;

class NetworkDescription {
public:
    Graph graph;
    std::string file;                   ///< it was read from, for messages; empty for others
    std::string name;                   ///< "Mesh2D", "Ring x Switch", ... for people
    std::vector<Dimension> dimensions;  ///< empty for networks without dimensions
    std::vector<NodeId> npu_of_rank;    ///< the placement: all NPUs, or those of a job
    Routing routing = Routing::DimensionOrder;
    PacketParameters packet;
    Faults faults;
    /// The routes of Routing::ShortestPath (topology/shortest_paths.h); null otherwise.
    std::shared_ptr<ShortestPaths> shortest_paths;
    /// The routes of a network without dimensions, unless its routing is Routing::ShortestPath;
    /// null for products.
    std::shared_ptr<const Router> router;
    /// Where packets choose among several ways: how, in the packet fidelity. Null where every pair
    /// of NPUs has one path.
    std::shared_ptr<const MultipathRouter> multipath;

    /// The path from one NPU to another, empty when they are the same. A pure function of the
    /// description: dimensions in ascending order, the larger coordinate on ties round a ring,
    /// virtual channel 1 from the dateline of a ring to its end and 0 elsewhere (rings of up to
    /// three NPUs keep to channel 0: their routes are one hop). Routing::ShortestPath: the fewest
    /// links, the lowest link number among equals, channel 0. Networks without dimensions: what
    /// their router says. With `multipath` it is one of the paths. Both NPUs exist.
    [[nodiscard]] std::vector<Hop> route(NodeId from, NodeId to) const;

    /// The least number of virtual channels with which the routing is free of deadlock: 2 for
    /// dimension order on a network with a ring of more than three NPUs, what the router says on
    /// networks without dimensions, 1 for everything else; where there is one, what `multipath`
    /// says. One more where faults take links down, for the ways round them (topology/reroutes.h).
    [[nodiscard]] std::uint8_t virtual_channels_needed() const;

    /// The routing as network.yml calls it: "dimension-order", "up-down", "minimal", ...
    [[nodiscard]] std::string routing_name() const;

    /// How many virtual channels each port has for a traffic class: packet.virtual_channels, or as
    /// many as needed.
    [[nodiscard]] std::uint8_t virtual_channels() const;

    /// Room per virtual channel (of each traffic class) at the input port that the link leads to:
    /// packet.buffer, or, where that is automatic, the larger of 256 KiB and 2 x latency x rate + 4
    /// (mtu + header).
    [[nodiscard]] Bytes buffer_of(LinkId link) const;

    /// The room that packets in a node share, without the headroom of pauses: packet.buffer or, if
    /// that is automatic, the sum over the incoming links of the larger of buffer_of() and 128 KiB
    /// for each 25 Gb/s (as in switch chips: 64 x 400 Gb/s with 113 MB, 32 x 400 Gb/s with 64 MB).
    [[nodiscard]] Bytes shared_buffer_of(NodeId node) const;

    /// The same network for a job that has some of its NPUs: rank r runs on npus[r]. Links, routes
    /// and faults stay those of all. At least one, different ones, that exist.
    [[nodiscard]] NetworkDescription with_placement(std::vector<NodeId> npus) const;

    /// Coordinate of an NPU in a dimension: (npu / product of lower sizes) mod size.
    [[nodiscard]] std::int32_t coordinate(NodeId npu, std::size_t dimension) const;

private:
    [[nodiscard]] std::uint8_t channels_of_routes() const;
};

}  // namespace npunet::topology
