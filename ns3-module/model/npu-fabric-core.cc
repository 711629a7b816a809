/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "npu-fabric-core.h"

#include "npu-net-device.h"

#include <ns3/node.h>
#include <ns3/simulator.h>

#include <utility>

namespace ns3
{

namespace
{
/// The fabric's own messages are counted from here, the engine's from 0.
constexpr std::uint64_t FIRST_OWN_COUNT = std::uint64_t{1} << 35;
} // namespace

NpuFabric::Core::Core(NpuFabric& fabric, npunet::topology::NetworkDescription network)
    : description(std::move(network)), m_fabric(fabric), m_machine(description, queue),
      m_feed(description.graph, m_machine), m_bridge(queue),
      m_ownCount(description.graph.npus(), FIRST_OWN_COUNT)
{
    m_machine.set_listener(*this);
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
    record.receipt = std::move(receipt);
    record.message.id = npunet::engine::MessageId(source, m_ownCount[source.index()]++);
    record.message.source = source;
    record.message.destination = destination;
    record.message.bytes = bytes;
    static_assert(CLASS_OF_KIND == npunet::engine::Message::by_kind);
    record.message.traffic_class = trafficClass;
    Start(std::move(record));
}

void
NpuFabric::Core::send(const npunet::engine::Message& message)
{
    Record record;
    record.message = message;
    Start(std::move(record));
}

void
NpuFabric::Core::Start(Record record)
{
    npunet::engine::Message message = record.message;
    message.wants_sent = message.wants_sent || !m_fabric.m_messageSent.IsEmpty();
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
    m_machine.send(message);
}

void
NpuFabric::Core::on_sent(std::uint32_t handle)
{
    const npunet::engine::Message message = m_records[handle].message;
    m_fabric.m_messageSent(m_fabric.GetNodeId(message.source.index()),
                           m_fabric.GetNodeId(message.destination.index()),
                           static_cast<uint64_t>(message.bytes.value()),
                           Simulator::Now());
    if (message.wants_sent)
    {
        listener_->on_sent(message.handle);
    }
}

void
NpuFabric::Core::on_delivered(std::uint32_t handle, npunet::Time firstByteLeft)
{
    const Record record = std::move(m_records[handle]);
    m_records[handle] = Record();
    m_free.push_back(handle);
    const npunet::engine::Message& message = record.message;
    const uint32_t receiver = m_fabric.GetNodeId(message.destination.index());
    m_fabric.m_messageDelivered(m_fabric.GetNodeId(message.source.index()),
                                receiver,
                                static_cast<uint64_t>(message.bytes.value()),
                                Simulator::Now());
    if (!record.own)
    {
        listener_->on_delivered(message.handle, firstByteLeft);
        return;
    }
    // ns-3 code runs in an event of its own, in the context of its node.
    const Receipt& receipt = record.receipt;
    if (!receipt.delivered.IsNull())
    {
        DeliveredCallback delivered = receipt.delivered;
        const Time left = PicoSeconds(static_cast<uint64_t>(firstByteLeft.ps()));
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
    return m_machine.link_use();
}

std::uint64_t
NpuFabric::Core::packet_hops() const
{
    return m_machine.packet_hops();
}

void
NpuFabric::Core::run(npunet::engine::EventQueue& /* queue */)
{
    Simulator::Run();
}

} // namespace ns3
