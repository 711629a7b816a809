// SPDX-License-Identifier: GPL-2.0-only

#ifndef NPU_NET_DEVICE_H
#define NPU_NET_DEVICE_H

#include "npu-trace-records.h"
#include "npu-tx-queue.h"

#include <ns3/mac48-address.h>
#include <ns3/net-device.h>
#include <ns3/nstime.h>
#include <ns3/packet.h>
#include <ns3/traced-callback.h>

#include <cstdint>
#include <map>
#include <vector>

namespace ns3
{

class NpuChannel;
class NpuFabric;
class NpuSegment;

/**
 * @ingroup npunet
 * The attachment of one node to an NPU fabric, with all its ports. What ns-3 applications and
 * protocols hand to Send() crosses the fabric and comes out at the node that owns the destination
 * address: as a datagram, or whole as one message, by the fabric's PacketService. Group addresses
 * are served by one to every other NPU. A SocketPriorityTag of priority p gives it the traffic
 * class p, or the fabric's last where it has fewer. At most TxQueueSize wait at the device in one
 * class; a NetDeviceQueueInterface stops the queue discs above it when there is no room.
 *
 * The devices of switches forward inside the fabric; they neither send nor receive ns3::Packets.
 *
 * PacketSent, PacketDropped, PacketMarked, QueueLength, CreditStall and Pause are told in the midst
 * of what the fabric does: a sink that wants to send a message schedules an event for it
 * (Simulator::ScheduleNow()).
 */
class NpuNetDevice : public NetDevice
{
  public:
    /// Why the fabric drops a packet.
    enum DropReason
    {
        NO_ROOM,   //!< the buffer in front of the link has no room
        TRIMMED,   //!< likewise, but only its payload is cut off and the header goes on
        CORRUPTED, //!< an error on the link (attribute ErrorRate of the fabric)
        LINK_DOWN  //!< the link goes down under it, or never comes back
    };

    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    NpuNetDevice() = default;

    /**
     * Attaches the device to a fabric.
     * @param fabric the fabric
     * @param position number of the node in the fabric's network: NPUs first, then switches
     */
    void SetFabric(Ptr<NpuFabric> fabric, uint32_t position);

    /**
     * @return the fabric; null before the device is attached
     */
    Ptr<NpuFabric> GetFabric() const;

    /**
     * @return number of the node in the fabric's network: NPUs first, then switches
     */
    uint32_t
    GetPosition() const
    {
        return m_position;
    }

    /**
     * @param channel a cable that ends here
     */
    void AddChannel(Ptr<NpuChannel> channel);

    /**
     * @param segment that all NPUs of the fabric are attached to
     */
    void SetSegment(Ptr<NpuSegment> segment);

    /**
     * @return how many cables end here
     */
    std::size_t
    GetNChannels() const
    {
        return m_channels.size();
    }

    /**
     * @param i index of a cable
     * @return the cable
     */
    Ptr<NpuChannel> GetChannel(std::size_t i) const;

    /**
     * @param size attribute TxQueueSize
     */
    void
    SetTxQueueSize(QueueSize size)
    {
        m_txQueue.SetSize(size);
    }

    /**
     * @return attribute TxQueueSize
     */
    QueueSize
    GetTxQueueSize() const
    {
        return m_txQueue.GetSize();
    }

    /**
     * An ns3::Packet has come in over the fabric.
     * @param packet the packet
     * @param protocol protocol number
     * @param source of the packet
     * @param destination of the packet, this device's address or one of a group
     */
    void Receive(Ptr<Packet> packet,
                 uint16_t protocol,
                 Mac48Address source,
                 Mac48Address destination);

    // Inherited from NetDevice
    void
    SetIfIndex(const uint32_t index) override
    {
        m_ifIndex = index;
    }

    uint32_t
    GetIfIndex() const override
    {
        return m_ifIndex;
    }

    /// The segment of all NPUs, or the first cable of a switch; cables: GetChannel(i).
    Ptr<Channel> GetChannel() const override;
    void SetAddress(Address address) override;

    Address
    GetAddress() const override
    {
        return m_address;
    }

    bool SetMtu(const uint16_t mtu) override;

    /// The attribute Mtu, or the payload of a packet where that is less and the fabric carries
    /// datagrams.
    uint16_t GetMtu() const override;

    bool IsLinkUp() const override;

    /**
     * @param callback told when the last link of this node has gone down (AddLinkFault() of
     *                 NpuFabricHelper with a factor of 0), and when one is up again
     */
    void AddLinkChangeCallback(Callback<void> callback) override;

    /**
     * @return whether AddLinkChangeCallback() was called
     */
    bool
    HasLinkListeners() const
    {
        return !m_linkChange.IsEmpty();
    }

