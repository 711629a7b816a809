// SPDX-License-Identifier: GPL-2.0-only

#include "npu-stream-reader.h"

#include <algorithm>
#include <utility>

namespace ns3
{

NpuStreamReader::NpuStreamReader(Arrived arrived) : m_arrived(std::move(arrived)), m_bytes{}
{
}

void
NpuStreamReader::Read(Ptr<const Packet> packet)
{
    const uint32_t size = packet->GetSize();
    uint32_t read = 0;
    while (read < size)
    {
        if (m_left == 0)
        {
            read += ReadHeader(packet, read);
            continue;
        }
        const auto part = static_cast<uint32_t>(std::min<uint64_t>(m_left, size - read));
        read += part;
        m_left -= part;
        m_arrived(m_header, part);
    }
}

uint32_t
NpuStreamReader::ReadHeader(Ptr<const Packet> packet, uint32_t from)
{
    const uint32_t part = std::min(NpuMessageHeader::SIZE - m_filled, packet->GetSize() - from);
    packet->CreateFragment(from, part)->CopyData(m_bytes.data() + m_filled, part);
    m_filled += part;
    if (m_filled == NpuMessageHeader::SIZE)
    {
        m_filled = 0;
        Create<Packet>(m_bytes.data(), NpuMessageHeader::SIZE)->RemoveHeader(m_header);
        m_left = m_header.bytes;
        if (m_left == 0)
        {
            m_arrived(m_header, 0);
        }
    }
    return part;
}

} // namespace ns3
