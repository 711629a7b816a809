/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "npu-chakra-helper.h"

#include "ns3/npu-processes.h"

#include "base/errors.h"
#include "engine/workload_loader.h"

#include <ns3/abort.h>
#include <ns3/simulator.h>

#include <utility>

namespace ns3
{

void
NpuChakraHelper::SetSystemFile(const std::string& path)
{
    std::vector<std::string> warnings;
    m_system = npunet::engine::read_system_config(
        path, npunet::engine::Dialect::named("npunet"), warnings);
}

void
NpuChakraHelper::SetStartTime(Time start)
{
    NS_ABORT_MSG_IF(start.IsStrictlyNegative(), "NPUs cannot begin before Install()");
    m_start = start;
}

Ptr<NpuChakraWorkload>
NpuChakraHelper::Install(Ptr<NpuNetwork> network,
                         const std::string& prefix,
                         const std::string& groupFile) const
{
    NS_ABORT_MSG_UNLESS(network, "a workload needs a network: install the network first");
    return Install(network,
                   npunet::engine::load_workload(
                       prefix, groupFile, network->GetDescription().graph.npus(), Options()));
}

Ptr<NpuChakraWorkload>
NpuChakraHelper::Install(Ptr<NpuNetwork> network,
                         const npunet::engine::NodeSource& nodes,
                         const std::vector<npunet::engine::Group>& groups) const
{
    NS_ABORT_MSG_UNLESS(network, "a workload needs a network: install the network first");
    const auto label = [](npunet::Rank rank) { return "rank " + std::to_string(rank.value()); };
    return Install(network,
                   npunet::engine::make_workload(
                       network->GetDescription().graph.npus(), nodes, label, groups, Options()));
}

Ptr<NpuChakraWorkload>
NpuChakraHelper::Install(Ptr<NpuNetwork> network, npunet::engine::Workload workload) const
{
    NS_ABORT_MSG_UNLESS(network, "a workload needs a network: install the network first");
    if (NpuProcesses::GetCount() > 1 && Simulator::Now().IsStrictlyPositive())
    {
        throw npunet::InputError({"",
                                  "NpuChakraHelper::Install",
                                  "a workload on a network of several processes after Run()",
                                  "workloads installed before Simulator::Run()",
                                  "the clocks of the processes are apart then: install it before, "
                                  "or run in one process"});
    }
    Ptr<NpuChakraWorkload> training = CreateObject<NpuChakraWorkload>();
    training->Install(network, std::move(workload), m_system);
    Simulator::ScheduleWithContext(
        Simulator::NO_CONTEXT, m_start, &NpuChakraWorkload::Start, training);
    // It lives as long as the simulation, whether or not the caller keeps it.
    Simulator::ScheduleDestroy([training]() {});
    return training;
}

npunet::engine::WorkloadOptions
NpuChakraHelper::Options() const
{
    npunet::engine::WorkloadOptions options;
    options.tensors = m_system.track_memory;
    return options;
}

} // namespace ns3
