// SPDX-License-Identifier: GPL-2.0-only

#include "npu-message-port.h"

#include <algorithm>

namespace ns3
{

Ptr<Packet>
NpuMessagePort::MakePart(const NpuMessageHeader& header, uint64_t from, uint32_t length)
{
    if (from >= NpuMessageHeader::SIZE)
    {
        return Create<Packet>(length);
    }
    const auto skipped = static_cast<uint32_t>(from);
    const uint32_t ofHeader = std::min(NpuMessageHeader::SIZE - skipped, length);
    Ptr<Packet> part = Create<Packet>(length - ofHeader);
    part->AddHeader(header);
    part->RemoveAtStart(skipped);
    part->RemoveAtEnd(part->GetSize() - length);
    return part;
}

} // namespace ns3
