// SPDX-License-Identifier: GPL-2.0-only

#ifndef NPU_FABRIC_CORE_H
#define NPU_FABRIC_CORE_H

#include "npu-event-bridge.h"
#include "npu-fabric.h"
#include "npu-mpi-channel.h"
#include "npu-processes.h"
#include "npu-trace-feed.h"
#include "packet/base/packet_network.h"
#include "packet/partition/partition_link.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup npunet
 * What an NpuFabric is made of, and the messages under way on it. Not installed: it keeps the
 * machine's headers out of the fabric's.
 */
class NpuFabric::Core final : public npunet::engine::Network,
                              private npunet::engine::MessageListener,
                              private npunet::packet::DatagramListener,
                              private npunet::packet::PartitionLink
{
  public:
    /**
     * @param fabric that owns this
     * @param network the network, with its packet parameters
     * @param trains whether packets that follow a pattern may be moved together
     * @param datagrams whether ns3::Packets are datagrams, where the network has them
     */
    Core(NpuFabric& fabric,
         npunet::topology::NetworkDescription network,
         bool trains,
         bool datagrams);

    /**
     * @return whether ns3::Packets are datagrams
     */
    bool
    CarriesDatagrams() const
    {
        return m_datagrams && m_level->carries_datagrams();
    }

    /// What becomes of a message that was not sent by the engine.
    struct Receipt
    {
        DeliveredCallback delivered; //!< of Send(); may be null
        Ptr<Packet> packet;          //!< of SendPacket(); may be null
        uint16_t protocol{0};        //!< of the packet
        Mac48Address from;           //!< of the packet
        Mac48Address to;             //!< of the packet
    };

    /**
     * Sends a message of the fabric's own, from an ns-3 event.
     * @param source an NPU
     * @param destination another NPU
     * @param bytes payload
     * @param trafficClass or CLASS_OF_KIND
     * @param receipt what to do when it arrives
     */
    void SendOwn(npunet::NodeId source,
                 npunet::NodeId destination,
                 npunet::Bytes bytes,
                 uint8_t trafficClass,
                 Receipt receipt);

    /**
     * Moves the packets of this process's nodes only.
     * @param parts by node: its process
     *
     * Throws npunet::InputError where a link between two processes has no latency.
     */
    void Split(std::vector<uint32_t> parts);

    /**
     * @param node a node
     * @return whether this process moves its packets
     */
    bool
    IsHere(npunet::NodeId node) const
    {
        return m_parts.empty() || m_parts[node.index()] == NpuProcesses::GetId();
    }

    /**
     * @return whether Split() was not called
     */
    bool
    IsWhole() const
    {
        return m_parts.empty();
    }

    /// Moves the queue's clock to ns-3's.
    void
    Synchronize()
    {
        m_bridge.Synchronize();
    }

    /**
     * The listeners of a device have changed.
     * @param position number of its node
     * @param device the device
     */
    void
    ListenersChanged(uint32_t position, const Ptr<NpuNetDevice>& device)
    {
        m_bridge.Synchronize();
        m_feed.Update(position, device);
    }

    // The engine's side
    void send(const npunet::engine::Message& message) override;
    std::vector<npunet::engine::LinkUse> link_use() const override;

    bool
    sends_in_order(npunet::NodeId from, npunet::NodeId to) const override
    {
        return m_level->sends_in_order(from, to);
    }

    std::vector<npunet::engine::FlowUse> flow_use() const override;
    std::uint64_t packet_hops() const override;

    npunet::engine::QueuePairLimits
    queue_pair_limits() const override
    {
        return m_level->queue_pair_limits();
    }

    std::string
    explain_stall() const override
    {
        return m_level->explain_stall();
    }

    void
    record_load(npunet::engine::LinkLoadRecorder* load) override
    {
        m_level->record_load(load);
    }

    void run(npunet::engine::EventQueue& queue) override;

    npunet::topology::NetworkDescription description; //!< the network
    npunet::engine::EventQueue queue;                 //!< driven by the bridge

  private:
    /// The fabric's own messages are counted from here, the engine's from 0.
    static constexpr std::uint64_t FIRST_OWN_COUNT = std::uint64_t{1} << 35;

    /// A message under way.
    struct Record
    {
        npunet::engine::Message message; //!< as its sender gave it
        npunet::Time begun;              //!< when its sender did
        bool own{false};                 //!< not the engine's
        bool awaitsSent{false};          //!< on_sent() is to come
        bool isDatagram{false};          //!< sent as a datagram
        bool delivered{false};           //!< on_delivered() has come
        Receipt receipt;                 //!< of the fabric's own
    };

    /**
     * Hands a message to the machine.
     * @param record the message
     */
    void Start(Record record);

    /**
     * @param message of an ns3::Packet
     * @return whether it waits in the queue of its device until it leaves
     */
    bool
    Waits(const npunet::engine::Message& message) const
    {
        return TakesTurns(message) || (message.separate && CarriesDatagrams());
    }

    /**
     * An ns3::Packet that Waits() waits no longer.
     * @param message of the packet
     */
    void LeaveQueue(const npunet::engine::Message& message);

    /**
     * With credits one ns3::Packet of a flow at a time is among the messages of a port, so that the
     * flow has one turn there, whatever the number of its packets.
     * @param message to be sent
     * @return whether it is one of these
     */
    bool
    TakesTurns(const npunet::engine::Message& message) const
    {
        return message.separate &&
               description.packet.flow_control == npunet::topology::FlowControl::Credit;
    }

    /**
     * A packet that TakesTurns() has left its source: the next one of its flow may start.
     * @param message of the packet
     */
    void StartNextOf(const npunet::engine::Message& message);

    /**
     * @param message of an ns3::Packet
     * @return its source, destination and class
     */
    static uint64_t
    FlowOf(const npunet::engine::Message& message)
    {
        return static_cast<uint64_t>(message.source.value()) << 40 |
               static_cast<uint64_t>(message.destination.value()) << 8 | message.traffic_class;
    }

    // The machine's side
    void on_sent(std::uint32_t handle) override;
    void on_delivered(std::uint32_t handle, npunet::Time firstByteLeft) override;
    void datagram_starts(std::uint32_t handle) override;
    void datagram_is_marked(std::uint32_t handle) override;
    void datagram_is_lost(std::uint32_t handle) override;

    // The border of this process's part
    npunet::engine::MessageLabel label_of(std::uint32_t handle) override;
    void frame_leaves(const npunet::packet::BoundaryFrame& frame,
                      npunet::NodeId to,
                      npunet::Time at) override;
    void message_has_left(std::uint32_t handle) override;
    void message_arrives(const npunet::packet::BoundaryMessage& message) override;

    /**
     * @param data what another process has sent
     * @param size in bytes
     */
    void Read(const uint8_t* data, std::size_t size);

    /**
     * @param handle of a message that is not reported any more
     * @return the message
     */
    Record Forget(std::uint32_t handle);

    NpuFabric& m_fabric;                                    //!< that owns this
    bool m_datagrams;                                       //!< for ns3::Packets, if there are any
    std::unique_ptr<npunet::packet::PacketNetwork> m_level; //!< moves the packets
    NpuTraceFeed m_feed;                                    //!< of the devices
    NpuEventBridge m_bridge;                                //!< lets ns-3 drive the queue
    std::vector<Record> m_records;                          //!< messages under way, by handle
    std::vector<std::uint32_t> m_free;                      //!< handles to be used again
    std::vector<std::uint64_t> m_ownCount;                  //!< own messages sent so far, by source
    /// With credits: the ns3::Packets of a flow, one of which leaves its source.
    struct Flow
    {
        npunet::Time start;         //!< of the first one
        std::deque<Record> waiting; //!< those behind
    };

    std::map<uint64_t, Flow> m_flows;            //!< that send now, by FlowOf()
    std::vector<uint32_t> m_parts;               //!< by node: its process; empty: this one
    std::unique_ptr<NpuMpiChannel> m_mpiChannel; //!< writes to other processes
};

} // namespace ns3

#endif /* NPU_FABRIC_CORE_H */
