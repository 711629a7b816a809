// SPDX-License-Identifier: GPL-2.0-only

#include "npu-gathering.h"

#include "npu-flow-statistics.h"
#include "npu-processes.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

namespace ns3
{

namespace
{

using npunet::engine::FlowResult;
using npunet::engine::LinkUse;

/// Figures of a flow.
constexpr std::size_t FLOW_FIGURES = 22;
/// Figures of a link other than those by class and by power of two.
constexpr std::size_t LINK_FIGURES = 11;
/// A histogram has not more entries.
constexpr std::size_t POWERS = 64;

/// Puts the figures of a flow or a link into a table, or takes them out, in the same order.
class Row
{
  public:
    /**
     * @param values of the flow or the link in the table
     * @param writes whether they are put into it
     */
    Row(int64_t* values, bool writes) : m_value(values), m_writes(writes)
    {
    }

    /**
     * @param flow all of it
     */
    void
    Pass(FlowResult& flow)
    {
        Number(flow.flow.source);
        Number(flow.flow.destination);
        Whole(flow.flow.traffic_class);
        Whole(flow.messages);
        Quantity(flow.bytes);
        Instant(flow.first_start);
        Instant(flow.last_end);
        npunet::engine::CompletionTimes& times = flow.completion;
        for (npunet::Time* time :
             {&times.total, &times.least, &times.mean, &times.median, &times.p99, &times.most})
        {
            Instant(*time);
        }
        npunet::engine::Slowdowns& slowdown = flow.slowdown;
        for (double* number : {&slowdown.mean, &slowdown.median, &slowdown.p99, &slowdown.most})
        {
            Real(*number);
        }
        npunet::engine::FlowCounts& counts = flow.counts;
        for (std::uint64_t* count : {&counts.packets,
                                     &counts.retransmissions,
                                     &counts.timeouts,
                                     &counts.marked,
                                     &counts.notifications})
        {
            Whole(*count);
        }
    }

    /**
     * @param use all of it; has the right number of classes
     */
    void
    Pass(LinkUse& use)
    {
        Quantity(use.payload);
        Quantity(use.wire);
        Instant(use.busy);
        Quantity(use.max_queue);
        Whole(use.packets);
        Whole(use.retransmissions);
        Instant(use.credit_stall);
        Whole(use.pauses);
        Whole(use.marked);
        Whole(use.drops);
        Whole(use.notifications);
        use.queue_times.resize(POWERS);
        for (npunet::Time& time : use.queue_times)
        {
            Instant(time);
        }
        while (!use.queue_times.empty() && use.queue_times.back() == npunet::Time())
        {
            use.queue_times.pop_back();
        }
        for (npunet::Bytes& bytes : use.classes_wire)
        {
            Quantity(bytes);
        }
    }

  private:
    /**
     * @param value a whole number
     */
    template <class Value>
    void
    Whole(Value& value)
    {
        if (m_writes)
        {
            *m_value = static_cast<int64_t>(value);
        }
        value = static_cast<Value>(*m_value++);
    }

    /**
     * @param node number of a node
     */
    void
    Number(npunet::NodeId& node)
    {
        std::size_t index = node.valid() ? node.index() : 0;
        Whole(index);
        node = npunet::NodeId(index);
    }

    /**
     * @param bytes a number of them
     */
    void
    Quantity(npunet::Bytes& bytes)
    {
        int64_t value = bytes.value();
        Whole(value);
        bytes = npunet::Bytes(value);
    }

    /**
     * @param time not negative
     */
    void
    Instant(npunet::Time& time)
    {
        int64_t value = time.ps();
        Whole(value);
        time = npunet::Time::ps(value);
    }

    /**
     * @param number not negative, or not a number: its bits are an integer above 0
     */
    void
    Real(double& number)
    {
        int64_t bits = 0;
        static_assert(sizeof(bits) == sizeof(number));
        std::memcpy(&bits, &number, sizeof(bits));
        Whole(bits);
        std::memcpy(&number, &bits, sizeof(bits));
    }

    int64_t* m_value; //!< the next one
    bool m_writes;    //!< whether the table gets the values
};

} // namespace

std::vector<LinkUse>
GatherNpuLinkUse(std::vector<LinkUse> uses)
{
    if (NpuProcesses::GetCount() == 1)
    {
        return uses;
    }
    const std::size_t classes = uses.empty() ? 0 : uses.front().classes_wire.size();
    const std::size_t width = LINK_FIGURES + POWERS + classes;
    std::vector<int64_t> table(uses.size() * width);
    for (std::size_t link = 0; link < uses.size(); ++link)
    {
        Row(&table[link * width], true).Pass(uses[link]);
    }
    // A process without a link has zeros for it.
    table = NpuProcesses::Max(std::move(table));
    for (std::size_t link = 0; link < uses.size(); ++link)
    {
        Row(&table[link * width], false).Pass(uses[link]);
    }
    return uses;
}

std::vector<FlowResult>
GatherNpuFlows(std::vector<FlowResult> results)
{
    std::vector<int64_t> counts(NpuProcesses::GetCount());
    counts[NpuProcesses::GetId()] = static_cast<int64_t>(results.size());
    counts = NpuProcesses::Max(std::move(counts));
    std::size_t before = 0;
    std::size_t all = 0;
    for (uint32_t process = 0; process < counts.size(); ++process)
    {
        before += process < NpuProcesses::GetId() ? static_cast<std::size_t>(counts[process]) : 0;
        all += static_cast<std::size_t>(counts[process]);
    }
    // The rows of other processes are zeros.
    std::vector<int64_t> table(all * FLOW_FIGURES);
    for (std::size_t i = 0; i < results.size(); ++i)
    {
        Row(&table[(before + i) * FLOW_FIGURES], true).Pass(results[i]);
    }
    table = NpuProcesses::Max(std::move(table));
    results.assign(all, FlowResult());
    for (std::size_t i = 0; i < all; ++i)
    {
        Row(&table[i * FLOW_FIGURES], false).Pass(results[i]);
    }
    std::sort(results.begin(), results.end(), [](const FlowResult& a, const FlowResult& b) {
        return a.flow < b.flow;
    });
    std::vector<FlowResult> merged;
    for (const FlowResult& each : results)
    {
        if (merged.empty() || !(merged.back().flow == each.flow))
        {
            merged.push_back(each);
            continue;
        }
        npunet::engine::FlowCounts sum = each.counts;
        sum.add(merged.back().counts);
        if (each.messages > 0)
        {
            merged.back() = each;
        }
        merged.back().counts = sum;
    }
    merged.erase(std::remove_if(merged.begin(),
                                merged.end(),
                                [](const FlowResult& flow) { return flow.messages == 0; }),
                 merged.end());
    return merged;
}

} // namespace ns3
