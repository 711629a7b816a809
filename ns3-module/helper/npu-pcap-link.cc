// SPDX-License-Identifier: GPL-2.0-only

#include "npu-pcap-link.h"

#include "ns3/npu-net-device.h"
#include "ns3/npu-trace-records.h"

#include <ns3/callback.h>
#include <ns3/mac48-address.h>

#include <algorithm>
#include <array>

namespace ns3
{

namespace
{

/// The first bytes of a frame, in network order.
class FrameWriter
{
  public:
    /**
     * @param value a number
     * @param bytes how many of it, the lowest ones
     */
    void
    Put(uint64_t value, unsigned bytes)
    {
        for (unsigned byte = bytes; byte-- > 0;)
        {
            m_bytes[m_size++] = static_cast<uint8_t>(value >> (8 * byte));
        }
    }

    /**
     * @param address of a device
     */
    void
    Put(const Mac48Address& address)
    {
        address.CopyTo(m_bytes.data() + m_size);
        m_size += 6;
    }

    /**
     * Sets the checksum of an IPv4 header, RFC 1071, whose field is 0.
     * @param begin where the header is
     */
    void
    SetChecksum(std::size_t begin)
    {
        uint32_t sum = 0;
        for (std::size_t i = begin; i < begin + 20; i += 2)
        {
            sum += uint32_t{m_bytes[i]} << 8 | m_bytes[i + 1];
        }
        sum = (sum & 0xffff) + (sum >> 16);
        sum = ~((sum & 0xffff) + (sum >> 16));
        m_bytes[begin + 10] = static_cast<uint8_t>(sum >> 8);
        m_bytes[begin + 11] = static_cast<uint8_t>(sum);
    }

    /**
     * @return as many as a file takes; zeros behind those that were put
     */
    const uint8_t*
    Get() const
    {
        return m_bytes.data();
    }

  private:
    std::array<uint8_t, NPU_PCAP_SNAP_LENGTH> m_bytes{}; //!< of the frame
    std::size_t m_size{0};                               //!< how many were put
};

/// Opcodes of BTH (InfiniBand Architecture Specification, volume 1, 9.2.1; annex A17 for CNP).
uint8_t
OpcodeOf(NpuPacketRecord::Kind kind)
{
    switch (kind)
    {
    case NpuPacketRecord::DATA:
        return 0x07; // RC, RDMA WRITE middle
    case NpuPacketRecord::NOTIFICATION:
        return 0x81; // CNP
    case NpuPacketRecord::CREDIT_REQUEST:
        return 0xc0;
    case NpuPacketRecord::CREDIT_GRANT:
        return 0xc1;
    default:
        return 0x11; // RC, acknowledge
    }
}

void
PutPause(const NpuPacketRecord& packet, const Mac48Address& from, FrameWriter& frame)
{
    frame.Put(0x0180c2000001, 6);
    frame.Put(from);
    frame.Put(0x8808, 2); // MAC control
    frame.Put(0x0101, 2); // PFC, IEEE 802.1Qbb
    frame.Put(uint64_t{1} << packet.trafficClass, 2);
    for (unsigned each = 0; each < 8; ++each)
    {
        const bool holds = packet.kind == NpuPacketRecord::PAUSE && each == packet.trafficClass;
        frame.Put(holds ? 0xffff : 0, 2);
    }
}

void
PutRoce(const NpuPacketRecord& packet,
        const Mac48Address& from,
        const Mac48Address& to,
        FrameWriter& frame)
{
    constexpr uint64_t addresses = 0x0a000001;
    constexpr unsigned ethernet = 14;
    constexpr unsigned ip = 20;
    constexpr unsigned udp = 8;
    constexpr unsigned bth = 12;
    constexpr unsigned aeth = 4;
    const bool isAck = packet.kind == NpuPacketRecord::ACKNOWLEDGEMENT;
    const bool hasAeth =
        isAck || packet.kind == NpuPacketRecord::GO_BACK || packet.kind == NpuPacketRecord::TRIMMED;
    // Packets of the fabric may be smaller than these headers, and larger than IP packets.
    const uint64_t least = ip + udp + bth + (hasAeth ? aeth : 0);
    const uint64_t length =
        std::clamp<uint64_t>(packet.wireBytes, ethernet + least, ethernet + 0xffff) - ethernet;
    const uint64_t ecn = packet.kind != NpuPacketRecord::DATA ? 0 : packet.marked ? 3 : 2;
    frame.Put(to);
    frame.Put(from);
    frame.Put(0x0800, 2); // IPv4
    frame.Put(0x45, 1);
    frame.Put(uint64_t{packet.trafficClass} << 5 | ecn, 1);
    frame.Put(length, 2);
    frame.Put(0x4000, 4); // no identification, do not fragment
    frame.Put(64, 1);
    frame.Put(17, 1); // UDP
    frame.Put(0, 2);
    frame.Put(addresses + packet.source, 4);
    frame.Put(addresses + packet.destination, 4);
    frame.SetChecksum(ethernet);
    frame.Put(0xc000, 2);
    frame.Put(4791, 2);
    frame.Put(length - ip, 2);
    frame.Put(0, 2);
    frame.Put(OpcodeOf(packet.kind), 1);
    frame.Put(0, 1);
    frame.Put(0xffff, 2);                                                  // the default partition
    frame.Put(packet.kind == NpuPacketRecord::NOTIFICATION ? 0x40 : 0, 1); // BECN
    frame.Put(packet.source, 3);
    const bool hasNumber = packet.sequence != NpuPacketRecord::NO_SEQUENCE;
    frame.Put(hasNumber ? packet.sequence & 0xffffff : 0, 4);
    if (hasAeth)
    {
        // AETH: an ACK without credits, or the NAK of a sequence error.
        frame.Put(isAck ? 0x1f : 0x60, 1);
        frame.Put(0, 3);
    }
}

} // namespace

void
HookNpuPcapLink(Ptr<PcapFileWrapper> file, Ptr<NpuFabric> fabric, uint32_t link)
{
    const npunet::topology::Link& ends =
        fabric->GetDescription().graph.link(npunet::LinkId(std::size_t{link}));
    const Ptr<NpuNetDevice> device = fabric->GetDevice(ends.from.index());
    const Mac48Address from = Mac48Address::ConvertFrom(device->GetAddress());
    const Mac48Address to =
        Mac48Address::ConvertFrom(fabric->GetDevice(ends.to.index())->GetAddress());
    const auto write = [file, link, from, to](const NpuPacketRecord& packet) {
        if (packet.link != link || packet.event != NpuPacketRecord::SENT)
        {
            return;
        }
        FrameWriter frame;
        if (packet.kind == NpuPacketRecord::PAUSE || packet.kind == NpuPacketRecord::RESUME)
        {
            PutPause(packet, from, frame);
        }
        else
        {
            PutRoce(packet, from, to, frame);
        }
        file->Write(packet.time, frame.Get(), packet.wireBytes);
    };
    device->TraceConnectWithoutContext("Packet", Callback<void, const NpuPacketRecord&>(write));
}

} // namespace ns3
