// What a network.yml says, read once and used by every fidelity: the graph, its dimensions, the
// placement of ranks, the parameters of the packet machine, and the routes.
//
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
#include "topology/dimension.h"
#include "topology/graph.h"
#include "topology/hop.h"

namespace npunet::topology {

/// What GB/s means in `bandwidth`: 10^9 (npunet) or 2^30 (the astra-sim dialects) bytes per second.
enum class GigaByte : std::uint8_t { Decimal, Binary };

enum class Routing : std::uint8_t { DimensionOrder, ShortestPath };

/// The packet machine's parameters (design: "The packet machine, exactly").
struct PacketParameters {
    Bytes mtu{4096};                    ///< payload bytes per packet, at least 1
    Bytes header{64};                   ///< bytes on the wire besides the payload
    Bytes buffer{0};                    ///< per input port and virtual channel; 0 = automatic
    std::uint8_t virtual_channels = 0;  ///< 0 = as many as the routing needs
};

class NetworkDescription {
public:
    Graph graph;
    std::string name;                   ///< "Mesh2D", "Ring x Switch", ... for people
    std::vector<Dimension> dimensions;  ///< empty for networks without dimensions
    std::vector<NodeId> npu_of_rank;    ///< the placement
    Routing routing = Routing::DimensionOrder;
    PacketParameters packet;

    /// The path from one NPU to another, empty when they are the same. A pure function of the
    /// description: dimensions in ascending order, the larger coordinate on ties round a ring,
    /// virtual channel 1 from the dateline of a ring to its end and 0 elsewhere.
    [[nodiscard]] std::vector<Hop> route(NodeId from, NodeId to) const;

    /// The least number of virtual channels with which the routing is free of deadlock.
    [[nodiscard]] std::uint8_t virtual_channels_needed() const;

    /// Coordinate of an NPU in a dimension: (npu / product of lower sizes) mod size.
    [[nodiscard]] std::int32_t coordinate(NodeId npu, std::size_t dimension) const;
};

/// Reads a network.yml. Throws InputError (file, line, field) for anything that is not understood.
/// Unknown keys are errors, or, with `tolerant` (the astra-sim dialects), go to `warnings`.
[[nodiscard]] NetworkDescription read_network(const std::string& path, GigaByte gigabyte,
                                              bool tolerant = false,
                                              std::vector<std::string>* warnings = nullptr);

}  // namespace npunet::topology
