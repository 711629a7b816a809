/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NPU_PROGRAM_RUN_H
#define NPU_PROGRAM_RUN_H

#include "engine/link_load.h"
#include "engine/simulator_run.h"
#include "engine/system_config.h"
#include "engine/workload.h"
#include "topology/network_description.h"

namespace ns3
{

/**
 * @ingroup npunet
 * Runs a workload in ns-3's simulator as a scenario script does: NpuFabricHelper makes nodes,
 * devices and channels, an NpuChakraWorkload runs on them, and Simulator::Run() in the middle. For
 * `npunet simulate --simulator ns3`; needs no ns-3 header. Not installed.
 * @param workload one program per rank
 * @param network without packet.injection
 * @param system how the NPUs compute
 * @param load is told when links are busy; may be null
 * @return what the engine's own run gives
 *
 * Throws npunet::StallError when the workload cannot finish, and npunet::InputError.
 */
npunet::engine::SimulatorRun RunNpuProgram(const npunet::engine::Workload& workload,
                                           const npunet::topology::NetworkDescription& network,
                                           const npunet::engine::SystemConfig& system,
                                           npunet::engine::LinkLoadRecorder* load);

} // namespace ns3

#endif /* NPU_PROGRAM_RUN_H */