    /// Called by the fabric: links of this node have gone down or come up.
    void LinksChange();

    bool
    IsBroadcast() const override
    {
        return true;
    }

    Address
    GetBroadcast() const override
    {
        return Mac48Address::GetBroadcast();
    }

    bool
    IsMulticast() const override
    {
        return true;
    }

    Address
    GetMulticast(Ipv4Address multicastGroup) const override
    {
        return Mac48Address::GetMulticast(multicastGroup);
    }

    Address
    GetMulticast(Ipv6Address addr) const override
    {
        return Mac48Address::GetMulticast(addr);
    }

    bool
    IsBridge() const override
    {
        return false;
    }

    bool
    IsPointToPoint() const override
    {
        return false;
    }

    bool Send(Ptr<Packet> packet, const Address& dest, uint16_t protocolNumber) override;
    bool SendFrom(Ptr<Packet> packet,
                  const Address& source,
                  const Address& dest,
                  uint16_t protocolNumber) override;
    Ptr<Node> GetNode() const override;
    void SetNode(Ptr<Node> node) override;

    bool
    NeedsArp() const override
    {
        return true;
    }

    void
    SetReceiveCallback(ReceiveCallback cb) override
    {
        m_receive = cb;
    }

    void
    SetPromiscReceiveCallback(PromiscReceiveCallback cb) override
    {
        m_promiscuous = cb;
    }

    bool
    SupportsSendFrom() const override
    {
        return true;
    }

    /**
     * TracedCallback signature of PacketSent.
     *
     * @param [in] farNode the ns-3 id of the node at the other end of the link
     * @param [in] wireBytes size of the fabric's packet in bytes, header included
     */
    typedef void (*PacketSentTracedCallback)(uint32_t farNode, uint32_t wireBytes);

    /**
     * TracedCallback signature of PacketReceived.
     *
     * @param [in] node the ns-3 id of this node
     * @param [in] link number of the link in the fabric's network
     * @param [in] wireBytes size of the fabric's packet in bytes, header included
     * @param [in] time now: when its last byte is in
     */
    typedef void (*PacketReceivedTracedCallback)(uint32_t node,
                                                 uint32_t link,
                                                 uint32_t wireBytes,
                                                 Time time);

    /**
     * TracedCallback signature of QueueLength.
     *
     * @param [in] link number of the link in the fabric's network
     * @param [in] oldBytes that waited for it until now, with headers
     * @param [in] newBytes that wait for it from now on
     */
    typedef void (*QueueLengthTracedCallback)(uint32_t link, uint64_t oldBytes, uint64_t newBytes);

    /**
     * TracedCallback signature of CreditStall.
     *
     * @param [in] link number of the link in the fabric's network
     * @param [in] from when the first of its packets could have left, but for credit
     * @param [in] duration of the wait, without the time in which the link was down
     */
    typedef void (*CreditStallTracedCallback)(uint32_t link, Time from, Time duration);

    /**
     * TracedCallback signature of PacketDropped.
     *
     * @param [in] link number of the link, in front of which or on which it is lost, in the
     * fabric's network
     * @param [in] wireBytes size of the fabric's packet in bytes, header included
     * @param [in] reason why it is dropped
     */
    typedef void (*PacketDroppedTracedCallback)(uint32_t link,
                                                uint32_t wireBytes,
                                                NpuNetDevice::DropReason reason);

    /**
     * TracedCallback signature of PacketMarked.
     *
     * @param [in] link number of the link that it comes to wait for in the fabric's network
     * @param [in] wireBytes size of the fabric's packet in bytes, header included
     */
    typedef void (*PacketMarkedTracedCallback)(uint32_t link, uint32_t wireBytes);

    /**
     * TracedCallback signature of Pause.
     *
     * @param [in] link number of the link in the fabric's network
     * @param [in] trafficClass which is paused
     * @param [in] paused whether the link pauses from now on; otherwise it may go on
     */
    typedef void (*PauseTracedCallback)(uint32_t link, uint8_t trafficClass, bool paused);

    /**
     * TracedCallback signature of Packet.
     *
     * @param [in] packet and what happens to it
     */
    typedef void (*PacketTracedCallback)(const NpuPacketRecord& packet);

    /**
     * TracedCallback signature of Sender.
     *
     * @param [in] sender and what it has heard
     */
    typedef void (*SenderTracedCallback)(const NpuSenderRecord& sender);

  protected:
    void DoDispose() override;

  private:
    /// Tells the trace sources of the fabric's packets.
    friend class NpuTraceFeed;

    /// Tells of ns3::Packets that leave, or are lost.
    friend class NpuFabric;

