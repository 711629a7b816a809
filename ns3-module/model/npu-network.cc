// SPDX-License-Identifier: GPL-2.0-only

#include "npu-network.h"

#include "npu-chakra-workload.h"
#include "npu-quantities.h"

#include "base/errors.h"

#include <ns3/simulator.h>
#include <ns3/trace-source-accessor.h>

#include <algorithm>
#include <utility>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(NpuNetwork);

NpuNetwork::NpuNetwork() = default;
NpuNetwork::~NpuNetwork() = default;

TypeId
NpuNetwork::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::NpuNetwork")
            .SetParent<Object>()
            .SetGroupName("Npunet")
            .AddTraceSource("MessageSent",
                            "The last byte of a message has left its source.",
                            MakeTraceSourceAccessor(&NpuNetwork::m_messageSent),
                            "ns3::NpuNetwork::MessageTracedCallback")
            .AddTraceSource("MessageDelivered",
                            "The last byte of a message has arrived.",
                            MakeTraceSourceAccessor(&NpuNetwork::m_messageDelivered),
                            "ns3::NpuNetwork::MessageTracedCallback")
            .AddTraceSource("MessageCompleted",
                            "The last byte of a message has arrived: from when to when it took.",
                            MakeTraceSourceAccessor(&NpuNetwork::m_messageCompleted),
                            "ns3::NpuNetwork::MessageCompletedTracedCallback");
    return tid;
}

bool
NpuNetwork::IsHere(std::size_t /* position */) const
{
    return true;
}

npunet::engine::Network&
NpuNetwork::Carry(NpuChakraWorkload* workload, const std::vector<npunet::NodeId>& npus)
{
    std::vector<bool> taken(GetDescription().graph.npus(), false);
    for (const npunet::NodeId npu : npus)
    {
        const bool exists = npu.valid() && npu.index() < taken.size();
        if (!exists || taken[npu.index()])
        {
            Refuse(npu, exists ? "a second time" : "which does not exist");
        }
        taken[npu.index()] = true;
    }
    for (const Carried& other : m_carried)
    {
        for (const npunet::NodeId npu : other.npus)
        {
            if (taken[npu.index()] && !other.workload->IsFinished())
            {
                Refuse(npu, "which another workload has that is not finished");
            }
        }
    }
    if (!m_shared)
    {
        m_shared = std::make_unique<npunet::engine::SharedNetwork>(GetNetwork());
    }
    npunet::engine::Network& share = m_shared->add();
    m_carried.push_back({workload, npus, &share});
    return share;
}

void
NpuNetwork::Refuse(npunet::NodeId npu, const std::string& why)
{
    throw npunet::InputError({"",
                              "NpuChakraWorkload::Install",
                              "NPU " + std::to_string(npu.value()) + ", " + why,
                              "an NPU of the network for each rank, and for one workload at a time",
                              "Place the workload on other NPUs (NpuChakraHelper::SetNpus()), or "
                              "install it when the other is done"});
}

void
NpuNetwork::Drop(NpuChakraWorkload* workload)
{
    const auto dropped =
        std::find_if(m_carried.begin(), m_carried.end(), [workload](const Carried& carried) {
            return carried.workload == workload;
        });
    if (dropped != m_carried.end())
    {
        m_shared->close(*dropped->share);
        m_carried.erase(dropped);
    }
}

void
NpuNetwork::Keep(std::shared_ptr<void> parts)
{
    m_kept.push_back(std::move(parts));
}

void
NpuNetwork::DoDispose()
{
    m_kept.clear();
    Object::DoDispose();
}

void
NpuNetwork::NotifySent(const npunet::engine::Message& message) const
{
    m_messageSent(GetNodeId(message.source.index()),
                  GetNodeId(message.destination.index()),
                  static_cast<uint64_t>(message.bytes.value()),
                  Simulator::Now());
}

