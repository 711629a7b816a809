/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "npu-chakra-workload.h"

#include "npu-fabric.h"

#include "engine/simulation.h"

#include "base/errors.h"

#include <ns3/abort.h>
#include <ns3/simulator.h>
#include <ns3/trace-source-accessor.h>

#include <utility>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(NpuChakraWorkload);

/// What the engine needs, in the order of dependence.
struct NpuChakraWorkload::Parts
{
    /**
     * @param fabric carries the messages
     * @param work one program per rank
     * @param config how the NPUs compute
     */
    Parts(NpuFabric& fabric, npunet::engine::Workload work, npunet::engine::SystemConfig config)
        : workload(std::move(work)), system(std::move(config)),
          dialect(npunet::engine::Dialect::named("npunet")), simulation(workload,
                                                                        fabric.GetDescription(),
                                                                        system,
                                                                        dialect,
                                                                        fabric.GetEventQueue(),
                                                                        fabric.GetNetwork())
    {
    }

    npunet::engine::Workload workload;     //!< one program per rank
    npunet::engine::SystemConfig system;   //!< how the NPUs compute
    npunet::engine::Dialect dialect;       //!< the rules
    npunet::engine::Simulation simulation; //!< executes the programs
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
NpuChakraWorkload::Install(Ptr<NpuFabric> fabric,
                           npunet::engine::Workload workload,
                           npunet::engine::SystemConfig system)
{
    NS_ABORT_MSG_IF(m_parts, "an NpuChakraWorkload is installed once");
    fabric->Carry(this);
    m_fabric = fabric;
    m_parts = std::make_unique<Parts>(*fabric, std::move(workload), std::move(system));
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
    m_fabric->Synchronize();
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
    if (!IsFinished() && !m_fabric->GetEventQueue().empty())
    {
        throw npunet::StallError("the simulation was stopped before the workload was done: its "
                                 "results are there when Simulator::Run() has gone on to the end");
    }
    npunet::engine::Results results = m_parts->simulation.finish();
    results.fidelity = "packet";
    return results;
}

void
NpuChakraWorkload::DoDispose()
{
    if (m_fabric)
    {
        m_fabric->Drop(this);
    }
    m_parts.reset();
    m_fabric = nullptr;
    Object::DoDispose();
}

} // namespace ns3
