// SPDX-License-Identifier: GPL-2.0-only

// NpuFabric: its attributes, the packet parameters that they are, and the way back.

#include "npu-compat.h"
#include "npu-congestion-settings.h"
#include "npu-fabric.h"
#include "npu-quantities.h"
#include "npu-unused-attribute.h"

#include "base/errors.h"

#include <ns3/boolean.h>
#include <ns3/double.h>
#include <ns3/integer.h>
#include <ns3/string.h>
#include <ns3/uinteger.h>

#include <algorithm>
#include <string>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(NpuFabric);

using npunet::topology::Arbitration;
using npunet::topology::FlowControl;
using npunet::topology::PacketParameters;
using npunet::topology::Switching;
using Transport = npunet::topology::TransportKind;

// The enumerations of NpuFabric are those of the network, in the same order.
static_assert(NpuFabric::CUT_THROUGH == static_cast<int>(Switching::CutThrough));
static_assert(NpuFabric::OLDEST == static_cast<int>(Arbitration::Oldest));
static_assert(NpuFabric::PFC == static_cast<int>(FlowControl::Pfc));
static_assert(NpuFabric::DROPS == static_cast<int>(FlowControl::None));
static_assert(NpuFabric::GO_BACK_N == static_cast<int>(Transport::GoBackN));
static_assert(NpuFabric::SELECTIVE_REPEAT == static_cast<int>(Transport::SelectiveRepeat));

namespace
{
/// The attributes of a fabric are those that its machine is built with: later changes are refused.
constexpr uint32_t FIXED = TypeId::ATTR_GET | TypeId::ATTR_CONSTRUCT;
} // namespace

