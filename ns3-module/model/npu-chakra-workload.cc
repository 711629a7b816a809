// SPDX-License-Identifier: GPL-2.0-only

#include "npu-chakra-workload.h"

#include "npu-network.h"
#include "npu-processes.h"

#include "engine/npu/statistics.h"
#include "engine/program/fold.h"
#include "engine/simulation/simulation.h"

#include "base/errors.h"

#include <ns3/abort.h>
#include <ns3/simulator.h>
#include <ns3/trace-source-accessor.h>

#include <numeric>
#include <utility>
#include <vector>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(NpuChakraWorkload);

namespace
{

/**
 * @param network of the workload
 * @param npus by rank: its NPU
 * @return the ranks whose NPUs are in this process
 */
npunet::engine::RankShare
ShareOf(const NpuNetwork& network, const std::vector<npunet::NodeId>& npus)
{
    if (NpuProcesses::GetCount() == 1)
    {
        return npunet::engine::RankShare();
    }
    std::vector<bool> here;
    for (const npunet::NodeId npu : npus)
    {
        here.push_back(network.IsHere(npu.index()));
    }
    return npunet::engine::RankShare(std::move(here));
}

/**
 * Makes what this process has found of links and events what all have.
 * @param results of the ranks of all processes
 * @param network of the workload
 */
void
GatherNetwork(npunet::engine::Results& results, const NpuNetwork& network)
{
    const std::vector<npunet::engine::LinkUse> uses = network.GatherLinkUse();
    results.links.clear();
    npunet::engine::add_links(results, network.GetDescription(), uses);
    results.packet_hops = 0;
    for (const npunet::engine::LinkUse& use : uses)
    {
        results.packet_hops += use.packets;
    }
    std::vector<int64_t> events(NpuProcesses::GetCount());
    events[NpuProcesses::GetId()] = static_cast<int64_t>(results.events);
    events = NpuProcesses::Max(std::move(events));
    results.events =
        static_cast<uint64_t>(std::accumulate(events.begin(), events.end(), int64_t{0}));
}

} // namespace

/// What the engine needs, in the order of dependence.
struct NpuChakraWorkload::Parts
{
    /**
     * @param network of the NPUs
     * @param share carries the messages
     * @param npus by rank: its NPU
     * @param work one program per rank
     * @param config how the NPUs compute
     */
    Parts(NpuNetwork& network,
          npunet::engine::Network& share,
          const std::vector<npunet::NodeId>& npus,
          npunet::engine::Workload work,
          npunet::engine::SystemConfig config)
        : description(network.GetDescription().with_placement(npus)), workload(std::move(work)),
          system(std::move(config)), dialect(npunet::engine::Dialect::named("npunet")),
          simulation(workload,
                     description,
                     system,
                     dialect,
                     network.GetEventQueue(),
                     share,
                     npunet::engine::Fold::everyone_for_itself(),
                     ShareOf(network, npus))
    {
    }

    npunet::topology::NetworkDescription description; //!< with the NPUs of the workload
    npunet::engine::Workload workload;                //!< one program per rank
    npunet::engine::SystemConfig system;              //!< how the NPUs compute
    npunet::engine::Dialect dialect;                  //!< the rules
    npunet::engine::Simulation simulation;            //!< executes the programs
};

TypeId
NpuChakraWorkload::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::NpuChakraWorkload")
            .SetParent<Object>()
            .SetGroupName("Npunet")
            .AddConstructor<NpuChakraWorkload>()
            .AddTraceSource("OperationStart",
                            "An NPU has begun an operation of its trace.",
                            MakeTraceSourceAccessor(&NpuChakraWorkload::m_operationStart),
                            "ns3::NpuChakraWorkload::OperationTracedCallback")
            .AddTraceSource("OperationEnd",
                            "An NPU has finished an operation of its trace.",
                            MakeTraceSourceAccessor(&NpuChakraWorkload::m_operationEnd),
                            "ns3::NpuChakraWorkload::OperationTracedCallback")
            .AddTraceSource("CollectiveStart",
                            "An NPU has begun its part of a collective.",
                            MakeTraceSourceAccessor(&NpuChakraWorkload::m_collectiveStart),
                            "ns3::NpuChakraWorkload::CollectiveTracedCallback")
            .AddTraceSource("CollectiveEnd",
                            "An NPU has finished its part of a collective.",
                            MakeTraceSourceAccessor(&NpuChakraWorkload::m_collectiveEnd),
                            "ns3::NpuChakraWorkload::CollectiveTracedCallback");
    return tid;
}

