// SPDX-License-Identifier: GPL-2.0-only

#ifndef NPU_PROGRAM_RUN_H
#define NPU_PROGRAM_RUN_H

#include "engine/network/link_load.h"
#include "engine/simulation/simulator_run.h"
#include "topology/network/network_description.h"

#include <vector>

namespace ns3
{

/**
 * @ingroup npunet
 * Runs workloads in ns-3's simulator as a scenario script does: NpuFabricHelper makes nodes,
 * devices and channels, NpuChakraWorkloads run on them, and Simulator::Run() in the middle. For
 * `npunet simulate --simulator ns3`; needs no ns-3 header. Not installed.
 * @param jobs the workloads, in the order in which those that start at the same time begin
 * @param network without packet.injection
 * @param fastForward attribute Trains of the fabric
 * @param load is told when links are busy; may be null
 * @return what the engine's own run gives
 *
 * Throws npunet::InputError.
 */
npunet::engine::SimulatorRun RunNpuProgram(const std::vector<npunet::engine::SimulatorJob>& jobs,
                                           const npunet::topology::NetworkDescription& network,
                                           bool fastForward,
                                           npunet::engine::LinkLoadRecorder* load);

} // namespace ns3

#endif /* NPU_PROGRAM_RUN_H */
