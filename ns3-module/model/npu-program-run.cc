/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "npu-program-run.h"

#include "npu-chakra-workload.h"
#include "npu-fabric.h"

#include "helper/npu-fabric-helper.h"

#include <ns3/node-container.h>
#include <ns3/simulator.h>

namespace ns3
{

namespace
{

/// Brings the simulator back to its start however the run ends.
class SimulatorReset
{
  public:
    SimulatorReset() = default;

    ~SimulatorReset()
    {
        Simulator::Destroy();
    }

    SimulatorReset(const SimulatorReset&) = delete;
    SimulatorReset& operator=(const SimulatorReset&) = delete;
};

} // namespace

npunet::engine::SimulatorRun
RunNpuProgram(const npunet::engine::Workload& workload,
              const npunet::topology::NetworkDescription& network,
              const npunet::engine::SystemConfig& system,
              npunet::engine::LinkLoadRecorder* load)
{
    NpuFabricHelper::UsePicoseconds();
    const SimulatorReset reset;
    NpuFabricHelper helper;
    helper.SetNetwork(network);
    helper.Install(helper.CreateNpus());
    const Ptr<NpuFabric> fabric = helper.GetFabric();
    fabric->GetNetwork().record_load(load);

    const auto training = CreateObject<NpuChakraWorkload>();
    training->Install(fabric, workload, system);
    Simulator::ScheduleWithContext(
        Simulator::NO_CONTEXT, Time(0), &NpuChakraWorkload::Start, training);
    Simulator::Run();
    return {training->GetResults(), fabric->GetNetwork().queue_pair_limits()};
}

} // namespace ns3
