/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "npu-fabric.h"

#include "npu-chakra-workload.h"
#include "npu-compat.h"
#include "npu-fabric-core.h"
#include "npu-net-device.h"

#include "base/errors.h"
#include "topology/injection.h"

#include <ns3/abort.h>
#include <ns3/boolean.h>
#include <ns3/double.h>
#include <ns3/log.h>
#include <ns3/node.h>
#include <ns3/random-variable-stream.h>
#include <ns3/socket.h>
#include <ns3/string.h>
#include <ns3/trace-source-accessor.h>
#include <ns3/uinteger.h>

#include <algorithm>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("NpuFabric");

namespace
{
/// Largest message in bytes, as in traces.
constexpr uint64_t MOST_BYTES = uint64_t{1} << 56;
} // namespace

NS_OBJECT_ENSURE_REGISTERED(NpuFabric);

TypeId
NpuFabric::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::NpuFabric")
            .SetParent<Object>()
            .SetGroupName("Npunet")
            .AddConstructor<NpuFabric>()
            .AddAttribute("Mtu",
                          "Payload of a full packet, in bytes.",
                          UintegerValue(4096),
                          MakeUintegerAccessor(&NpuFabric::m_mtu),
                          MakeUintegerChecker<uint32_t>(1, 1U << 29))
            .AddAttribute("HeaderSize",
                          "Bytes of a packet on the wire besides its payload.",
                          UintegerValue(64),
                          MakeUintegerAccessor(&NpuFabric::m_headerSize),
                          MakeUintegerChecker<uint32_t>(0, 1U << 29))
            .AddAttribute("BufferSize",
                          "Room of an input port for packets of one virtual channel, in bytes with "
                          "headers. 0: the larger of 256 KiB and 2 x latency x rate + 4 packets.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&NpuFabric::m_bufferSize),
                          MakeUintegerChecker<uint64_t>(0, uint64_t{1} << 50))
            .AddAttribute("VirtualChannels",
                          "Virtual channels of every link. 0: as many as the routing needs.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&NpuFabric::m_virtualChannels),
                          MakeUintegerChecker<uint8_t>(0, 32))
            .AddAttribute(
                "Switching",
                "When a packet may leave a node on its way: when all of it is in, or when "
                "its header is in (CutThrough; the next buffer must have room for all of "
                "the packet).",
                EnumValue(STORE_AND_FORWARD),
                NpuMakeEnumAccessor<SwitchingMode>(&NpuFabric::m_switching),
                MakeEnumChecker(STORE_AND_FORWARD, "StoreAndForward", CUT_THROUGH, "CutThrough"))
            .AddAttribute("Arbitration",
                          "Which of the packets that could leave by a port goes first: inputs and "
                          "virtual channels take turns, or that of the message sent earliest.",
                          EnumValue(ROUND_ROBIN),
                          NpuMakeEnumAccessor<ArbitrationRule>(&NpuFabric::m_arbitration),
                          MakeEnumChecker(ROUND_ROBIN, "RoundRobin", OLDEST, "Oldest"))
            .AddAttribute("ErrorRate",
                          "Probability of a packet to be corrupted each time that it crosses a "
                          "link, which then sends it again. With StoreAndForward only.",
                          DoubleValue(0),
                          MakeDoubleAccessor(&NpuFabric::m_errorRate),
                          MakeDoubleChecker<double>(0, 0.9))
            .AddAttribute("Seed",
                          "Of the errors that are drawn, and of hashes that spread routes. "
                          "AssignStreams() draws it from a stream of ns-3.",
                          UintegerValue(1),
                          MakeUintegerAccessor(&NpuFabric::m_seed),
                          MakeUintegerChecker<uint64_t>(0, uint64_t{1} << 53))
            .AddAttribute("QueueHistogram",
                          "Keep for every link for how long how many bytes waited, by powers of "
                          "two.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&NpuFabric::m_queueHistogram),
                          MakeBooleanChecker())
            .AddAttribute("SpeedUp",
                          "How many packets leave one input port of a node at a time, whatever "
                          "their outputs. 0: any number, nodes do not block.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&NpuFabric::m_speedUp),
                          MakeUintegerChecker<uint8_t>())
            .AddAttribute("Classes",
                          "Traffic classes. Each has virtual channels and buffers of its own; "
                          "those of all classes are at most 32.",
                          UintegerValue(1),
                          MakeUintegerAccessor(&NpuFabric::m_classes),
                          MakeUintegerChecker<uint8_t>(1, npunet::topology::TrafficClasses::most))
            .AddAttribute("ClassArbitration",
                          "Which class goes first at a port: strict, the lowest that can; or the "
                          "weights by which they share it, 1 to 100, one a class, such as 3 1.",
                          StringValue("strict"),
                          MakeStringAccessor(&NpuFabric::m_classArbitration),
                          MakeStringChecker())
            .AddAttribute("ClassOf",
                          "Classes of kinds of communication, such as all_to_all 1 send_recv 0; "
                          "what is not named has class 0.",
                          StringValue(""),
                          MakeStringAccessor(&NpuFabric::m_classOf),
                          MakeStringChecker())
            .AddAttribute("InjectionRate",
                          "Rate of a port of each NPU for injection and ejection, between it and "
                          "its router, a further switch node. 0: none, a node is NPU and router.",
                          DataRateValue(DataRate(0)),
                          MakeDataRateAccessor(&NpuFabric::m_injectionRate),
                          MakeDataRateChecker())
            .AddAttribute("Routing",
                          "How routes are chosen, by its name in a network.yml: auto, xy, "
                          "dimension-order, shortest-path, up-down, ecmp, ...; auto: as suits the "
                          "topology. NpuFabricHelper gives it to the topologies that it builds.",
                          StringValue("auto"),
                          MakeStringAccessor(&NpuFabric::m_routing),
                          MakeStringChecker())
            .AddTraceSource("MessageSent",
                            "The last byte of a message has left its source.",
                            MakeTraceSourceAccessor(&NpuFabric::m_messageSent),
                            "ns3::NpuFabric::MessageTracedCallback")
            .AddTraceSource("MessageDelivered",
                            "The last byte of a message has arrived at its destination.",
                            MakeTraceSourceAccessor(&NpuFabric::m_messageDelivered),
                            "ns3::NpuFabric::MessageTracedCallback");
    return tid;
}

