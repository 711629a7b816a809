// SPDX-License-Identifier: GPL-2.0-only

#include "npu-net-device.h"

#include "npu-channel.h"
#include "npu-fabric.h"
#include "npu-segment.h"
#include "npu-trace-accessor.h"

#include <ns3/ethernet-header.h>
#include <ns3/log.h>
#include <ns3/node.h>
#include <ns3/pointer.h>
#include <ns3/simulator.h>
#include <ns3/trace-source-accessor.h>
#include <ns3/uinteger.h>

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("NpuNetDevice");

NS_OBJECT_ENSURE_REGISTERED(NpuNetDevice);

TypeId
NpuNetDevice::GetTypeId()
{
    const auto packets = [](auto source) {
        return MakeNpuTraceAccessor(source, &NpuNetDevice::ListenersChanged);
    };
    static TypeId tid =
        TypeId("ns3::NpuNetDevice")
            .SetParent<NetDevice>()
            .SetGroupName("Npunet")
            .AddConstructor<NpuNetDevice>()
            .AddAttribute("Mtu",
                          "The largest ns3::Packet that Send() takes, in bytes. Where the fabric "
                          "carries datagrams, the payload of its packets is the limit if that is "
                          "less; elsewhere it cuts an ns3::Packet into packets of its own size.",
                          UintegerValue(65535),
                          MakeUintegerAccessor(&NpuNetDevice::SetMtu, &NpuNetDevice::GetMtu),
                          MakeUintegerChecker<uint16_t>(1))
            .AddAttribute("Address",
                          "The MAC address of this device.",
                          Mac48AddressValue(Mac48Address("ff:ff:ff:ff:ff:ff")),
                          MakeMac48AddressAccessor(&NpuNetDevice::m_address),
                          MakeMac48AddressChecker())
            .AddAttribute(
                "TxQueueSize",
                "Most ns3::Packets, or bytes of them, that wait at an NPU in one traffic "
                "class, without the one that is being sent. Not with the fabric's "
                "PacketService Reliable without credits, which limits nothing.",
                QueueSizeValue(QueueSize("100p")),
                MakeQueueSizeAccessor(&NpuNetDevice::SetTxQueueSize, &NpuNetDevice::GetTxQueueSize),
                MakeQueueSizeChecker())
            .AddAttribute("Fabric",
                          "The fabric that the device is attached to (read only).",
                          TypeId::ATTR_GET,
                          PointerValue(),
                          MakePointerAccessor(&NpuNetDevice::GetFabric),
                          MakePointerChecker<NpuFabric>())
            .AddTraceSource("PacketSent",
                            "A packet of the fabric is put on one of the links of this node.",
                            packets(&NpuNetDevice::m_packetSent),
                            "ns3::NpuNetDevice::PacketSentTracedCallback")
            .AddTraceSource("PacketReceived",
                            "The last byte of a packet of the fabric has come in at this node.",
                            packets(&NpuNetDevice::m_packetReceived),
                            "ns3::NpuNetDevice::PacketReceivedTracedCallback")
            .AddTraceSource(
                "QueueLength",
                "The bytes have changed that have come in and wait for one of the links "
                "of this node. Messages that start here do not count.",
                packets(&NpuNetDevice::m_queueLength),
                "ns3::NpuNetDevice::QueueLengthTracedCallback")
            .AddTraceSource("CreditStall",
                            "One of the links of this node sends again after it was idle for want "
                            "of credit.",
                            packets(&NpuNetDevice::m_creditStall),
                            "ns3::NpuNetDevice::CreditStallTracedCallback")
            .AddTraceSource("PacketDropped",
                            "A packet of the fabric is lost in front of one of the links of this "
                            "node or on it; then it is told when the packet starts. Fabrics with "
                            "credits drop nothing.",
                            packets(&NpuNetDevice::m_packetDropped),
                            "ns3::NpuNetDevice::PacketDroppedTracedCallback")
            .AddTraceSource("PacketMarked",
                            "A packet of the fabric is marked (ECN) as it comes to wait for one of "
                            "the links of this node.",
                            packets(&NpuNetDevice::m_packetMarked),
                            "ns3::NpuNetDevice::PacketMarkedTracedCallback")
            .AddTraceSource("Packet",
                            "A packet of the fabric is put on one of the links of this node, or is "
                            "dropped or marked there: with its flow, number and kind.",
                            packets(&NpuNetDevice::m_packet),
                            "ns3::NpuNetDevice::PacketTracedCallback")
            .AddTraceSource("Sender",
                            "A sender of this NPU has heard of acknowledgements, congestion or "
                            "losses: its rate, window, round trip and estimate of congestion.",
                            packets(&NpuNetDevice::m_sender),
                            "ns3::NpuNetDevice::SenderTracedCallback")
            .AddTraceSource(
                "Pause",
                "One of the links of this node is told to pause a traffic class, or may go on.",
                packets(&NpuNetDevice::m_pause),
                "ns3::NpuNetDevice::PauseTracedCallback")
            .AddTraceSource("MacTx",
                            "A packet has arrived from above for transmission.",
                            MakeTraceSourceAccessor(&NpuNetDevice::m_macTx),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("MacTxDrop",
                            "A packet from above is refused: too large, to an unknown address, "
                            "handed to a switch, or no room to wait.",
                            MakeTraceSourceAccessor(&NpuNetDevice::m_macTxDrop),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("DatagramLost",
                            "A packet from above is lost on its route through the fabric.",
                            MakeTraceSourceAccessor(&NpuNetDevice::m_datagramLost),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("MacRx",
                            "A packet has come in over the fabric and goes up.",
                            MakeTraceSourceAccessor(&NpuNetDevice::m_macRx),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("Sniffer",
                            "A packet that is accepted from above or goes up, behind an Ethernet "
                            "header and without a trailer, for pcap.",
                            MakeTraceSourceAccessor(&NpuNetDevice::m_sniffer),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("PromiscSniffer",
                            "The same: what goes to others does not pass by this device.",
                            MakeTraceSourceAccessor(&NpuNetDevice::m_promiscSniffer),
                            "ns3::Packet::TracedCallback");
    return tid;
}

void
NpuNetDevice::SetFabric(Ptr<NpuFabric> fabric, uint32_t position)
{
    m_fabric = fabric;
    m_position = position;
}

Ptr<NpuFabric>
NpuNetDevice::GetFabric() const
{
    return m_fabric;
}

void
NpuNetDevice::AddChannel(Ptr<NpuChannel> channel)
{
    m_channels.push_back(channel);
}

bool
NpuNetDevice::IsLinkUp() const
{
    return m_fabric && m_fabric->HasLinkUp(m_position);
}

void
NpuNetDevice::AddLinkChangeCallback(Callback<void> callback)
{
    const bool first = m_linkChange.IsEmpty();
    m_linkChange.ConnectWithoutContext(callback);
    if (first && m_fabric)
    {
        m_fabric->WatchLinks(this);
    }
}

void
NpuNetDevice::LinksChange()
{
    if (m_fabric && IsLinkUp() != m_linkWasUp)
    {
        m_linkWasUp = !m_linkWasUp;
        m_linkChange();
    }
}

void
NpuNetDevice::SetSegment(Ptr<NpuSegment> segment)
{
    m_segment = segment;
}

Ptr<NpuChannel>
NpuNetDevice::GetChannel(std::size_t i) const
{
    return m_channels.at(i);
}

void
NpuNetDevice::Receive(Ptr<Packet> packet,
                      uint16_t protocol,
                      Mac48Address source,
                      Mac48Address destination)
{
    NS_LOG_FUNCTION(this << packet << protocol << source << destination);
    m_macRx(packet);
    Sniff(packet, source, destination, protocol);
    if (!m_promiscuous.IsNull())
    {
        PacketType type = PACKET_HOST;
        if (destination.IsGroup())
        {
            type = destination.IsBroadcast() ? PACKET_BROADCAST : PACKET_MULTICAST;
        }
        m_promiscuous(this, packet->Copy(), protocol, source, destination, type);
    }
    if (!m_receive.IsNull())
    {
        m_receive(this, packet, protocol, source);
    }
}

void
NpuNetDevice::Sniff(Ptr<const Packet> packet,
                    const Mac48Address& source,
                    const Mac48Address& destination,
                    uint16_t protocol) const
{
    if (m_sniffer.IsEmpty() && m_promiscSniffer.IsEmpty())
    {
        return;
    }
    EthernetHeader header(false);
    header.SetSource(source);
    header.SetDestination(destination);
    header.SetLengthType(protocol);
    const Ptr<Packet> frame = packet->Copy();
    frame->AddHeader(header);
    m_sniffer(frame);
    m_promiscSniffer(frame);
}

void
NpuNetDevice::ListenersChanged()
{
    if (m_fabric)
    {
        m_fabric->ListenersChanged(m_position);
    }
}

bool
NpuNetDevice::HasPacketListeners() const
{
    return !m_packetSent.IsEmpty() || !m_packetReceived.IsEmpty() || !m_queueLength.IsEmpty() ||
           !m_creditStall.IsEmpty() || !m_packetDropped.IsEmpty() || !m_packetMarked.IsEmpty() ||
           !m_pause.IsEmpty() || !m_packet.IsEmpty() || !m_sender.IsEmpty();
}

bool
NpuNetDevice::BeginQueueLengths()
{
    const bool begins = !m_queueLength.IsEmpty() && !m_countsQueues;
    m_countsQueues = !m_queueLength.IsEmpty();
    if (begins)
    {
        ++m_queueEpoch;
        m_waiting.clear();
    }
    return begins;
}

void
NpuNetDevice::TellPacketReceived(uint32_t link, uint32_t wireBytes)
{
    if (m_node)
    {
        m_packetReceived(m_node->GetId(), link, wireBytes, Simulator::Now());
    }
}

void
NpuNetDevice::TellQueueLength(uint32_t link, int64_t bytes, uint32_t epoch)
{
    if (!m_countsQueues || epoch != m_queueEpoch)
    {
        return;
    }
    int64_t& waiting = m_waiting[link];
    const int64_t before = waiting;
    waiting += bytes;
    m_queueLength(link, static_cast<uint64_t>(before), static_cast<uint64_t>(waiting));
}

Ptr<Channel>
NpuNetDevice::GetChannel() const
{
    if (m_segment)
    {
        return m_segment;
    }
    return m_channels.empty() ? nullptr : m_channels.front();
}

void
NpuNetDevice::SetAddress(Address address)
{
    m_address = Mac48Address::ConvertFrom(address);
}

bool
NpuNetDevice::SetMtu(const uint16_t mtu)
{
    m_mtu = mtu;
    return GetMtu() == mtu;
}

uint16_t
NpuNetDevice::GetMtu() const
{
    return m_fabric ? std::min(m_mtu, m_fabric->GetPacketMtu()) : m_mtu;
}

void
NpuNetDevice::PacketWaits(uint8_t trafficClass, uint32_t bytes)
{
    m_txQueue.Join(trafficClass, bytes, GetMtu());
}

void
NpuNetDevice::PacketLeaves(uint8_t trafficClass, uint32_t bytes)
{
    if (m_txQueue.Leave(trafficClass, bytes) && m_node)
    {
        Simulator::ScheduleWithContext(m_node->GetId(),
                                       Time(0),
                                       &NpuNetDevice::WakeQueue,
                                       Ptr<NpuNetDevice>(this),
                                       trafficClass);
    }
}

void
NpuNetDevice::TellDatagramLost(Ptr<Packet> packet)
{
    m_datagramLost(packet);
}

void
NpuNetDevice::WakeQueue(uint8_t trafficClass)
{
    m_txQueue.Wake(trafficClass, GetMtu());
}

bool
NpuNetDevice::Send(Ptr<Packet> packet, const Address& dest, uint16_t protocolNumber)
{
    return SendFrom(packet, m_address, dest, protocolNumber);
}

bool
NpuNetDevice::SendFrom(Ptr<Packet> packet,
                       const Address& source,
                       const Address& dest,
                       uint16_t protocolNumber)
{
    NS_LOG_FUNCTION(this << packet << source << dest << protocolNumber);
    NS_ABORT_MSG_IF(!m_fabric, "NpuFabricHelper::Install() attaches the device to a fabric");
    if (!m_fabric->IsHere(m_position))
    {
        return true; // another process sends and tells
    }
    m_macTx(packet);
    const bool accepted = packet->GetSize() <= GetMtu() && m_fabric->IsNpu(m_position) &&
                          m_txQueue.HasRoom(m_fabric->GetClassOf(packet), packet->GetSize()) &&
                          m_fabric->SendPacket(m_position,
                                               packet->Copy(),
                                               protocolNumber,
                                               Mac48Address::ConvertFrom(source),
                                               Mac48Address::ConvertFrom(dest));
    if (!accepted)
    {
        m_macTxDrop(packet);
        return false;
    }
    Sniff(
        packet, Mac48Address::ConvertFrom(source), Mac48Address::ConvertFrom(dest), protocolNumber);
    return true;
}

Ptr<Node>
NpuNetDevice::GetNode() const
{
    return m_node;
}

void
NpuNetDevice::SetNode(Ptr<Node> node)
{
    m_node = node;
}

void
NpuNetDevice::DoDispose()
{
    m_node = nullptr;
    m_fabric = nullptr;
    m_segment = nullptr;
    m_channels.clear();
    m_txQueue.Close();
    m_receive = ReceiveCallback();
    m_promiscuous = PromiscReceiveCallback();
    NetDevice::DoDispose();
}

} // namespace ns3