TypeId
NpuFabric::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::NpuFabric")
            .SetParent<NpuNetwork>()
            .SetGroupName("Npunet")
            .AddConstructor<NpuFabric>()
            .AddAttribute("Mtu",
                          "Payload of a full packet, in bytes.",
                          FIXED,
                          UintegerValue(4096),
                          MakeUintegerAccessor(&NpuFabric::m_mtu),
                          MakeUintegerChecker<uint32_t>(1, 1U << 29))
            .AddAttribute("HeaderSize",
                          "Bytes of a packet on the wire in addition to its payload.",
                          FIXED,
                          UintegerValue(64),
                          MakeUintegerAccessor(&NpuFabric::m_headerSize),
                          MakeUintegerChecker<uint32_t>(0, 1U << 29))
            .AddAttribute(
                "BufferSize",
                "With Credit: room of an input port for packets of one virtual channel, "
                "in bytes with headers; 0: the larger of 256 KiB and 2 x latency x rate "
                "+ 4 packets. With Pfc and None: room that all data in a node shares, "
                "without headroom; 0: as much for every link to the node, and at least 128 "
                "KiB for each 25 Gb/s of it.",
                FIXED,
                UintegerValue(0),
                MakeUintegerAccessor(&NpuFabric::m_bufferSize),
                MakeUintegerChecker<uint64_t>(0, uint64_t{1} << 50))
            .AddAttribute("Trains",
                          "Fast-forward periodic traffic, unless a trace source of packets is "
                          "connected. The results are the same.",
                          FIXED,
                          BooleanValue(true),
                          MakeBooleanAccessor(&NpuFabric::m_trains),
                          MakeBooleanChecker())
            .AddAttribute("VirtualChannels",
                          "Virtual channels of every link. 0: as many as the routing needs.",
                          FIXED,
                          UintegerValue(0),
                          MakeUintegerAccessor(&NpuFabric::m_virtualChannels),
                          MakeUintegerChecker<uint8_t>(0, 32))
            .AddAttribute(
                "Switching",
                "When a packet may leave a node on its way: when all of it is in, or when "
                "its header is in (CutThrough; the next buffer must have room for all of "
                "the packet).",
                FIXED,
                EnumValue(STORE_AND_FORWARD),
                NpuMakeEnumAccessor<SwitchingMode>(&NpuFabric::m_switching),
                MakeEnumChecker(STORE_AND_FORWARD, "StoreAndForward", CUT_THROUGH, "CutThrough"))
            .AddAttribute("Arbitration",
                          "Which of the packets that could leave by a port goes first: inputs and "
                          "virtual channels take turns, or that of the message sent earliest.",
                          FIXED,
                          EnumValue(ROUND_ROBIN),
                          NpuMakeEnumAccessor<ArbitrationRule>(&NpuFabric::m_arbitration),
                          MakeEnumChecker(ROUND_ROBIN, "RoundRobin", OLDEST, "Oldest"))
            .AddAttribute("ErrorRate",
                          "Probability of a packet to be corrupted each time that it crosses a "
                          "link. With Credit the link sends it again; with Pfc and None it is "
                          "lost, and messages need a Transport. With StoreAndForward only.",
                          FIXED,
                          DoubleValue(0),
                          MakeDoubleAccessor(&NpuFabric::m_errorRate),
                          MakeDoubleChecker<double>(0, 0.9))
            .AddAttribute("Seed",
                          "Seed of random errors and start jitter, and of hashes that spread "
                          "routes. 0: drawn by RngSeed and RngRun where NpuFabricHelper builds the "
                          "network, unless a network.yml names a seed.",
                          FIXED,
                          UintegerValue(0),
                          MakeUintegerAccessor(&NpuFabric::m_seed),
                          MakeUintegerChecker<uint64_t>(0, uint64_t{1} << 53))
            .AddAttribute("QueueHistogram",
                          "Keep for every link for how long how many bytes waited, by powers of "
                          "two.",
                          FIXED,
                          BooleanValue(false),
                          MakeBooleanAccessor(&NpuFabric::m_queueHistogram),
                          MakeBooleanChecker())
            .AddAttribute("SpeedUp",
                          "How many packets leave one input port of a node at a time, whatever "
                          "their outputs. 0: any number, nodes do not block.",
                          FIXED,
                          UintegerValue(0),
                          MakeUintegerAccessor(&NpuFabric::m_speedUp),
                          MakeUintegerChecker<uint8_t>())
            .AddAttribute("Classes",
                          "Traffic classes. Each has virtual channels and buffers of its own; "
                          "those of all classes are at most 32.",
                          FIXED,
                          UintegerValue(1),
                          MakeUintegerAccessor(&NpuFabric::m_classes),
                          MakeUintegerChecker<uint8_t>(1, npunet::topology::TrafficClasses::most))
            .AddAttribute("ClassArbitration",
                          "Which class goes first at a port: strict, the lowest that can; or the "
                          "weights by which they share it, 1 to 100, one a class, such as 3 1.",
                          FIXED,
                          StringValue("strict"),
                          MakeStringAccessor(&NpuFabric::m_classArbitration),
                          MakeStringChecker())
            .AddAttribute("ClassOf",
                          "Classes of kinds of communication, such as all_to_all 1 send_recv 0; "
                          "what is not named has class 0.",
                          FIXED,
                          StringValue(""),
                          MakeStringAccessor(&NpuFabric::m_classOf),
                          MakeStringChecker())
            .AddAttribute("InjectionRate",
                          "Rate of a port of each NPU for injection and ejection, between it and "
                          "its router, a further switch node. 0: none, a node is NPU and router.",
                          FIXED,
                          DataRateValue(DataRate(0)),
                          MakeDataRateAccessor(&NpuFabric::m_injectionRate),
                          MakeDataRateChecker())
            .AddAttribute(
                "FlowControl",
                "What keeps a sender from filling a buffer without room: Credit, per "
                "virtual channel; Pfc, pauses between Ethernet-like switches; None: they "
                "drop packets. Without a Transport None is for datagrams (PacketService): "
                "the loss of a packet of a message ends the run.",
                FIXED,
                EnumValue(CREDIT),
                NpuMakeEnumAccessor<FlowControlKind>(&NpuFabric::m_flowControl),
                MakeEnumChecker(CREDIT, "Credit", PFC, "Pfc", DROPS, "None"))
            .AddAttribute("BufferAlpha",
                          "Without credits: how many times what is free of a node's buffer one "
                          "queue may have.",
                          FIXED,
                          DoubleValue(1),
                          MakeDoubleAccessor(&NpuFabric::m_bufferAlpha),
                          MakeDoubleChecker<double>(1e-3, 1e3))
            .AddAttribute("Headroom",
                          "With Pfc: room for what comes by a link after it is told to pause, per "
                          "class, in bytes. 0: as much as can come.",
                          FIXED,
                          UintegerValue(0),
                          MakeUintegerAccessor(&NpuFabric::m_headroom),
                          MakeUintegerChecker<uint64_t>(0, uint64_t{1} << 50))
            .AddAttribute("Transport",
                          "How queue pairs make good what the network loses.",
                          FIXED,
                          EnumValue(NO_TRANSPORT),
                          NpuMakeEnumAccessor<TransportKind>(&NpuFabric::m_transport),
                          MakeEnumChecker(NO_TRANSPORT,
                                          "None",
                                          GO_BACK_N,
                                          "GoBackN",
                                          SELECTIVE_REPEAT,
                                          "SelectiveRepeat"))
            .AddAttribute("PacketService",
                          "How the ns3::Packets of devices cross the fabric. Datagram: as packets "
                          "of their own, at most the fabric's Mtu, which are sent once, dropped "
                          "like others, and marked in their IP header if that says ECN-capable; "
                          "with Credit, where nothing is lost, as with Reliable. Reliable: as "
                          "messages of any size, by the Transport.",
                          FIXED,
                          EnumValue(DATAGRAM),
                          NpuMakeEnumAccessor<PacketServiceKind>(&NpuFabric::m_packetService),
                          MakeEnumChecker(DATAGRAM, "Datagram", RELIABLE, "Reliable"))
            .AddAttribute("TransportWindow",
                          "Most bytes of a queue pair under way, with headers. 0: twice the "
                          "bandwidth-delay product of its path, a byte, and AckEvery + 1 packets.",
                          FIXED,
                          UintegerValue(0),
                          MakeUintegerAccessor(&NpuFabric::m_window),
                          MakeUintegerChecker<uint64_t>(0, uint64_t{1} << 50))
            .AddAttribute("AckEvery",
                          "One acknowledgement for that many packets in order; what ends a "
                          "message or fills the sender's window has one in any case.",
                          FIXED,
                          UintegerValue(1),
                          MakeUintegerAccessor(&NpuFabric::m_ackEvery),
                          MakeUintegerChecker<uint32_t>(1, 1U << 16))
            .AddAttribute("RetransmissionTimeout",
                          "How long a queue pair waits for progress before it sends again. 0: the "
                          "larger of 500 us and 8 round trips of the idle path.",
                          FIXED,
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&NpuFabric::m_timeout),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("Retries",
                          "Timeouts in a row, without progress, after which a queue pair still "
                          "sends again; the next one ends the run with an error. 0: any number.",
                          FIXED,
                          UintegerValue(32),
                          MakeUintegerAccessor(&NpuFabric::m_retries),
                          MakeUintegerChecker<uint32_t>(0, 1U << 20))
            .AddAttribute("Reordering",
                          "SelectiveRepeat: how many later packets must be in before one counts as "
                          "lost. -1: none, and never where packets take several ways.",
                          FIXED,
                          IntegerValue(-1),
                          MakeIntegerAccessor(&NpuFabric::m_reordering),
                          MakeIntegerChecker<int32_t>(-1, 1 << 20))
            .AddAttribute("StartJitter",
                          "A queue pair that starts sending, or goes back, waits for a random "
                          "time from 0 to this, drawn by Seed. 0: no wait.",
                          FIXED,
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&NpuFabric::m_startJitter),
                          MakeTimeChecker(Time(0)))
            .AddAttribute(
                "CongestionControl",
                "Algorithm of the transport, by its name in a network.yml or of its "
                "type: none, dcqcn, hpcc, timely, swift, dctcp, receiver-credit, or a type "
                "that a script derives from ns3::NpuCongestionControl. Its parameters "
                "are the attributes of ns3::NpuDcqcn, ...; those of this fabric may "
                "follow: dcqcn[RateAi=5Mbps|Preset=Paper].",
                FIXED,
                StringValue("none"),
                MakeStringAccessor(&NpuFabric::m_congestionControl),
                MakeStringChecker())
            .AddAttribute("EcnMinimum",
                          "Queue in bytes up to which no packet is marked, for links of EcnRate.",
                          FIXED,
                          UintegerValue(uint64_t{20} * 1024),
                          MakeUintegerAccessor(&NpuFabric::m_ecnMinimum),
                          MakeUintegerChecker<uint64_t>(0, uint64_t{1} << 50))
            .AddAttribute("EcnMaximum",
                          "Queue in bytes beyond which every packet is marked, for links of "
                          "EcnRate. 0: the larger of 80 KiB and 4 x EcnMinimum (where EcnMinimum "
                          "is 0, and kmax of a network.yml, too, it is 0).",
                          FIXED,
                          UintegerValue(0),
                          MakeUintegerAccessor(&NpuFabric::m_ecnMaximum),
                          MakeUintegerChecker<uint64_t>(0, uint64_t{1} << 50))
            .AddAttribute("EcnProbability",
                          "Probability of a mark at EcnMaximum, from 0 at EcnMinimum.",
                          FIXED,
                          DoubleValue(0.2),
                          MakeDoubleAccessor(&NpuFabric::m_ecnProbability),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute(
                "EcnRate",
                "Rate for which EcnMinimum and EcnMaximum are given; those of other links "
                "are in proportion. 0: they hold for all links.",
                FIXED,
                DataRateValue(DataRate("25Gbps")),
                MakeDataRateAccessor(&NpuFabric::m_ecnRate),
                MakeDataRateChecker())
            .AddAttribute("Routing",
                          "How routes are chosen, by its name in a network.yml: auto, xy, "
                          "dimension-order, shortest-path, up-down, ecmp, ...; auto: as suits the "
                          "topology. NpuFabricHelper gives it to the topologies that it builds.",
                          FIXED,
                          StringValue("auto"),
                          MakeStringAccessor(&NpuFabric::m_routing),
                          MakeStringChecker());
    static const TypeId whole = AddScaleUpAttributes(tid);
    return whole;
}

