// SPDX-License-Identifier: GPL-2.0-only

#include "npu-chakra-helper.h"

#include "ns3/npu-processes.h"

#include "base/errors.h"
#include "engine/program/workload_loader.h"

#include <ns3/abort.h>
#include <ns3/simulator.h>

#include <algorithm>
#include <limits>
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
NpuChakraHelper::SetSystem(const npunet::engine::SystemConfig& system)
{
    m_system = system;
}

void
NpuChakraHelper::SetStartTime(Time start)
{
    NS_ABORT_MSG_IF(start.IsStrictlyNegative(), "NPUs cannot begin before Install()");
    m_start = start;
}

void
NpuChakraHelper::SetNpus(const std::vector<uint32_t>& npus)
{
    m_npus.clear();
    for (const uint32_t npu : npus)
    {
        // What is beyond them does not exist either.
        constexpr uint32_t most = std::numeric_limits<int32_t>::max();
        m_npus.emplace_back(static_cast<int32_t>(std::min(npu, most)));
    }
}

Ptr<NpuChakraWorkload>
NpuChakraHelper::Install(Ptr<NpuNetwork> network,
                         const std::string& prefix,
                         const std::string& groupFile) const
{
    return Install(
        network, npunet::engine::load_workload(prefix, groupFile, CountRanks(network), Options()));
}

Ptr<NpuChakraWorkload>
NpuChakraHelper::Install(Ptr<NpuNetwork> network,
                         const npunet::engine::NodeSource& nodes,
                         const std::vector<npunet::engine::Group>& groups) const
{
    const auto label = [](npunet::Rank rank) { return "rank " + std::to_string(rank.value()); };
    return Install(
        network,
        npunet::engine::make_workload(CountRanks(network), nodes, label, groups, Options()));
}

Ptr<NpuChakraWorkload>
NpuChakraHelper::Install(Ptr<NpuNetwork> network, npunet::engine::Workload workload) const
{
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
    training->Install(network, std::move(workload), m_system, m_npus);
    Simulator::ScheduleWithContext(
        Simulator::NO_CONTEXT, m_start, &NpuChakraWorkload::Start, training);
    // It lives as long as the simulation, whether or not the caller keeps it.
    Simulator::ScheduleDestroy([training]() {});
    return training;
}

std::size_t
NpuChakraHelper::CountRanks(const Ptr<NpuNetwork>& network) const
{
    NS_ABORT_MSG_UNLESS(network, "a workload needs a network: install the network first");
    return m_npus.empty() ? network->GetDescription().npu_of_rank.size() : m_npus.size();
}

npunet::engine::WorkloadOptions
NpuChakraHelper::Options() const
{
    npunet::engine::WorkloadOptions options;
    options.tensors = m_system.track_memory;
    return options;
}

} // namespace ns3
