/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NPU_FABRIC_H
#define NPU_FABRIC_H

#include "engine/event_queue.h"
#include "engine/network.h"
#include "topology/network_description.h"

#include <ns3/callback.h>
#include <ns3/data-rate.h>
#include <ns3/mac48-address.h>
#include <ns3/nstime.h>
#include <ns3/object.h>
#include <ns3/packet.h>
#include <ns3/traced-callback.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

class NpuChakraWorkload;
class NpuNetDevice;

/**
 * @defgroup npunet Networks of NPUs
 * Packet-level networks of NPUs (accelerators that train large models together).
 */

/**
 * @ingroup npunet
 * A network of NPUs at packet level: it owns the packet machine that moves every packet between all
 * nodes, and is driven by ns-3's Simulator. NpuFabricHelper makes one.
 *
 * Messages are sent between NPUs by their number (Send()), as ns3::Packets through the devices
 * (NpuNetDevice), or by a workload engine (GetNetwork()). ns-3 must run in picoseconds
 * (NpuFabricHelper::UsePicoseconds()).
 */
class NpuFabric : public Object
{
  public:
    /// When a packet may leave a node on its way.
    enum SwitchingMode
    {
        STORE_AND_FORWARD, //!< when all of it is in
        CUT_THROUGH        //!< when its header is in
    };

    /// Which of the packets that could leave by a port goes first.
    enum ArbitrationRule
    {
        ROUND_ROBIN, //!< inputs and virtual channels take turns
        OLDEST       //!< that of the message which was sent earliest
    };

    /// Hears that a message has arrived; the argument is when its first byte left the source.
    using DeliveredCallback = Callback<void, Time>;

    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    NpuFabric();
    ~NpuFabric() override;

    /**
     * Builds the machine, with the packet parameters of the fabric's attributes. Once only, after
     * the attributes are set.
     * @param network the network; its packet parameters are not used, as all of them are attributes
     *
     * Throws npunet::InputError for parameters that cannot work, alone or together, and for a
     * Routing that is not the network's; stops the program when ns-3 does not run in picoseconds.
     */
    void SetNetwork(npunet::topology::NetworkDescription network);

    /**
     * @return the network, with the packet parameters in use, and, with an InjectionRate, with the
     *         routers of the NPUs
     */
    const npunet::topology::NetworkDescription& GetDescription() const;

    /**
     * Draws the seed (attribute Seed) from a stream of ns-3's random numbers, so that RngSeed and
     * RngRun decide about the fabric's errors and hashed routes, too. Before SetNetwork().
     * @param stream number of the stream
     * @return how many streams are used: 1
     */
    int64_t AssignStreams(int64_t stream);

    /**
     * Attaches a device; the devices come in the order of the network's nodes.
     * @param device of the next node
     */
    void AddDevice(Ptr<NpuNetDevice> device);

    /**
     * @return how many devices are attached
     */
    std::size_t GetNDevices() const;

    /**
     * @param position number of a node in the network: NPUs first, then switches
     * @return its device
     */
    Ptr<NpuNetDevice> GetDevice(std::size_t position) const;

    /**
     * @param position number of a node in the network
     * @return the ns-3 id of the node
     */
    uint32_t GetNodeId(std::size_t position) const;

    /**
     * Called by a device when somebody begins or ceases to listen to its packets.
     * @param position number of its node
     */
    void ListenersChanged(uint32_t position);

    /// The traffic class of a message that names none: that of send_recv in the attribute ClassOf.
    static constexpr uint8_t CLASS_OF_KIND = 255;

    /**
     * Sends a message now.
     * @param source number of an NPU
     * @param destination number of another NPU
     * @param bytes payload; may be 0
     * @param delivered called when the last byte has arrived; may be null
     * @param trafficClass below the attribute Classes, or CLASS_OF_KIND
     */
    void Send(uint32_t source,
              uint32_t destination,
              uint64_t bytes,
              DeliveredCallback delivered = DeliveredCallback(),
              uint8_t trafficClass = CLASS_OF_KIND);

