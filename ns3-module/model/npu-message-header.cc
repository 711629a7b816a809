// SPDX-License-Identifier: GPL-2.0-only

#include "npu-message-header.h"

#include <ostream>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(NpuMessageHeader);

TypeId
NpuMessageHeader::GetTypeId()
{
    static TypeId tid = TypeId("ns3::NpuMessageHeader")
                            .SetParent<Header>()
                            .SetGroupName("Npunet")
                            .AddConstructor<NpuMessageHeader>();
    return tid;
}

void
NpuMessageHeader::Print(std::ostream& os) const
{
    os << "npu=" << source << " message=" << number << " bytes=" << bytes << " offset=" << offset;
}

void
NpuMessageHeader::Serialize(Buffer::Iterator start) const
{
    start.WriteHtonU32(source);
    start.WriteHtonU32(number);
    start.WriteHtonU64(bytes);
    start.WriteHtonU64(offset);
}

uint32_t
NpuMessageHeader::Deserialize(Buffer::Iterator start)
{
    source = start.ReadNtohU32();
    number = start.ReadNtohU32();
    bytes = start.ReadNtohU64();
    offset = start.ReadNtohU64();
    return SIZE;
}

} // namespace ns3
