// SPDX-License-Identifier: GPL-2.0-only

// What crosses the border of this process's part of a fabric.

#include "npu-fabric-core.h"

#include "npu-net-device.h"
#include "npu-quantities.h"

#include <ns3/abort.h>
#include <ns3/simulator.h>

#include <algorithm>
#include <map>
#include <utility>

namespace ns3
{

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
    m_level->split(std::move(owned), *this);
    m_parts = std::move(parts);

    std::map<std::pair<uint32_t, uint32_t>, NpuMpiChannel::Gate> gates;
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
        NpuMpiChannel::Gate gate{
            {m_parts[low], m_parts[high]},
            {m_fabric.m_devices[low]->GetNode(), m_fabric.m_devices[high]->GetNode()},
            TimeOf(link.latency)};
        const auto [known, added] = gates.emplace(std::pair(m_parts[low], m_parts[high]), gate);
        known->second.delay = std::min(known->second.delay, gate.delay);
    }
    std::vector<NpuMpiChannel::Gate> list;
    for (const auto& [processes, gate] : gates)
    {
        list.push_back(gate);
    }
    m_mpiChannel = std::make_unique<NpuMpiChannel>(
        list, [this](const uint8_t* data, std::size_t size) { Read(data, size); });
}

npunet::engine::MessageLabel
NpuFabric::Core::label_of(std::uint32_t handle)
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
NpuFabric::Core::frame_leaves(const npunet::packet::BoundaryFrame& frame,
                              npunet::NodeId to,
                              npunet::Time at)
{
    m_mpiChannel->Send(m_parts[to.index()], TimeOf(at), frame.bytes());
}

void
NpuFabric::Core::Read(const uint8_t* data, std::size_t size)
{
    m_bridge.Synchronize();
    m_level->enter(data, size);
}

void
NpuFabric::Core::message_has_left(std::uint32_t handle)
{
    const Record record = Forget(handle);
    if (!record.own)
    {
        listener_->on_left(record.message.handle);
    }
}

void
NpuFabric::Core::message_arrives(const npunet::packet::BoundaryMessage& message)
{
    npunet::engine::Message delivered;
    delivered.source = message.source;
    delivered.destination = message.destination;
    delivered.bytes = npunet::Bytes(message.bytes);
    delivered.traffic_class = static_cast<std::uint8_t>(message.traffic_class);
    m_fabric.NotifyDelivered(delivered, npunet::Time::ps(message.start));
    const std::uint64_t count = message.id & ((std::uint64_t{1} << 36) - 1);
    if (count < FIRST_OWN_COUNT)
    {
        listener_->on_delivered_from_afar(
            message.label, npunet::Bytes(message.bytes), npunet::Time::ps(message.first_byte_left));
    }
}

} // namespace ns3