NpuFabric::NpuFabric() = default;
NpuFabric::~NpuFabric() = default;

void
NpuFabric::SetNetwork(npunet::topology::NetworkDescription network)
{
    NS_LOG_FUNCTION(this << network.name);
    NS_ABORT_MSG_IF(m_core, "the network of an NpuFabric is set once");
    network.packet.mtu = npunet::Bytes(m_mtu);
    network.packet.header = npunet::Bytes(m_headerSize);
    network.packet.buffer = npunet::Bytes(static_cast<int64_t>(m_bufferSize));
    network.packet.virtual_channels = m_virtualChannels;
    network.packet.switching = m_switching == CUT_THROUGH
                                   ? npunet::topology::Switching::CutThrough
                                   : npunet::topology::Switching::StoreAndForward;
    network.packet.arbitration = m_arbitration == OLDEST
                                     ? npunet::topology::Arbitration::Oldest
                                     : npunet::topology::Arbitration::RoundRobin;
    network.packet.error_rate = m_errorRate;
    network.packet.seed = m_seed;
    network.packet.queue_histogram = m_queueHistogram;
    network.packet.speedup = m_speedUp;
    network.packet.classes = npunet::topology::TrafficClasses();
    network.packet.classes.count = m_classes;
    npunet::topology::read_arbitration_text(
        m_classArbitration, "NpuFabric::ClassArbitration", network.packet.classes);
    npunet::topology::read_class_of_text(m_classOf, "NpuFabric::ClassOf", network.packet.classes);
    // On a mesh they are the same.
    const std::string routing = m_routing == "xy" ? "dimension-order" : m_routing;
    if (routing != "auto" && routing != network.routing_name())
    {
        throw npunet::InputError(
            {"",
             "NpuFabric::Routing",
             "'" + m_routing + "' for a network whose routes are " + network.routing_name(),
             "auto, or what the network has",
             "Name the routing in network.yml, or let "
             "NpuFabricHelper::SetTopology() build the network"});
    }
    const auto injection = static_cast<int64_t>(m_injectionRate.GetBitRate() / 8);
    network.packet.injection = npunet::Rate();
    if (injection > 0)
    {
        network = npunet::topology::with_injection(network, npunet::Rate(injection));
    }
    m_core = std::make_unique<Core>(*this, std::move(network));
}

const npunet::topology::NetworkDescription&
NpuFabric::GetDescription() const
{
    return m_core->description;
}

int64_t
NpuFabric::AssignStreams(int64_t stream)
{
    NS_LOG_FUNCTION(this << stream);
    NS_ABORT_MSG_IF(m_core, "NpuFabric::AssignStreams() comes before SetNetwork()");
    Ptr<UniformRandomVariable> random = CreateObject<UniformRandomVariable>();
    random->SetStream(stream);
    // 53 bits, as many as the attribute takes, of two numbers.
    const uint64_t high = random->GetInteger(0, (1U << 26) - 1);
    const uint64_t low = random->GetInteger(0, (1U << 27) - 1);
    m_seed = high << 27 | low;
    return 1;
}

void
NpuFabric::AddDevice(Ptr<NpuNetDevice> device)
{
    device->SetFabric(this, static_cast<uint32_t>(m_devices.size()));
    m_devices.push_back(device);
    ListenersChanged(device->GetPosition());
}