void
NpuFabric::SetParameters(PacketParameters& packet) const
{
    packet.mtu = npunet::Bytes(m_mtu);
    packet.header = npunet::Bytes(m_headerSize);
    packet.buffer = npunet::Bytes(static_cast<int64_t>(m_bufferSize));
    packet.virtual_channels = m_virtualChannels;
    packet.switching = static_cast<Switching>(m_switching);
    packet.arbitration = static_cast<Arbitration>(m_arbitration);
    packet.error_rate = m_errorRate;
    packet.seed = m_seed > 0 ? m_seed : packet.seed;
    packet.queue_histogram = m_queueHistogram;
    packet.speedup = m_speedUp;
    packet.classes = npunet::topology::TrafficClasses();
    packet.classes.count = m_classes;
    npunet::topology::read_arbitration_text(
        m_classArbitration, "NpuFabric::ClassArbitration", packet.classes);
    npunet::topology::read_class_of_text(m_classOf, "NpuFabric::ClassOf", packet.classes);
    SetTransport(packet);
    DropWithoutEffect(packet);
}

void
NpuFabric::DropWithoutEffect(PacketParameters& packet)
{
    const PacketParameters standard;
    const bool credits = packet.flow_control == FlowControl::Credit;
    if (credits)
    {
        DropUnused(packet.transport.kind, Transport::None, "Transport", "with FlowControl Credit");
    }
    else
    {
        const char* const why = "without FlowControl Credit";
        DropUnused(packet.virtual_channels, uint8_t{0}, "VirtualChannels", why);
        DropUnused(packet.speedup, uint8_t{0}, "SpeedUp", why);
        DropUnused(packet.arbitration, Arbitration::RoundRobin, "Arbitration", why);
    }
    if (packet.transport.kind == Transport::None)
    {
        const char* const why = credits ? "with FlowControl Credit" : "without a Transport";
        DropUnused(packet.congestion_control.algorithm,
                   npunet::topology::CongestionAlgorithm::None,
                   "CongestionControl",
                   why);
        packet.congestion_control = npunet::topology::CongestionControlChoice();
        DropUnused(packet.transport.window, standard.transport.window, "TransportWindow", why);
        DropUnused(packet.transport.ack_every, standard.transport.ack_every, "AckEvery", why);
        DropUnused(packet.transport.rto, standard.transport.rto, "RetransmissionTimeout", why);
        DropUnused(packet.transport.retries, standard.transport.retries, "Retries", why);
        DropUnused(
            packet.transport.start_jitter, standard.transport.start_jitter, "StartJitter", why);
    }
    if (packet.transport.kind != Transport::SelectiveRepeat)
    {
        DropUnused(packet.transport.reordering,
                   standard.transport.reordering,
                   "Reordering",
                   "without Transport SelectiveRepeat");
    }
}

