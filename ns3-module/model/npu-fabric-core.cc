// SPDX-License-Identifier: GPL-2.0-only

#include "npu-fabric-core.h"

#include "npu-ip-ecn.h"
#include "npu-net-device.h"
#include "npu-quantities.h"
#include "packet/make_packet_network.h"

#include <ns3/node.h>
#include <ns3/simulator.h>

#include <utility>

namespace ns3
{

NpuFabric::Core::Core(NpuFabric& fabric,
                      npunet::topology::NetworkDescription network,
                      bool trains,
                      bool datagrams)
    : description(std::move(network)), m_fabric(fabric), m_datagrams(datagrams),
      m_level(npunet::packet::make_network(description,
                                           queue,
                                           datagrams ? npunet::topology::Losses::Allowed
                                                     : npunet::topology::Losses::Refused)),
      m_feed(description.graph, *m_level), m_bridge(queue),
      m_ownCount(description.graph.npus(), FIRST_OWN_COUNT)
{
    m_level->set_listener(*this);
    m_level->set_datagram_listener(*this);
    m_level->set_fast_forward(trains);
}

void
NpuFabric::Core::SendOwn(npunet::NodeId source,
                         npunet::NodeId destination,
                         npunet::Bytes bytes,
                         uint8_t trafficClass,
                         Receipt receipt)
{
    m_bridge.Synchronize();
    Record record;
    record.own = true;
    record.begun = queue.now();
    record.receipt = std::move(receipt);
    record.message.id = npunet::engine::MessageId(source, m_ownCount[source.index()]++);
    record.message.source = source;
    record.message.destination = destination;
    record.message.bytes = bytes;
    static_assert(CLASS_OF_KIND == npunet::engine::Message::by_kind);
    record.message.traffic_class = trafficClass == CLASS_OF_KIND
                                       ? description.packet.classes.of(record.message.kind)
                                       : trafficClass;
    record.message.separate = record.receipt.packet != nullptr;
    record.isDatagram = record.message.separate && CarriesDatagrams();
    if (Waits(record.message))
    {
        m_fabric.m_devices[source.index()]->PacketWaits(record.message.traffic_class,
                                                        static_cast<uint32_t>(bytes.value()));
    }
    if (TakesTurns(record.message))
    {
        const auto [flow, first] = m_flows.try_emplace(FlowOf(record.message));
        if (!first)
        {
            flow->second.waiting.push_back(std::move(record));
            return;
        }
        flow->second.start = queue.now();
    }
    Start(std::move(record));
}

void
NpuFabric::Core::StartNextOf(const npunet::engine::Message& message)
{
    const auto flow = m_flows.find(FlowOf(message));
    if (flow->second.waiting.empty())
    {
        m_flows.erase(flow);
        return;
    }
    Record next = std::move(flow->second.waiting.front());
    flow->second.waiting.pop_front();
    next.message.flow_start = flow->second.start;
    Start(std::move(next));
}

void
NpuFabric::Core::send(const npunet::engine::Message& message)
{
    Record record;
    record.begun = queue.now();
    record.message = message;
    Start(std::move(record));
}

void
NpuFabric::Core::Start(Record record)
{
    if (record.message.traffic_class == npunet::engine::Message::by_kind)
    {
        record.message.traffic_class = description.packet.classes.of(record.message.kind);
    }
    m_feed.UpdateLog();
    npunet::engine::Message message = record.message;
    message.wants_sent = message.wants_sent || TakesTurns(message) || m_fabric.HasSentListeners();
    record.awaitsSent = message.wants_sent;
    const bool isDatagram = record.isDatagram;
    const bool canBeMarked =
        isDatagram && NpuIsEcnCapable(record.receipt.packet, record.receipt.protocol);
    if (m_free.empty())
    {
        message.handle = static_cast<std::uint32_t>(m_records.size());
        m_records.push_back(std::move(record));
    }
    else
    {
        message.handle = m_free.back();
        m_free.pop_back();
        m_records[message.handle] = std::move(record);
    }
    if (isDatagram)
    {
        m_level->send_datagram(message, canBeMarked);
        return;
    }
    m_level->send(message);
}

void
NpuFabric::Core::LeaveQueue(const npunet::engine::Message& message)
{
    m_fabric.m_devices[message.source.index()]->PacketLeaves(
        message.traffic_class, static_cast<uint32_t>(message.bytes.value()));
}

void
NpuFabric::Core::datagram_starts(std::uint32_t handle)
{
    LeaveQueue(m_records[handle].message);
}

void
NpuFabric::Core::datagram_is_marked(std::uint32_t handle)
{
    const Receipt& receipt = m_records[handle].receipt;
    NpuMarkCongestion(receipt.packet, receipt.protocol);
}

void
NpuFabric::Core::datagram_is_lost(std::uint32_t handle)
{
    m_records[handle].delivered = true;
    const Record record = m_records[handle].awaitsSent ? m_records[handle] : Forget(handle);
    const std::size_t source = record.message.source.index();
    Simulator::ScheduleWithContext(m_fabric.GetNodeId(source),
                                   Time(0),
                                   &NpuNetDevice::TellDatagramLost,
                                   m_fabric.m_devices[source],
                                   record.receipt.packet);
}

NpuFabric::Core::Record
NpuFabric::Core::Forget(std::uint32_t handle)
{
    m_free.push_back(handle);
    return std::exchange(m_records[handle], Record());
}

void
NpuFabric::Core::on_sent(std::uint32_t handle)
{
    m_records[handle].awaitsSent = false;
    const npunet::engine::Message message = m_records[handle].message;
    if (m_records[handle].delivered)
    {
        Forget(handle);
    }
    if (TakesTurns(message))
    {
        LeaveQueue(message);
        StartNextOf(message);
    }
    m_fabric.NotifySent(message);
    if (message.wants_sent)
    {
        listener_->on_sent(message.handle);
    }
}

void
NpuFabric::Core::on_delivered(std::uint32_t handle, npunet::Time firstByteLeft)
{
    // With a transport the last acknowledgement is yet to come.
    m_records[handle].delivered = true;
    const Record record = m_records[handle].awaitsSent ? m_records[handle] : Forget(handle);
    const npunet::engine::Message& message = record.message;
    m_fabric.NotifyDelivered(message, record.begun);
    if (!record.own)
    {
        listener_->on_delivered(message.handle, firstByteLeft);
        return;
    }
    // ns-3 code runs in an event of its own, in the context of its node.
    const Receipt& receipt = record.receipt;
    const uint32_t receiver = m_fabric.GetNodeId(message.destination.index());
    if (!receipt.delivered.IsNull())
    {
        DeliveredCallback delivered = receipt.delivered;
        const Time left = TimeOf(firstByteLeft);
        Simulator::ScheduleWithContext(receiver, Time(0), [delivered, left]() { delivered(left); });
    }
    if (receipt.packet)
    {
        Simulator::ScheduleWithContext(receiver,
                                       Time(0),
                                       &NpuNetDevice::Receive,
                                       m_fabric.m_devices[message.destination.index()],
                                       receipt.packet,
                                       receipt.protocol,
                                       receipt.from,
                                       receipt.to);
    }
}

std::vector<npunet::engine::LinkUse>
NpuFabric::Core::link_use() const
{
    m_level->settle();
    return m_level->link_use();
}

std::vector<npunet::engine::FlowUse>
NpuFabric::Core::flow_use() const
{
    m_level->settle();
    return m_level->flow_use();
}

std::uint64_t
NpuFabric::Core::packet_hops() const
{
    m_level->settle();
    return m_level->packet_hops();
}

void
NpuFabric::Core::run(npunet::engine::EventQueue& /* queue */)
{
    Simulator::Run();
}

} // namespace ns3
