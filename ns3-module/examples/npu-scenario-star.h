// SPDX-License-Identifier: GPL-2.0-only

#ifndef NPU_SCENARIO_STAR_H
#define NPU_SCENARIO_STAR_H

#include "ns3/core-module.h"
#include "ns3/network-module.h"
#include "ns3/npunet-module.h"

#include <string>

namespace ns3
{

/**
 * @ingroup npunet
 * @param npus how many there are around a switch
 * @param gigabits rate of their links, in Gb/s
 * @param delay of their links
 * @return the network
 */
inline NpuTopologyHelper
NpuScenarioStar(uint32_t npus, uint64_t gigabits, Time delay)
{
    const NpuTopologyHelper::Link link(DataRate(gigabits * 1000000000), delay);
    NpuTopologyHelper topology;
    topology.AddSwitch("switch");
    for (uint32_t npu = 0; npu < npus; ++npu)
    {
        const std::string name = "npu" + std::to_string(npu);
        topology.AddNpu(name);
        topology.AddLink(name, "switch", link);
    }
    return topology;
}

} // namespace ns3

#endif /* NPU_SCENARIO_STAR_H */
