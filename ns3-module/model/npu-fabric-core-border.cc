/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// What crosses the border of this process's part of a fabric.

#include "npu-fabric-core.h"

#include "npu-net-device.h"

#include "base/errors.h"

#include <ns3/abort.h>
#include <ns3/simulator.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <string>
#include <type_traits>
#include <utility>

namespace ns3
{

namespace
{

/// What a frame begins with.
enum FrameKind : uint8_t
{
    PACKET_FRAME = 1, //!< a BorderPacket follows
    CREDIT_FRAME = 2  //!< a BorderCredit follows
};

/**
 * The processes of one simulation run the same program on machines of one kind, so values cross as
 * they are in memory.
 * @param kind of the frame
 * @param value the rest of it
 * @return the frame
 */
template <class Value>
std::array<uint8_t, 1 + sizeof(Value)>
FrameOf(FrameKind kind, const Value& value)
{
    static_assert(std::is_trivially_copyable_v<Value>);
    std::array<uint8_t, 1 + sizeof(Value)> frame{};
    frame[0] = kind;
    std::memcpy(frame.data() + 1, &value, sizeof(Value));
    return frame;
}

/**
 * @param data a frame
 * @param size of it
 * @return its value
 */
template <class Value>
Value
ValueOf(const uint8_t* data, uint32_t size)
{
    NS_ABORT_MSG_IF(size != 1 + sizeof(Value), "a frame of another program");
    Value value;
    std::memcpy(&value, data + 1, sizeof(Value));
    return value;
}

/**
 * @param time of the machine
 * @return the same for ns-3
 */
Time
OfNs3(npunet::Time time)
{
    return TimeStep(static_cast<uint64_t>(time.ps()));
}

} // namespace

void
NpuFabric::Core::Split(std::vector<uint32_t> parts)
{
    const npunet::topology::Graph& graph = description.graph;
    std::vector<bool> owned(parts.size());
    for (std::size_t node = 0; node < parts.size(); ++node)
    {
        NS_ABORT_MSG_IF(parts[node] >= NpuProcesses::GetCount(),
                        "node " << node << " of the fabric has the system id " << parts[node]
                                << ", but there are " << NpuProcesses::GetCount() << " processes");
        owned[node] = parts[node] == NpuProcesses::GetId();
    }
    if (m_machine == nullptr)
    {
        throw npunet::InputError(
            {"",
             "NpuFabric::FlowControl",
             std::string(npunet::topology::name_of(description.packet.flow_control)) +
                 " on a network that is split over processes",
             "credit",
             "Run networks with Ethernet-like switches in one process"});
    }
    m_machine->Split(std::move(owned), *this);
    m_parts = std::move(parts);

    std::map<std::pair<uint32_t, uint32_t>, NpuCourier::Gate> gates;
    for (std::size_t i = 0; i < graph.links(); ++i)
    {
        const npunet::topology::Link& link = graph.link(npunet::LinkId(i));
        std::size_t low = link.from.index();
        std::size_t high = link.to.index();
        if (m_parts[low] == m_parts[high])
        {
            continue;
        }
        if (m_parts[low] > m_parts[high])
        {
            std::swap(low, high);
        }
        NpuCourier::Gate gate{
            {m_parts[low], m_parts[high]},
            {m_fabric.m_devices[low]->GetNode(), m_fabric.m_devices[high]->GetNode()},
            OfNs3(link.latency)};
        const auto [known, added] = gates.emplace(std::pair(m_parts[low], m_parts[high]), gate);
        known->second.delay = std::min(known->second.delay, gate.delay);
    }
    std::vector<NpuCourier::Gate> list;
    for (const auto& [processes, gate] : gates)
    {
        list.push_back(gate);
    }
    m_courier = std::make_unique<NpuCourier>(
        list, [this](const uint8_t* data, uint32_t size) { Read(data, size); });
}

npunet::engine::MessageLabel
NpuFabric::Core::LabelOf(std::uint32_t handle)
{
    const Record& record = m_records[handle];
    NS_ABORT_MSG_IF(!record.receipt.delivered.IsNull(),
                    "NpuFabric::Send() cannot call back from another process: listen to the "
                    "fabric's MessageDelivered there");
    NS_ABORT_MSG_IF(record.receipt.packet,
                    "ns3::Packets, and with them the internet stack, do not cross a fabric from "
                    "one process to another");
    return record.own ? npunet::engine::MessageLabel() : listener_->label_of(record.message.handle);
}

void
NpuFabric::Core::PacketLeaves(const npunet::packet::BorderPacket& packet, npunet::Time at)
{
    const auto frame = FrameOf(PACKET_FRAME, packet);
    const npunet::NodeId to = description.graph.link(npunet::LinkId(std::size_t{packet.link})).to;
    m_courier->Send(m_parts[to.index()], OfNs3(at), frame.data(), frame.size());
}

void
NpuFabric::Core::CreditLeaves(const npunet::packet::BorderCredit& credit, npunet::Time at)
{
    const auto frame = FrameOf(CREDIT_FRAME, credit);
    const npunet::NodeId to = description.graph.link(npunet::LinkId(std::size_t{credit.link})).from;
    m_courier->Send(m_parts[to.index()], OfNs3(at), frame.data(), frame.size());
}

void
NpuFabric::Core::Read(const uint8_t* data, uint32_t size)
{
    m_bridge.Synchronize();
    if (data[0] == PACKET_FRAME)
    {
        m_machine->Enter(ValueOf<npunet::packet::BorderPacket>(data, size));
    }
    else
    {
        m_machine->Enter(ValueOf<npunet::packet::BorderCredit>(data, size));
    }
}

void
NpuFabric::Core::MessageHasLeft(std::uint32_t handle)
{
    const Record record = Forget(handle);
    if (!record.own)
    {
        listener_->on_left(record.message.handle);
    }
}

void
NpuFabric::Core::MessageArrives(const npunet::packet::BorderMessage& message)
{
    npunet::engine::Message delivered;
    delivered.source = message.source;
    delivered.destination = message.destination;
    delivered.bytes = npunet::Bytes(message.bytes);
    delivered.traffic_class = static_cast<std::uint8_t>(message.trafficClass);
    m_fabric.NotifyDelivered(delivered, npunet::Time::ps(message.start));
    const std::uint64_t count = message.id & ((std::uint64_t{1} << 36) - 1);
    if (count < FIRST_OWN_COUNT)
    {
        listener_->on_delivered_from_afar(
            message.label, npunet::Bytes(message.bytes), npunet::Time::ps(message.firstByteLeft));
    }
}

} // namespace ns3