void
NpuNetwork::NotifyDelivered(const npunet::engine::Message& message, npunet::Time start) const
{
    const uint32_t source = GetNodeId(message.source.index());
    const uint32_t destination = GetNodeId(message.destination.index());
    const auto bytes = static_cast<uint64_t>(message.bytes.value());
    const Time now = Simulator::Now();
    m_messageDelivered(source, destination, bytes, now);
    m_messageCompleted(source, destination, bytes, TimeOf(start), now);
    if (m_flows)
    {
        npunet::engine::CompletedMessage completed;
        completed.flow = {message.source, message.destination, message.traffic_class};
        if (message.traffic_class == npunet::engine::Message::by_kind)
        {
            completed.flow.traffic_class = 0;
        }
        completed.bytes = message.bytes;
        completed.start = start;
        completed.end = TimeOf(now);
        m_flows->add(completed);
    }
}

void
NpuNetwork::EnableFlowStatistics()
{
    if (!m_flows)
    {
        m_flows = std::make_unique<npunet::engine::FlowStatistics>(GetIdleTime());
    }
}

std::vector<npunet::engine::FlowResult>
NpuNetwork::GetFlows() const
{
    if (!m_flows)
    {
        return {};
    }
    return m_flows->results(GetFlowUse()).flows;
}

std::vector<NpuFlowStatistics>
NpuNetwork::GetFlowStatistics() const
{
    return StatisticsOf(GetFlows());
}

std::vector<NpuFlowStatistics>
NpuNetwork::GatherFlowStatistics() const
{
    std::vector<npunet::engine::FlowResult> flows = GetFlows();
    if (m_flows)
    {
        const std::size_t arrived = flows.size();
        for (const npunet::engine::FlowUse& use : GetFlowUse())
        {
            npunet::engine::FlowResult counted;
            counted.flow = use.flow;
            const auto isBefore = [](const auto& a, const auto& b) { return a.flow < b.flow; };
            if (!std::binary_search(flows.begin(),
                                    flows.begin() + static_cast<std::ptrdiff_t>(arrived),
                                    counted,
                                    isBefore))
            {
                counted.counts = use.counts;
                flows.push_back(counted);
            }
        }
    }
    return StatisticsOf(GatherNpuFlows(std::move(flows)));
}

std::vector<NpuFlowStatistics>
NpuNetwork::StatisticsOf(const std::vector<npunet::engine::FlowResult>& flows) const
{
    std::vector<NpuFlowStatistics> all;
    for (const npunet::engine::FlowResult& flow : flows)
    {
        NpuFlowStatistics statistics;
        statistics.source = GetNodeId(flow.flow.source.index());
        statistics.destination = GetNodeId(flow.flow.destination.index());
        statistics.from = static_cast<uint32_t>(flow.flow.source.index());
        statistics.to = static_cast<uint32_t>(flow.flow.destination.index());
        statistics.trafficClass = flow.flow.traffic_class;
        statistics.messages = flow.messages;
        statistics.bytes = static_cast<uint64_t>(flow.bytes.value());
        statistics.firstStart = TimeOf(flow.first_start);
        statistics.lastEnd = TimeOf(flow.last_end);
        statistics.total = TimeOf(flow.completion.total);
        statistics.min = TimeOf(flow.completion.least);
        statistics.mean = TimeOf(flow.completion.mean);
        statistics.p50 = TimeOf(flow.completion.median);
        statistics.p99 = TimeOf(flow.completion.p99);
        statistics.max = TimeOf(flow.completion.most);
        statistics.meanSlowdown = flow.slowdown.mean;
        statistics.p50Slowdown = flow.slowdown.median;
        statistics.p99Slowdown = flow.slowdown.p99;
        statistics.maxSlowdown = flow.slowdown.most;
        statistics.packets = flow.counts.packets;
        statistics.retransmissions = flow.counts.retransmissions;
        statistics.timeouts = flow.counts.timeouts;
        statistics.marked = flow.counts.marked;
        statistics.notifications = flow.counts.notifications;
        all.push_back(statistics);
    }
    return all;
}

} // namespace ns3
