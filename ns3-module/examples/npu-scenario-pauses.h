// SPDX-License-Identifier: GPL-2.0-only

#ifndef NPU_SCENARIO_PAUSES_H
#define NPU_SCENARIO_PAUSES_H

#include "ns3/core-module.h"
#include "ns3/network-module.h"
#include "ns3/npunet-module.h"

#include <algorithm>
#include <iomanip>
#include <iostream>
#include <map>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup npunet
 * How many links are paused, over time.
 */
class NpuPausedLinks
{
  public:
    /**
     * @param interval over which numbers are averaged
     */
    explicit NpuPausedLinks(Time interval) : m_interval(interval.GetPicoSeconds())
    {
    }

    /// Trace sink of NpuNetDevice::CreditStall.
    void
    Paused(uint32_t /* link */, Time from, Time duration)
    {
        int64_t begin = from.GetPicoSeconds();
        const int64_t end = begin + duration.GetPicoSeconds();
        m_times.resize(std::max(m_times.size(), static_cast<std::size_t>(end / m_interval) + 1));
        while (begin < end)
        {
            const int64_t next = std::min(end, (begin / m_interval + 1) * m_interval);
            m_times[static_cast<std::size_t>(begin / m_interval)] += double(next - begin);
            begin = next;
        }
    }

    /**
     * @return intervals until the last pause ended
     */
    std::size_t
    GetN() const
    {
        return m_times.size();
    }

    /**
     * @param number of an interval
     * @return links that were paused, on average
     */
    double
    GetMean(std::size_t number) const
    {
        return m_times[number] / double(m_interval);
    }

  private:
    int64_t m_interval;             //!< in ps
    std::vector<double> m_times{0}; //!< in which links were paused, in ps, by interval
};

/**
 * @ingroup npunet
 * Prints a line for each level of a tree: how many of its links have been paused, how often, and
 * for how long the one that was paused longest.
 * @param fabric a tree, the names of whose nodes are those of their levels with numbers
 */
inline void
NpuPrintPausesByLevel(Ptr<NpuFabric> fabric)
{
    struct Level
    {
        int links{0};
        int paused{0};
        uint64_t pauses{0};
        double longest{0};
    };

    const auto& graph = fabric->GetDescription().graph;
    const auto kindOf = [&](npunet::NodeId node) {
        const std::string name = graph.name(node);
        return name.substr(0, name.find_first_of("0123456789"));
    };
    const auto uses = fabric->GetLinkUse();
    std::map<std::string, Level> levels;
    for (std::size_t i = 0; i < uses.size(); ++i)
    {
        const auto& ends = graph.link(npunet::LinkId(i));
        Level& level = levels[kindOf(ends.from) + " -> " + kindOf(ends.to)];
        ++level.links;
        level.paused += uses[i].pauses > 0 ? 1 : 0;
        level.pauses += uses[i].pauses;
        level.longest = std::max(level.longest, double(uses[i].credit_stall.ps()) / 1e6);
    }
    for (const auto& [name, level] : levels)
    {
        std::cout << "    " << std::setw(20) << std::left << name << std::right << std::setw(5)
                  << level.paused << " of " << level.links << std::setw(8) << level.pauses
                  << " pauses, longest " << std::setw(8) << level.longest << " us\n";
    }
}

} // namespace ns3

#endif /* NPU_SCENARIO_PAUSES_H */
