/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "npu-chakra-helper.h"

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
NpuChakraHelper::Install(Ptr<NpuFabric> fabric,
                         const std::string& prefix,
                         const std::string& groupFile) const
{
    NS_ABORT_MSG_UNLESS(fabric, "a workload needs a fabric: install the fabric first");
    return Install(fabric,
                   npunet::engine::load_workload(
                       prefix, groupFile, fabric->GetDescription().graph.npus(), Options()));
}

Ptr<NpuChakraWorkload>
NpuChakraHelper::Install(Ptr<NpuFabric> fabric,
                         const npunet::engine::NodeSource& nodes,
                         const std::vector<npunet::engine::Group>& groups) const
{
    NS_ABORT_MSG_UNLESS(fabric, "a workload needs a fabric: install the fabric first");
    const auto label = [](npunet::Rank rank) { return "rank " + std::to_string(rank.value()); };
    return Install(fabric,
                   npunet::engine::make_workload(
                       fabric->GetDescription().graph.npus(), nodes, label, groups, Options()));
}

Ptr<NpuChakraWorkload>
NpuChakraHelper::Install(Ptr<NpuFabric> fabric, npunet::engine::Workload workload) const
{
    NS_ABORT_MSG_UNLESS(fabric, "a workload needs a fabric: install the fabric first");
    Ptr<NpuChakraWorkload> training = CreateObject<NpuChakraWorkload>();
    training->Install(fabric, std::move(workload), m_system);
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