void
NpuFabric::SetTransport(PacketParameters& packet) const
{
    packet.flow_control = static_cast<FlowControl>(m_flowControl);
    packet.shared_buffer.alpha = m_bufferAlpha;
    packet.shared_buffer.headroom = npunet::Bytes(static_cast<int64_t>(m_headroom));
    packet.transport.kind = static_cast<Transport>(m_transport);
    packet.transport.window = npunet::Bytes(static_cast<int64_t>(m_window));
    packet.transport.ack_every = static_cast<int32_t>(m_ackEvery);
    packet.transport.rto = TimeOf(m_timeout);
    packet.transport.retries = static_cast<int32_t>(m_retries);
    packet.transport.reordering = m_reordering;
    packet.transport.start_jitter = TimeOf(m_startJitter);
    packet.ecn.kmin = npunet::Bytes(static_cast<int64_t>(m_ecnMinimum));
    // A kmax of 0 in a network.yml is explicit: every packet that finds a queue is marked.
    if (m_ecnMaximum > 0 || m_ecnMinimum > 0 || packet.ecn.kmax > npunet::Bytes())
    {
        packet.ecn.kmax = m_ecnMaximum > 0 ? npunet::Bytes(static_cast<int64_t>(m_ecnMaximum))
                                           : std::max(npunet::topology::EcnParameters().kmax,
                                                      4 * packet.ecn.kmin);
    }
    packet.ecn.pmax = m_ecnProbability;
    packet.ecn.per = RateOf(m_ecnRate, "NpuFabric::EcnRate");
    if (packet.ecn.kmax < packet.ecn.kmin)
    {
        throw npunet::InputError({"",
                                  "NpuFabric::EcnMaximum",
                                  std::to_string(packet.ecn.kmax.value()) + " bytes",
                                  "at least EcnMinimum, " + std::to_string(m_ecnMinimum),
                                  ""});
    }
    // The parameters of a network.yml hold for the algorithm that it names.
    const Ptr<NpuCongestionControl> control =
        NpuCongestionControl::Make(m_congestionControl, packet.congestion_control);
    packet.congestion_control =
        control ? control->Choice() : npunet::topology::CongestionControlChoice();
}