    /**
     * Sends an ns3::Packet now, as one message, or as one to every other NPU for a group address.
     * With a SocketPriorityTag of priority p its traffic class is p, or the last one where there
     * are not so many; without, that of send_recv (attribute ClassOf).
     * @param source number of the sending node
     * @param packet what arrives at the other end
     * @param protocol protocol number
     * @param from address that the receiver sees
     * @param to address of the receiver, or of a group
     * @return false for an unknown receiver and when the source is no NPU
     */
    bool SendPacket(
        uint32_t source, Ptr<Packet> packet, uint16_t protocol, Mac48Address from, Mac48Address to);

    /**
     * The fabric as a workload engine wants it: message numbers are the engine's own, their counts
     * below 2^35 per source. Its run() runs the Simulator.
     * @return the network; lives as long as the fabric
     */
    npunet::engine::Network& GetNetwork();

    /**
     * A workload wants to send and to hear of its messages.
     * @param workload that is about to be installed; it stays until Drop()
     *
     * Throws npunet::InputError while another workload is not finished.
     */
    void Carry(NpuChakraWorkload* workload);

    /**
     * @param workload that is disposed of
     */
    void Drop(NpuChakraWorkload* workload);

    /**
     * @return the events that ns-3 drives; lives as long as the fabric
     */
    npunet::engine::EventQueue& GetEventQueue();

    /**
     * Moves the clock of GetEventQueue() to ns-3's: for code that runs in an ns-3 event, before it
     * schedules there or sends by GetNetwork(). Send() and SendPacket() do it themselves.
     */
    void Synchronize();

    /**
     * @return what each link has carried so far, in the order of the network's links
     */
    std::vector<npunet::engine::LinkUse> GetLinkUse() const;

    /**
     * @return packets times links crossed so far
     */
    uint64_t GetPacketHops() const;

    /**
     * TracedCallback signature of MessageSent and MessageDelivered.
     *
     * @param [in] source ns-3 id of the node that sends
     * @param [in] destination ns-3 id of the node that receives
     * @param [in] bytes payload of the message
     * @param [in] time now: when the last byte has left, or has arrived
     */
    typedef void (*MessageTracedCallback)(uint32_t source,
                                          uint32_t destination,
                                          uint64_t bytes,
                                          Time time);

  protected:
    void DoDispose() override;

  private:
    class Core;

    std::unique_ptr<Core> m_core;                 //!< description, event queue, machine, bridge
    std::vector<Ptr<NpuNetDevice>> m_devices;     //!< by number of the node
    NpuChakraWorkload* m_workload{nullptr};       //!< the last one that was installed
    uint32_t m_mtu{0};                            //!< attribute Mtu
    uint32_t m_headerSize{0};                     //!< attribute HeaderSize
    uint64_t m_bufferSize{0};                     //!< attribute BufferSize
    uint8_t m_virtualChannels{0};                 //!< attribute VirtualChannels
    SwitchingMode m_switching{STORE_AND_FORWARD}; //!< attribute Switching
    ArbitrationRule m_arbitration{ROUND_ROBIN};   //!< attribute Arbitration
    double m_errorRate{0};                        //!< attribute ErrorRate
    uint64_t m_seed{1};                           //!< attribute Seed
    bool m_queueHistogram{false};                 //!< attribute QueueHistogram
    uint8_t m_speedUp{0};                         //!< attribute SpeedUp
    uint8_t m_classes{1};                         //!< attribute Classes
    std::string m_classArbitration;               //!< attribute ClassArbitration
    std::string m_classOf;                        //!< attribute ClassOf
    DataRate m_injectionRate;                     //!< attribute InjectionRate
    std::string m_routing;                        //!< attribute Routing

    /// The last byte of a message has left its source.
    TracedCallback<uint32_t, uint32_t, uint64_t, Time> m_messageSent;
    /// The last byte of a message has arrived.
    TracedCallback<uint32_t, uint32_t, uint64_t, Time> m_messageDelivered;
};

} // namespace ns3

#endif /* NPU_FABRIC_H */
