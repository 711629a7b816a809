/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NPU_FABRIC_CORE_H
#define NPU_FABRIC_CORE_H

#include "npu-event-bridge.h"
#include "npu-fabric.h"
#include "npu-packet-machine.h"
#include "npu-trace-feed.h"

namespace ns3
{

/**
 * @ingroup npunet
 * What an NpuFabric is made of, and the messages under way on it. Not installed: it keeps the
 * machine's headers out of the fabric's.
 */
class NpuFabric::Core final : public npunet::engine::Network,
                              private npunet::engine::MessageListener
{
  public:
    /**
     * @param fabric that owns this
     * @param network the network, with its packet parameters
     */
    Core(NpuFabric& fabric, npunet::topology::NetworkDescription network);

    /// What becomes of a message that someone other than the engine has sent.
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
    std::uint64_t packet_hops() const override;
    void run(npunet::engine::EventQueue& queue) override;

    npunet::topology::NetworkDescription description; //!< the network
    npunet::engine::EventQueue queue;                 //!< driven by the bridge

  private:
    /// A message under way.
    struct Record
    {
        npunet::engine::Message message; //!< as its sender gave it
        bool own{false};                 //!< not the engine's
        Receipt receipt;                 //!< of the fabric's own
    };

    /**
     * Hands a message to the machine.
     * @param record the message
     */
    void Start(Record record);

    // The machine's side
    void on_sent(std::uint32_t handle) override;
    void on_delivered(std::uint32_t handle, npunet::Time firstByteLeft) override;

    NpuFabric& m_fabric;                     //!< that owns this
    npunet::packet::PacketMachine m_machine; //!< moves the packets
    NpuTraceFeed m_feed;                     //!< of the devices
    NpuEventBridge m_bridge;                 //!< lets ns-3 drive the queue
    std::vector<Record> m_records;           //!< messages under way, by handle
    std::vector<std::uint32_t> m_free;       //!< handles to be used again
    std::vector<std::uint64_t> m_ownCount;   //!< own messages sent so far, by source
};

} // namespace ns3

#endif /* NPU_FABRIC_CORE_H */