std::size_t
NpuFabric::GetNDevices() const
{
    return m_devices.size();
}

Ptr<NpuNetDevice>
NpuFabric::GetDevice(std::size_t position) const
{
    return m_devices.at(position);
}

void
NpuFabric::Send(uint32_t source,
                uint32_t destination,
                uint64_t bytes,
                DeliveredCallback delivered,
                uint8_t trafficClass)
{
    NS_LOG_FUNCTION(this << source << destination << bytes << uint32_t{trafficClass});
    NS_ABORT_MSG_UNLESS(m_core, "an NpuFabric sends after SetNetwork() and before Dispose()");
    const std::size_t npus = m_core->description.graph.npus();
    NS_ABORT_MSG_IF(bytes > MOST_BYTES,
                    "a message of " << bytes << " bytes: at most 2^56 are possible");
    NS_ABORT_MSG_IF(source >= npus || destination >= npus || source == destination,
                    "a message goes from one NPU to another; from "
                        << source << " to " << destination << " of " << npus << " is not possible");
    const uint32_t classes = m_core->description.packet.classes.count;
    NS_ABORT_MSG_IF(trafficClass != CLASS_OF_KIND && trafficClass >= classes,
                    "there is no traffic class " << uint32_t{trafficClass} << " among " << classes);
    Core::Receipt receipt;
    receipt.delivered = delivered;
    m_core->SendOwn(npunet::NodeId(static_cast<int32_t>(source)),
                    npunet::NodeId(static_cast<int32_t>(destination)),
                    npunet::Bytes(static_cast<int64_t>(bytes)),
                    trafficClass,
                    std::move(receipt));
}

bool
NpuFabric::SendPacket(
    uint32_t source, Ptr<Packet> packet, uint16_t protocol, Mac48Address from, Mac48Address to)
{
    const std::size_t npus = m_core ? m_core->description.graph.npus() : 0;
    if (source >= npus)
    {
        return false;
    }
    SocketPriorityTag tag;
    const uint8_t trafficClass =
        packet->PeekPacketTag(tag)
            ? std::min(tag.GetPriority(),
                       static_cast<uint8_t>(m_core->description.packet.classes.count - 1))
            : CLASS_OF_KIND;
    bool found = false;
    for (std::size_t i = 0; i < npus && i < m_devices.size(); ++i)
    {
        const bool meant =
            to.IsGroup() || Mac48Address::ConvertFrom(m_devices[i]->GetAddress()) == to;
        if (i == source || !meant)
        {
            continue;
        }
        found = true;
        Core::Receipt receipt;
        receipt.packet = packet->Copy();
        receipt.protocol = protocol;
        receipt.from = from;
        receipt.to = to;
        m_core->SendOwn(npunet::NodeId(static_cast<int32_t>(source)),
                        npunet::NodeId(i),
                        npunet::Bytes(packet->GetSize()),
                        trafficClass,
                        std::move(receipt));
    }
    return found;
}

npunet::engine::Network&
NpuFabric::GetNetwork()
{
    return *m_core;
}

void
NpuFabric::Carry(NpuChakraWorkload* workload)
{
    if (m_workload != nullptr && !m_workload->IsFinished())
    {
        throw npunet::InputError({"",
                                  "NpuChakraWorkload::Install",
                                  "a workload on a fabric whose other workload is not finished",
                                  "one workload at a time",
                                  "use a fabric for each, or install it when the other is done"});
    }
    m_workload = workload;
}

void
NpuFabric::Drop(NpuChakraWorkload* workload)
{
    m_workload = m_workload == workload ? nullptr : m_workload;
}

npunet::engine::EventQueue&
NpuFabric::GetEventQueue()
{
    return m_core->queue;
}

void
NpuFabric::Synchronize()
{
    m_core->Synchronize();
}

std::vector<npunet::engine::LinkUse>
NpuFabric::GetLinkUse() const
{
    return m_core ? m_core->link_use() : std::vector<npunet::engine::LinkUse>();
}

uint64_t
NpuFabric::GetPacketHops() const
{
    return m_core ? m_core->packet_hops() : 0;
}

uint32_t
NpuFabric::GetNodeId(std::size_t position) const
{
    // Without devices, and when they have left their nodes, nodes are known by their number.
    const Ptr<Node> node = position < m_devices.size() ? m_devices[position]->GetNode() : nullptr;
    return node ? node->GetId() : static_cast<uint32_t>(position);
}

void
NpuFabric::ListenersChanged(uint32_t position)
{
    if (m_core && position < m_devices.size())
    {
        m_core->ListenersChanged(position, m_devices[position]);
    }
}

void
NpuFabric::DoDispose()
{
    m_core.reset();
    m_devices.clear();
    Object::DoDispose();
}

} // namespace ns3