    /**
     * An ns3::Packet waits at this NPU from now on.
     * @param trafficClass of the packet
     * @param bytes of the packet
     */
    void PacketWaits(uint8_t trafficClass, uint32_t bytes);

    /**
     * An ns3::Packet waits no longer. Called in the midst of what the fabric does.
     * @param trafficClass of the packet
     * @param bytes of the packet
     */
    void PacketLeaves(uint8_t trafficClass, uint32_t bytes);

    /**
     * An ns3::Packet of this NPU was lost in the fabric.
     * @param packet the packet
     */
    void TellDatagramLost(Ptr<Packet> packet);

    /**
     * Queue discs may send again.
     * @param trafficClass of the queue
     */
    void WakeQueue(uint8_t trafficClass);

    /// A sink of packets has been connected or disconnected.
    void ListenersChanged();

    /**
     * @return whether anybody listens to what the fabric does to packets
     */
    bool HasPacketListeners() const;

    /**
     * @return true once for each time that QueueLength gets its first listener: lengths are
     *         counted from then on, from 0
     */
    bool BeginQueueLengths();

    /**
     * A packet of the fabric has come in.
     * @param link number of the link in the fabric's network
     * @param wireBytes size of the packet, header included
     */
    void TellPacketReceived(uint32_t link, uint32_t wireBytes);

    /**
     * Bytes begin or cease to wait.
     * @param link number of one of the node's links in the fabric's network
     * @param bytes negative for those that leave
     * @param epoch in which they were counted
     */
    void TellQueueLength(uint32_t link, int64_t bytes, uint32_t epoch);

    /**
     * Shows an ns3::Packet to those who listen to Sniffer and PromiscSniffer.
     * @param packet without addresses
     * @param source of the packet
     * @param destination of the packet
     * @param protocol protocol number
     */
    void Sniff(Ptr<const Packet> packet,
               const Mac48Address& source,
               const Mac48Address& destination,
               uint16_t protocol) const;

    Ptr<Node> m_node;                                   //!< whose device this is
    Ptr<NpuFabric> m_fabric;                            //!< carries the packets
    uint32_t m_position{0};                             //!< number in the fabric's network
    uint32_t m_ifIndex{0};                              //!< index on the node
    uint16_t m_mtu{65535};                              //!< largest ns3::Packet
    NpuTxQueue m_txQueue;                               //!< ns3::Packets that wait
    Mac48Address m_address;                             //!< of the node
    Ptr<NpuSegment> m_segment;                          //!< of all NPUs; null at a switch
    std::vector<Ptr<NpuChannel>> m_channels;            //!< cables
    TracedCallback<> m_linkChange;                      //!< IsLinkUp() has changed
    bool m_linkWasUp{true};                             //!< IsLinkUp() at the last change
    ReceiveCallback m_receive;                          //!< for packets to this node
    PromiscReceiveCallback m_promiscuous;               //!< likewise, with both addresses
    TracedCallback<Ptr<const Packet>> m_macTx;          //!< an ns3::Packet was accepted
    TracedCallback<Ptr<const Packet>> m_macTxDrop;      //!< an ns3::Packet was refused
    TracedCallback<Ptr<const Packet>> m_datagramLost;   //!< an ns3::Packet was lost
    TracedCallback<Ptr<const Packet>> m_macRx;          //!< an ns3::Packet came in
    TracedCallback<Ptr<const Packet>> m_sniffer;        //!< with an Ethernet header
    TracedCallback<Ptr<const Packet>> m_promiscSniffer; //!< with an Ethernet header
    TracedCallback<uint32_t, uint32_t> m_packetSent;    //!< a fabric packet on a link
    /// A fabric packet is in.
    TracedCallback<uint32_t, uint32_t, uint32_t, Time> m_packetReceived;
    TracedCallback<uint32_t, uint64_t, uint64_t> m_queueLength; //!< bytes begin or cease to wait
    TracedCallback<uint32_t, Time, Time> m_creditStall;         //!< a link has waited for credit
    TracedCallback<uint32_t, uint32_t, DropReason> m_packetDropped; //!< a fabric packet is lost
    TracedCallback<const NpuPacketRecord&> m_packet;                //!< a fabric packet at a link
    TracedCallback<const NpuSenderRecord&> m_sender;   //!< a sender has heard something
    TracedCallback<uint32_t, uint32_t> m_packetMarked; //!< a fabric packet is marked
    TracedCallback<uint32_t, uint8_t, bool> m_pause;   //!< a link pauses, or goes on
    bool m_countsQueues{false};                        //!< m_queueLength has sinks
    uint32_t m_queueEpoch{0};                          //!< how often that has begun
    std::map<uint32_t, int64_t> m_waiting;             //!< bytes, by link
};

} // namespace ns3

#endif /* NPU_NET_DEVICE_H */