void
NpuFabric::ListAttributes(const PacketParameters& packet,
                          const std::function<void(const char*, const AttributeValue&)>& give)
{
    const auto number = [&give](const char* name, auto value) {
        give(name, UintegerValue(static_cast<uint64_t>(value)));
    };
    number("Mtu", packet.mtu.value());
    number("HeaderSize", packet.header.value());
    number("BufferSize", packet.buffer.value());
    number("VirtualChannels", packet.virtual_channels);
    if (packet.seed_is_given)
    {
        number("Seed", packet.seed);
    }
    give("Switching", EnumValue(static_cast<SwitchingMode>(packet.switching)));
    give("Arbitration", EnumValue(static_cast<ArbitrationRule>(packet.arbitration)));
    give("ErrorRate", DoubleValue(packet.error_rate));
    give("QueueHistogram", BooleanValue(packet.queue_histogram));
    number("SpeedUp", packet.speedup);
    number("Classes", packet.classes.count);
    give("ClassArbitration", StringValue(npunet::topology::arbitration_text(packet.classes)));
    give("ClassOf", StringValue(npunet::topology::class_of_text(packet.classes)));
    give("InjectionRate", DataRateValue(DataRateOf(packet.injection)));
    give("Routing", StringValue("auto"));
    give("FlowControl", EnumValue(static_cast<FlowControlKind>(packet.flow_control)));
    give("BufferAlpha", DoubleValue(packet.shared_buffer.alpha));
    number("Headroom", packet.shared_buffer.headroom.value());
    give("Transport", EnumValue(static_cast<TransportKind>(packet.transport.kind)));
    number("TransportWindow", packet.transport.window.value());
    number("AckEvery", packet.transport.ack_every);
    give("RetransmissionTimeout", TimeValue(TimeOf(packet.transport.rto)));
    number("Retries", packet.transport.retries);
    give("Reordering", IntegerValue(packet.transport.reordering));
    give("StartJitter", TimeValue(TimeOf(packet.transport.start_jitter)));
    number("EcnMinimum", packet.ecn.kmin.value());
    // A value of 0 with a minimum of 0 is meant as 0, not the default (SetTransport()).
    number("EcnMaximum", packet.ecn.kmax.value());
    give("EcnProbability", DoubleValue(packet.ecn.pmax));
    give("EcnRate", DataRateValue(DataRateOf(packet.ecn.per)));
    give("CongestionControl", StringValue(name_of(packet.congestion_control.algorithm)));
}

} // namespace ns3
