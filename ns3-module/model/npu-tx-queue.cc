// SPDX-License-Identifier: GPL-2.0-only

#include "npu-tx-queue.h"

#include <ns3/packet.h>
#include <ns3/queue-item.h>
#include <ns3/socket.h>
#include <ns3/uinteger.h>

#include <algorithm>

namespace ns3
{

void
NpuTxQueue::Open(const Ptr<NetDevice>& device, uint8_t classes, uint8_t untagged)
{
    m_waiting.assign(classes, Waiting());
    m_interface =
        CreateObjectWithAttributes<NetDeviceQueueInterface>("NTxQueues", UintegerValue(classes));
    if (classes > 1)
    {
        const auto last = static_cast<uint8_t>(classes - 1);
        m_interface->SetSelectQueueCallback([last, untagged](Ptr<QueueItem> item) -> std::size_t {
            SocketPriorityTag tag;
            return item->GetPacket()->PeekPacketTag(tag) ? std::min(tag.GetPriority(), last)
                                                         : untagged;
        });
    }
    device->AggregateObject(m_interface);
}

bool
NpuTxQueue::HasRoom(uint8_t trafficClass, uint32_t bytes) const
{
    const Waiting& waiting = m_waiting[trafficClass];
    const bool fits = m_size.GetUnit() == QueueSizeUnit::PACKETS
                          ? waiting.packets < m_size.GetValue()
                          : waiting.bytes + bytes <= m_size.GetValue();
    return fits || waiting.packets == 0;
}

void
NpuTxQueue::Join(uint8_t trafficClass, uint32_t bytes, uint32_t most)
{
    ++m_waiting[trafficClass].packets;
    m_waiting[trafficClass].bytes += bytes;
    if (m_interface && !HasRoom(trafficClass, most))
    {
        m_interface->GetTxQueue(trafficClass)->Stop();
    }
}

bool
NpuTxQueue::Leave(uint8_t trafficClass, uint32_t bytes)
{
    --m_waiting[trafficClass].packets;
    m_waiting[trafficClass].bytes -= bytes;
    return m_interface && m_interface->GetTxQueue(trafficClass)->IsStopped();
}

void
NpuTxQueue::Wake(uint8_t trafficClass, uint32_t most)
{
    if (m_interface && HasRoom(trafficClass, most))
    {
        m_interface->GetTxQueue(trafficClass)->Wake();
    }
}

} // namespace ns3
