// SPDX-License-Identifier: GPL-2.0-only

#ifndef NPU_ANIM_WRITER_H
#define NPU_ANIM_WRITER_H

#include "ns3/npu-fabric.h"

#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup npunet
 * Writes the topology of a fabric as an XML file that NetAnim opens: nodes with their names, laid
 * out as suits the topology, and cables with rate and delay.
 *
 *     NpuAnimWriter::Write("torus.xml", helper.GetFabric());
 *
 * ns-3's own AnimationInterface cannot: it knows channels by the names of their types and writes
 * the links of point-to-point, CSMA and some wireless channels only, and a module cannot add its
 * own; it also takes each device to have one channel. The elements are NetAnim's: `node` (id, locX,
 * locY), `nu` with p="d" (description of a node) and `link` (fromId, toId, ld). Packets are not
 * animated.
 */
class NpuAnimWriter
{
  public:
    /// Where a node is drawn; y grows downwards.
    struct Position
    {
        double x{0}; //!< to the right
        double y{0}; //!< downwards
    };

    /**
     * Products stand at their coordinates, dimensions 0, 2, ... to the right and 1, 3, ...
     * downwards, a single dimension other than Mesh1D in a circle; their switches in the middle of
     * what they join. Dragonflies are circles of routers and of NPUs. Everything else has the NPUs
     * in the lowest row and switches higher, the further away they are from NPUs.
     * @param network a network
     * @return by node, no two of them at one place
     */
    static std::vector<Position> Layout(const npunet::topology::NetworkDescription& network);

    /**
     * @param path of the file, which is written whole or not at all
     * @param fabric with its devices
     *
     * Throws npunet::MachineError where the file cannot be written.
     */
    static void Write(const std::string& path, Ptr<const NpuFabric> fabric);
};

} // namespace ns3

#endif /* NPU_ANIM_WRITER_H */