NpuChakraWorkload::NpuChakraWorkload() = default;
NpuChakraWorkload::~NpuChakraWorkload() = default;

void
NpuChakraWorkload::Install(Ptr<NpuNetwork> network,
                           npunet::engine::Workload workload,
                           npunet::engine::SystemConfig system,
                           const std::vector<npunet::NodeId>& npus)
{
    NS_ABORT_MSG_IF(m_parts, "an NpuChakraWorkload is installed once");
    const std::vector<npunet::NodeId> own =
        npus.empty() ? network->GetDescription().npu_of_rank : npus;
    npunet::engine::Network& share = network->Carry(this, own);
    try
    {
        m_parts =
            std::make_unique<Parts>(*network, share, own, std::move(workload), std::move(system));
    }
    catch (const npunet::InputError&)
    {
        network->Drop(this);
        throw;
    }
    m_network = network;
    using npunet::engine::ProgramOperation;
    m_parts->simulation.set_observers(
        [this](npunet::Rank rank, const ProgramOperation& operation, const std::string& name) {
            m_operationStart(static_cast<uint32_t>(rank.value()),
                             m_parts->workload.node_of(rank, operation),
                             name,
                             Simulator::Now());
            TellCollective(m_collectiveStart, rank, operation);
        },
        [this](npunet::Rank rank, const ProgramOperation& operation, const std::string& name) {
            m_operationEnd(static_cast<uint32_t>(rank.value()),
                           m_parts->workload.node_of(rank, operation),
                           name,
                           Simulator::Now());
            TellCollective(m_collectiveEnd, rank, operation);
        });
}

void
NpuChakraWorkload::TellCollective(const CollectiveTrace& trace,
                                  npunet::Rank rank,
                                  const npunet::engine::ProgramOperation& operation) const
{
    if (trace.IsEmpty() || operation.kind != npunet::engine::OperationKind::Collective)
    {
        return;
    }
    const npunet::engine::Workload& workload = m_parts->workload;
    const bool named = operation.group >= 0;
    trace(named ? workload.groups[workload.group_of(rank, operation)].name : std::string(),
          npunet::engine::name_of(operation.collective),
          static_cast<uint64_t>(operation.bytes.value()),
          static_cast<uint32_t>(rank.value()),
          Simulator::Now());
}

void
NpuChakraWorkload::Start()
{
    if (!m_parts)
    {
        return; // disposed of meanwhile
    }
    m_begun = true;
    m_network->Synchronize();
    m_parts->simulation.start();
}

bool
NpuChakraWorkload::IsFinished() const
{
    return !m_parts || (m_begun && m_parts->simulation.is_finished());
}

npunet::engine::Results
NpuChakraWorkload::GetResults() const
{
    if (!m_parts)
    {
        throw npunet::StallError("the workload was never installed, or has been disposed of");
    }
    if (!m_begun)
    {
        throw npunet::StallError(
            "the workload has not begun: its results are there after Simulator::Run()");
    }
    const bool stopped = !IsFinished() && !m_network->GetEventQueue().empty();
    if (NpuProcesses::Max({stopped ? 1 : 0}).front() != 0)
    {
        throw npunet::StallError("the simulation was stopped before the workload was done: its "
                                 "results are there when Simulator::Run() has gone on to the end");
    }
    const bool alone = NpuProcesses::GetCount() == 1;
    npunet::engine::Results results =
        alone ? m_parts->simulation.finish() : m_parts->simulation.finish(&NpuProcesses::Max);
    if (!alone)
    {
        GatherNetwork(results, *m_network);
    }
    results.fidelity = "packet";
    return results;
}

void
NpuChakraWorkload::DoDispose()
{
    if (m_network && m_parts)
    {
        // Its messages and events may be under way; no observer is told of them any more.
        m_parts->simulation.stop();
        m_parts->simulation.set_observers(nullptr, nullptr);
        m_network->Keep(std::shared_ptr<Parts>(std::move(m_parts)));
        m_network->Drop(this);
    }
    m_parts.reset();
    m_network = nullptr;
    Object::DoDispose();
}

} // namespace ns3
