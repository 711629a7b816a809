// SPDX-License-Identifier: GPL-2.0-only

#include "npu-ip-ecn.h"

#include <ns3/header.h>

#include <array>
#include <ostream>

namespace ns3
{

namespace
{

constexpr uint16_t IPV4 = 0x0800;
constexpr uint16_t IPV6 = 0x86dd;
constexpr uint8_t CONGESTION = 3;

/// The first bytes of an IP header, up to the checksum of IPv4.
class NpuIpStart final : public Header
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId
    GetTypeId()
    {
        static TypeId tid = TypeId("ns3::NpuIpStart")
                                .SetParent<Header>()
                                .SetGroupName("Npunet")
                                .AddConstructor<NpuIpStart>();
        return tid;
    }

    TypeId
    GetInstanceTypeId() const override
    {
        return GetTypeId();
    }

    uint32_t
    GetSerializedSize() const override
    {
        return static_cast<uint32_t>(bytes.size());
    }

    void
    Serialize(Buffer::Iterator start) const override
    {
        start.Write(bytes.data(), GetSerializedSize());
    }

    uint32_t
    Deserialize(Buffer::Iterator start) override
    {
        start.Read(bytes.data(), GetSerializedSize());
        return GetSerializedSize();
    }

    void
    Print(std::ostream& os) const override
    {
        os << "IP version " << (bytes[0] >> 4);
    }

    std::array<uint8_t, 12> bytes{}; //!< as on the wire
};

NS_OBJECT_ENSURE_REGISTERED(NpuIpStart);

/**
 * @param header of IPv4, whose word 0 becomes another one
 * @param before the 16 bits as they were
 * @param after the 16 bits as they are
 *
 * Source: RFC 1624, equation 3. A checksum of 0 was not computed and stays.
 */
void
CorrectChecksum(std::array<uint8_t, 12>& header, uint16_t before, uint16_t after)
{
    const auto checksum = static_cast<uint16_t>(header[10] << 8 | header[11]);
    if (checksum == 0)
    {
        return;
    }
    uint32_t sum = static_cast<uint16_t>(~checksum);
    sum += static_cast<uint16_t>(~before);
    sum += after;
    sum = (sum & 0xffff) + (sum >> 16);
    sum = (sum & 0xffff) + (sum >> 16);
    const auto corrected = static_cast<uint16_t>(~sum);
    header[10] = static_cast<uint8_t>(corrected >> 8);
    header[11] = static_cast<uint8_t>(corrected & 0xff);
}

} // namespace

bool
NpuIsEcnCapable(const Ptr<const Packet>& packet, uint16_t protocol)
{
    std::array<uint8_t, 2> start{};
    if ((protocol != IPV4 && protocol != IPV6) ||
        packet->CopyData(start.data(), static_cast<uint32_t>(start.size())) < start.size())
    {
        return false;
    }
    const int field = protocol == IPV4 ? start[1] & 3 : start[1] >> 4 & 3;
    return field != 0;
}

void
NpuMarkCongestion(const Ptr<Packet>& packet, uint16_t protocol)
{
    NpuIpStart start;
    packet->RemoveHeader(start);
    const auto before = static_cast<uint16_t>(start.bytes[0] << 8 | start.bytes[1]);
    if (protocol == IPV4)
    {
        start.bytes[1] |= CONGESTION;
        const auto after = static_cast<uint16_t>(start.bytes[0] << 8 | start.bytes[1]);
        CorrectChecksum(start.bytes, before, after);
    }
    else
    {
        start.bytes[1] |= CONGESTION << 4;
    }
    packet->AddHeader(start);
}

} // namespace ns3
