// SPDX-License-Identifier: GPL-2.0-only

#include "npu-program-run.h"

#include "npu-chakra-workload.h"
#include "npu-fabric.h"
#include "npu-quantities.h"

#include "helper/npu-fabric-helper.h"

#include "base/errors.h"
#include "engine/network/named_errors.h"

#include <ns3/boolean.h>
#include <ns3/node-container.h>
#include <ns3/simulator.h>

#include <utility>

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
RunNpuProgram(const std::vector<npunet::engine::SimulatorJob>& jobs,
              const npunet::topology::NetworkDescription& network,
              bool fastForward,
              npunet::engine::LinkLoadRecorder* load)
{
    // Its fabric has routers, whose links would count in the bounds of collectives.
    if (npunet::Rate() < network.packet.injection)
    {
        throw npunet::InputError({network.file,
                                  "packet.injection",
                                  "given",
                                  "no such key with --simulator ns3",
                                  "Leave out one of the two"});
    }
    NpuFabricHelper::UsePicoseconds();
    const SimulatorReset reset;
    NpuFabricHelper helper;
    helper.SetNetwork(network);
    helper.SetFabricAttribute("Trains", BooleanValue(fastForward));
    helper.Install(helper.CreateNpus());
    const Ptr<NpuFabric> fabric = helper.GetFabric();
    fabric->GetNetwork().record_load(load);

    std::vector<Ptr<NpuChakraWorkload>> workloads;
    for (const npunet::engine::SimulatorJob& job : jobs)
    {
        const auto workload = CreateObject<NpuChakraWorkload>();
        npunet::engine::naming_errors(
            job.title, [&] { workload->Install(fabric, job.workload, job.system, job.npus); });
        Simulator::ScheduleWithContext(
            Simulator::NO_CONTEXT, TimeOf(job.start), &NpuChakraWorkload::Start, workload);
        workloads.push_back(workload);
    }
    Simulator::Run();

    npunet::engine::SimulatorRun run;
    for (const Ptr<NpuChakraWorkload>& workload : workloads)
    {
        npunet::engine::SimulatorRun::Outcome outcome;
        try
        {
            outcome.results = workload->GetResults();
        }
        catch (const npunet::StallError& error)
        {
            outcome.stalled = error.what();
        }
        run.jobs.push_back(std::move(outcome));
    }
    run.link_use = fabric->GetLinkUse();
    run.limits = fabric->GetNetwork().queue_pair_limits();
    run.events = fabric->GetEventQueue().handled();
    run.packet_hops = fabric->GetPacketHops();
    return run;
}

} // namespace ns3
