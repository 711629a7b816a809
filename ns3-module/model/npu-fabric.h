// SPDX-License-Identifier: GPL-2.0-only

#ifndef NPU_FABRIC_H
#define NPU_FABRIC_H

#include "npu-network.h"

#include <ns3/attribute.h>
#include <ns3/callback.h>
#include <ns3/data-rate.h>
#include <ns3/event-id.h>
#include <ns3/mac48-address.h>
#include <ns3/nstime.h>
#include <ns3/packet.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

class NpuNetDevice;

/**
 * @ingroup npunet
 * A network of NPUs at packet level: it owns the packet machine that moves every packet between all
 * nodes, and is driven by ns-3's Simulator. NpuFabricHelper makes one.
 *
 * Messages are sent between NPUs by their number (Send()), as ns3::Packets through the devices
 * (NpuNetDevice), or by a workload engine (GetNetwork()). ns-3 must run in picoseconds
 * (NpuFabricHelper::UsePicoseconds()).
 */
class NpuFabric : public NpuNetwork
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

    /// What keeps a sender from filling a buffer that has no room.
    enum FlowControlKind
    {
        CREDIT, //!< credits per virtual channel
        PFC,    //!< priority flow control: pauses
        DROPS   //!< nothing: switches drop packets
    };

    /// How queue pairs make good what the network loses.
    enum TransportKind
    {
        NO_TRANSPORT,    //!< no acknowledgements
        GO_BACK_N,       //!< the receiver takes packets in order only
        SELECTIVE_REPEAT //!< the receiver keeps what comes out of order
    };

    /// How ns3::Packets cross the fabric.
    enum PacketServiceKind
    {
        DATAGRAM, //!< as packets of the fabric's own: sent once, marked and dropped like others
        RELIABLE  //!< as messages, which the transport does not lose
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
     * Builds the machine, with the packet parameters of the fabric's attributes. Again only with
     * the same nodes and links, before anything uses the fabric, and not where it is split.
     * @param network the network; of its packet parameters, which are attributes, only the seed is
     *                used, if Seed is 0
     *
     * Throws npunet::InputError for parameters that cannot work, alone or together, and for a
     * Routing that is not the network's; stops the program when ns-3 does not run in picoseconds.
     */
    void SetNetwork(npunet::topology::NetworkDescription network);

    /**
     * @param packet parameters of a network, such as those of a network.yml
     * @param give called with the name and the value of each attribute that they are
     */
    static void ListAttributes(
        const npunet::topology::PacketParameters& packet,
        const std::function<void(const char* name, const AttributeValue& value)>& give);

    /**
     * @param network a network, such as that of a network.yml
     * @param give called with the name and the value of each attribute ScaleUp...
     */
    static void ListScaleUpAttributes(
        const npunet::topology::NetworkDescription& network,
        const std::function<void(const char* name, const AttributeValue& value)>& give);

    /**
     * @return the network, with the packet parameters in use, and, with an InjectionRate, with the
     *         routers of the NPUs
     */
    const npunet::topology::NetworkDescription& GetDescription() const override;

    /**
     * Draws the seed (attribute Seed) from a stream of ns-3's random numbers, so that RngSeed and
     * RngRun decide about the fabric's errors and hashed routes, too. Before SetNetwork().
     * @param stream number of the stream; negative: one of its own, the same for all fabrics
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
     * Leaves the nodes of other processes to these (NpuProcesses). Once only, when all devices are
     * attached, in every process alike.
     * @param processes by node of the network: the process that has it
     *
     * Throws npunet::InputError where a link between two processes has no latency; stops the
     * program where ns-3 has no MPI, or another parallel simulator than DistributedSimulatorImpl.
     */
    void Split(const std::vector<uint32_t>& processes);

    bool IsHere(std::size_t position) const override;

    /**
     * Called by a device when a sink of its packets is connected or disconnected.
     * @param position number of its node
     */
    void ListenersChanged(uint32_t position);

    /**
     * Called by a device with its first link-change callback: schedules the device's notification
     * of each of its links that goes down or comes up.
     * @param device of this fabric
     */
    void WatchLinks(const Ptr<NpuNetDevice>& device);

    /**
     * @param position number of a node
     * @return whether one of the links that leave it is up now
     */
    bool HasLinkUp(std::size_t position) const;

    /// The traffic class of a message that names none: that of send_recv in the attribute ClassOf.
    static constexpr uint8_t CLASS_OF_KIND = 255;

    /**
     * Sends a message now. Where the fabric is split, a message of a source in another process is
     * left to that process, so that all of them can run the same script.
     * @param source number of an NPU
     * @param destination number of another NPU
     * @param bytes payload; may be 0
     * @param delivered called when the last byte has arrived; may be null, and must be for messages
     *                  from one process to another
     * @param trafficClass below the attribute Classes, or CLASS_OF_KIND
     */
    void Send(uint32_t source,
              uint32_t destination,
              uint64_t bytes,
              DeliveredCallback delivered = DeliveredCallback(),
              uint8_t trafficClass = CLASS_OF_KIND);

    /**
     * @param position number of a node
     * @return whether it is an NPU, and the fabric has its network
     */
    bool IsNpu(std::size_t position) const;

    /**
     * @return whether ns3::Packets are datagrams: as PacketService says, but not with credits, and
     *         not where the fabric is split over processes
     */
    bool CarriesDatagrams() const;

    /**
     * @return bytes of the largest ns3::Packet that crosses the fabric
     */
    uint16_t GetPacketMtu() const;

    /**
     * @param packet of a device
     * @return its traffic class: the priority of its SocketPriorityTag, or the last class where
     *         there are fewer; without a tag that of send_recv (attribute ClassOf)
     */
    uint8_t GetClassOf(const Ptr<const Packet>& packet) const;

    /**
     * Sends an ns3::Packet now, as a datagram or one message, or as one to every other NPU for a
     * group address. It waits in the device's queue, where there is one for it.
     * @param source number of the sending node
     * @param packet what arrives at the other end
     * @param protocol protocol number
     * @param from address that the receiver sees
     * @param to address of the receiver, or of a group
     * @return false for an unknown receiver and when the source is no NPU
     *
     * Stops the program where the receiver is in another process.
     */
    bool SendPacket(
        uint32_t source, Ptr<Packet> packet, uint16_t protocol, Mac48Address from, Mac48Address to);

    // Inherited from NpuNetwork; Send() and SendPacket() synchronize themselves
    npunet::engine::Network& GetNetwork() override;
    npunet::engine::EventQueue& GetEventQueue() override;
    void Synchronize() override;
    uint32_t GetNodeId(std::size_t position) const override;

    /**
     * @return what each link has carried so far, in the order of the network's links; of links that
     *         leave nodes of other processes nothing
     */
    std::vector<npunet::engine::LinkUse> GetLinkUse() const;

    std::vector<npunet::engine::LinkUse> GatherLinkUse() const override;

    /**
     * @param link number of a link
     * @return such as "npu0 -> switch0", with a number behind it where there are parallel links
     */
    std::string GetLinkName(uint32_t link) const;

    /**
     * @return packets times links crossed so far, by links that leave nodes of this process
     */
    uint64_t GetPacketHops() const;

  protected:
    void DoDispose() override;
    std::vector<npunet::engine::FlowUse> GetFlowUse() const override;
    npunet::engine::FlowStatistics::IdleTime GetIdleTime() const override;

  private:
    class Core;

    /**
     * @param packet parameters of a network; afterwards those of the attributes
     */
    void SetParameters(npunet::topology::PacketParameters& packet) const;

    /**
     * @param tid of the fabric
     * @return the same with the attributes ScaleUp...
     */
    static TypeId AddScaleUpAttributes(TypeId tid);

    /**
     * @param network with the packet parameters of the attributes; afterwards with credits in
     *                servers, or without them, as the attributes ScaleUp... say
     */
    void SetScaleUp(npunet::topology::NetworkDescription& network) const;

    /**
     * Says on standard error which attributes the others leave without effect, as sweeps over some
     * of them do, and gives these their defaults.
     * @param packet all parameters
     */
    static void DropWithoutEffect(npunet::topology::PacketParameters& packet);

    /**
     * @param packet parameters of a network; afterwards those of flow control, marks and transport
     *               are the attributes'
     */
    void SetTransport(npunet::topology::PacketParameters& packet) const;

    std::unique_ptr<Core> m_core;             //!< description, event queue, machine, bridge
    bool m_isUsed{false};                     //!< something refers to m_core, which is not replaced
    std::vector<EventId> m_linkChanges;       //!< of WatchLinks()
    std::vector<Ptr<NpuNetDevice>> m_devices; //!< by number of the node
    uint32_t m_mtu{0};                        //!< attribute Mtu
    uint32_t m_headerSize{0};                 //!< attribute HeaderSize
    uint64_t m_bufferSize{0};                 //!< attribute BufferSize
    uint8_t m_virtualChannels{0};             //!< attribute VirtualChannels
    SwitchingMode m_switching{STORE_AND_FORWARD};      //!< attribute Switching
    ArbitrationRule m_arbitration{ROUND_ROBIN};        //!< attribute Arbitration
    double m_errorRate{0};                             //!< attribute ErrorRate
    uint64_t m_seed{0};                                //!< attribute Seed
    bool m_queueHistogram{false};                      //!< attribute QueueHistogram
    bool m_trains{true};                               //!< attribute Trains
    uint8_t m_speedUp{0};                              //!< attribute SpeedUp
    uint8_t m_classes{1};                              //!< attribute Classes
    std::string m_classArbitration;                    //!< attribute ClassArbitration
    std::string m_classOf;                             //!< attribute ClassOf
    DataRate m_injectionRate;                          //!< attribute InjectionRate
    std::string m_routing;                             //!< attribute Routing
    FlowControlKind m_flowControl{CREDIT};             //!< attribute FlowControl
    double m_bufferAlpha{1};                           //!< attribute BufferAlpha
    uint64_t m_headroom{0};                            //!< attribute Headroom
    TransportKind m_transport{NO_TRANSPORT};           //!< attribute Transport
    PacketServiceKind m_packetService{DATAGRAM};       //!< attribute PacketService
    uint64_t m_window{0};                              //!< attribute TransportWindow
    uint32_t m_ackEvery{1};                            //!< attribute AckEvery
    Time m_timeout;                                    //!< attribute RetransmissionTimeout
    uint32_t m_retries{0};                             //!< attribute Retries
    int32_t m_reordering{-1};                          //!< attribute Reordering
    Time m_startJitter;                                //!< attribute StartJitter
    std::string m_congestionControl;                   //!< attribute CongestionControl
    uint64_t m_ecnMinimum{0};                          //!< attribute EcnMinimum
    uint64_t m_ecnMaximum{0};                          //!< attribute EcnMaximum
    double m_ecnProbability{0};                        //!< attribute EcnProbability
    DataRate m_ecnRate;                                //!< attribute EcnRate
    uint32_t m_scaleUpTiers{0};                        //!< attribute ScaleUpTiers
    uint64_t m_scaleUpBuffer{0};                       //!< attribute ScaleUpBufferSize
    uint8_t m_scaleUpChannels{0};                      //!< attribute ScaleUpVirtualChannels
    uint8_t m_scaleUpSpeedUp{0};                       //!< attribute ScaleUpSpeedUp
    ArbitrationRule m_scaleUpArbitration{ROUND_ROBIN}; //!< attribute ScaleUpArbitration
    double m_scaleUpErrorRate{0};                      //!< attribute ScaleUpErrorRate
};

} // namespace ns3

#endif /* NPU_FABRIC_H */
