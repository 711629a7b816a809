// SPDX-License-Identifier: GPL-2.0-only

#include "npu-random-flow-helper.h"

#include "ns3/npu-processes.h"

#include "base/atomic_file.h"
#include "base/csv_field.h"
#include "base/errors.h"
#include "base/units.h"
#include "model/npu-quantities.h"
#include "topology/network/idle_path.h"
#include "topology/network/scale_up.h"

#include <fmt/format.h>

#include <ns3/abort.h>
#include <ns3/random-variable-stream.h>
#include <ns3/simulator.h>

#include <algorithm>
#include <ostream>

namespace ns3
{

namespace
{

/// Of names in errors.
const std::string PREFIX = "NpuRandomFlowHelper: ";

/**
 * @param fabric with NPUs
 * @return the rate of the links that leave an NPU, without those of ScaleUpTiers: the mean of all
 *         NPUs
 */
npunet::Rate
MeanRateOfNpus(const Ptr<NpuFabric>& fabric)
{
    const npunet::topology::NetworkDescription& network = fabric->GetDescription();
    const std::size_t npus = network.graph.npus();
    // Of the sum, whole bytes of an NPU, and the rest, so that it cannot overflow.
    int64_t each = 0;
    std::size_t rest = 0;
    for (std::size_t npu = 0; npu < npus; ++npu)
    {
        for (const npunet::LinkId link : network.graph.links_from(npunet::NodeId(npu)))
        {
            if (!network.scale_up || !network.scale_up->has(link))
            {
                const int64_t rate = network.graph.link(link).rate.bytes_per_second();
                rest += static_cast<std::size_t>(rate) % npus;
                each += rate / static_cast<int64_t>(npus);
            }
        }
    }
    return npunet::Rate(each + static_cast<int64_t>(rest / npus));
}

} // namespace

NpuRandomFlows::NpuRandomFlows(Ptr<NpuFabric> fabric,
                               const std::vector<npunet::RandomFlow>& flows,
                               uint8_t trafficClass)
    : m_fabric(fabric), m_class(trafficClass),
      m_statistics([this](const npunet::engine::FlowKey& flow, npunet::Bytes bytes) {
          return npunet::topology::idle_time(m_fabric->GetDescription(),
                                             flow.source,
                                             flow.destination,
                                             bytes,
                                             npunet::topology::IdlePath::Packets);
      })
{
    for (const npunet::RandomFlow& random : flows)
    {
        Flow flow;
        flow.start = Simulator::Now() + NanoSeconds(static_cast<uint64_t>(random.start_ns));
        flow.source = static_cast<uint32_t>(random.source.index());
        flow.destination = static_cast<uint32_t>(random.destination.index());
        flow.bytes = static_cast<uint64_t>(random.bytes);
        m_flows.push_back(flow);
    }
    std::stable_sort(m_flows.begin(), m_flows.end(), [](const Flow& a, const Flow& b) {
        return a.start < b.start;
    });
    Simulator::ScheduleDestroy(&NpuRandomFlows::Release, Ptr<NpuRandomFlows>(this));
    StartDue();
}

void
NpuRandomFlows::Release()
{
    m_fabric = nullptr;
}

void
NpuRandomFlows::StartDue()
{
    for (; m_next < m_flows.size() && m_flows[m_next].start <= Simulator::Now(); ++m_next)
    {
        const Flow& flow = m_flows[m_next];
        const Ptr<NpuRandomFlows> self(this);
        NpuFabric::DeliveredCallback done(
            [self, number = m_next](Time) { self->Complete(number); });
        m_fabric->Send(flow.source, flow.destination, flow.bytes, done, m_class);
    }
    if (m_next < m_flows.size())
    {
        Simulator::Schedule(m_flows[m_next].start - Simulator::Now(),
                            &NpuRandomFlows::StartDue,
                            Ptr<NpuRandomFlows>(this));
    }
}

void
NpuRandomFlows::Complete(std::size_t number)
{
    Flow& flow = m_flows[number];
    flow.completion = Simulator::Now() - flow.start;
    ++m_completed;
    npunet::engine::CompletedMessage message;
    message.flow = {
        npunet::NodeId(std::size_t{flow.source}), npunet::NodeId(std::size_t{flow.destination}), 0};
    message.bytes = npunet::Bytes(static_cast<int64_t>(flow.bytes));
    message.start = TimeOf(flow.start);
    message.end = TimeOf(Simulator::Now());
    flow.slowdown = m_statistics.add(message);
}

npunet::engine::FlowResults
NpuRandomFlows::GetResults() const
{
    return m_statistics.results({});
}

void
NpuRandomFlows::Write(const std::string& path) const
{
    const npunet::topology::Graph& graph = m_fabric->GetDescription().graph;
    const auto name = [&graph](uint32_t npu) {
        return npunet::csv_field(graph.name(npunet::NodeId(std::size_t{npu})));
    };
    npunet::AtomicFile file(path);
    std::ostream& out = file.stream();
    out << "start_ns,from,to,bytes,completion_ns,slowdown\n";
    for (const Flow& flow : m_flows)
    {
        if (!flow.completion.IsStrictlyNegative())
        {
            out << npunet::format_ns(TimeOf(flow.start)) << "," << name(flow.source) << ","
                << name(flow.destination) << "," << flow.bytes << ","
                << npunet::format_ns(TimeOf(flow.completion))
                << fmt::format(",{}\n", flow.slowdown);
        }
    }
    file.commit();
}

void
NpuRandomFlows::WriteBySize(const std::string& path) const
{
    npunet::AtomicFile file(path);
    std::ostream& out = file.stream();
    out << "up_to_bytes,flows,mean_ns,p50_ns,p99_ns,max_ns,mean_slowdown,p50_slowdown,"
           "p99_slowdown,max_slowdown\n";
    for (const npunet::engine::SizeResult& size : GetResults().sizes)
    {
        const npunet::engine::CompletionTimes& times = size.result.completion;
        const npunet::engine::Slowdowns& slowdown = size.result.slowdown;
        out << size.up_to.value() << "," << size.result.messages;
        for (const npunet::Time time : {times.mean, times.median, times.p99, times.most})
        {
            out << "," << npunet::format_ns(time);
        }
        out << fmt::format(
            ",{},{},{},{}\n", slowdown.mean, slowdown.median, slowdown.p99, slowdown.most);
    }
    file.commit();
}

NpuRandomFlowHelper::NpuRandomFlowHelper(const std::string& sizes)
    : m_traffic{0, npunet::load_sizes(sizes, PREFIX + "sizes")}
{
    m_traffic.duration = npunet::Time::ns(10'000'000);
}

void
NpuRandomFlowHelper::SetRate(DataRate rate)
{
    m_rate = RateOf(rate, "NpuRandomFlowHelper: rate");
}

void
NpuRandomFlowHelper::SetDuration(Time duration)
{
    m_traffic.duration = TimeOf(duration);
}

void
NpuRandomFlowHelper::SetPattern(const std::string& pattern)
{
    for (const auto& [name, value] : npunet::flow_patterns())
    {
        if (name == pattern)
        {
            m_traffic.pattern = value;
            return;
        }
    }
    throw npunet::InputError(
        {"", PREFIX + "pattern", "'" + pattern + "'", "uniform or permutation", ""});
}

int64_t
NpuRandomFlowHelper::AssignStreams(int64_t stream)
{
    m_stream = stream;
    return 1;
}

Ptr<NpuRandomFlows>
NpuRandomFlowHelper::Install(Ptr<NpuFabric> fabric) const
{
    NS_ABORT_MSG_IF(NpuProcesses::GetCount() > 1,
                    "NpuRandomFlowHelper is for fabrics of one process");
    // Far from what scripts count, and beside that of fabrics.
    constexpr int64_t ownStream = (int64_t{1} << 62) + 1;
    Ptr<UniformRandomVariable> random = CreateObject<UniformRandomVariable>();
    random->SetStream(m_stream < 0 ? ownStream : m_stream);
    const uint64_t high = random->GetInteger(0, (1U << 26) - 1);
    const uint64_t low = random->GetInteger(0, (1U << 27) - 1);
    npunet::FlowTraffic traffic = m_traffic;
    traffic.seed = high << 27 | low;
    traffic.npus = static_cast<int32_t>(fabric->GetDescription().graph.npus());
    traffic.rate = m_rate ? *m_rate : MeanRateOfNpus(fabric);
    return Ptr<NpuRandomFlows>(
        new NpuRandomFlows(fabric, npunet::flows_of(traffic, PREFIX), m_class), false);
}

} // namespace ns3
