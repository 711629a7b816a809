// SPDX-License-Identifier: GPL-2.0-only

#ifndef NPU_SCENARIO_FLOW_H
#define NPU_SCENARIO_FLOW_H

#include "ns3/core-module.h"
#include "ns3/network-module.h"
#include "ns3/npunet-module.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

namespace ns3
{

/**
 * @ingroup npunet
 * A flow to NPU 0 that never ends: messages of 64 KiB, of which 16 are under way or queued on its
 * queue pair.
 */
struct NpuScenarioFlow
{
    Ptr<NpuFabric> fabric;            //!< carries it
    uint32_t source{0};               //!< an NPU
    int64_t interval{0};              //!< in ps
    std::vector<uint64_t> arrived{0}; //!< bytes, by interval

    /// Sends the first messages.
    void
    Start()
    {
        for (int i = 0; i < 16; ++i)
        {
            Send();
        }
    }

    /**
     * @param from number of an interval
     * @param to number of a later one
     * @return what arrives from the beginning of the one to that of the other, in bytes per ps
     */
    double
    Rate(std::size_t from, std::size_t to) const
    {
        double bytes = 0;
        for (std::size_t i = from; i < std::min(to, arrived.size()); ++i)
        {
            bytes += double(arrived[i]);
        }
        return bytes / (double(to - from) * double(interval));
    }

  private:
    static constexpr uint64_t MESSAGE = 64 << 10; //!< bytes

    /// Sends one more message.
    void
    Send()
    {
        fabric->Send(source, 0, MESSAGE, MakeCallback(&NpuScenarioFlow::Delivered, this));
    }

    /// A message is in.
    void
    Delivered(Time /* left */)
    {
        const auto now = static_cast<std::size_t>(Simulator::Now().GetPicoSeconds() / interval);
        arrived.resize(std::max(arrived.size(), now + 1));
        arrived[now] += MESSAGE;
        Send();
    }
};

/**
 * @ingroup npunet
 * Two flows to NPU 0, from NPU 1 at once and from NPU 2 later; runs the simulation.
 * @param fabric carries them
 * @param second when the flow from NPU 2 starts
 * @param duration of the run
 * @param intervals into which it is divided
 * @return what has arrived of both
 */
inline std::array<NpuScenarioFlow, 2>
RunNpuScenarioFlows(Ptr<NpuFabric> fabric, Time second, Time duration, std::size_t intervals)
{
    std::array<NpuScenarioFlow, 2> flows;
    for (uint32_t i = 0; i < 2; ++i)
    {
        flows[i].fabric = fabric;
        flows[i].source = i + 1;
        flows[i].interval = duration.GetPicoSeconds() / static_cast<int64_t>(intervals);
        Simulator::Schedule(i == 0 ? Time(0) : second, &NpuScenarioFlow::Start, &flows[i]);
    }
    Simulator::Stop(duration);
    Simulator::Run();
    return flows;
}

} // namespace ns3

#endif /* NPU_SCENARIO_FLOW_H */
