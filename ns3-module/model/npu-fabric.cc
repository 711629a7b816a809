// SPDX-License-Identifier: GPL-2.0-only

#include "npu-fabric.h"

#include "npu-compat.h"
#include "npu-fabric-core.h"
#include "npu-gathering.h"
#include "npu-net-device.h"
#include "npu-quantities.h"

#include "base/errors.h"
#include "topology/network/idle_path.h"
#include "topology/network/injection.h"
#include "topology/network/packet_checks.h"
#include "topology/network/scale_up.h"

#include <ns3/abort.h>
#include <ns3/boolean.h>
#include <ns3/double.h>
#include <ns3/log.h>
#include <ns3/node.h>
#include <ns3/random-variable-stream.h>
#include <ns3/simulator.h>
#include <ns3/socket.h>
#include <ns3/string.h>
#include <ns3/uinteger.h>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("NpuFabric");

namespace
{
/// Largest message in bytes, as in traces.
constexpr uint64_t MOST_BYTES = uint64_t{1} << 56;

/**
 * Logs what may deadlock or lose packets in a network whose attributes are set: when a network.yml
 * was read, that was not known yet.
 *
 * @param network to check
 */
void
LogWarnings(const npunet::topology::NetworkDescription& network)
{
    if (!g_log.IsEnabled(LOG_WARN))
    {
        return;
    }
    std::vector<std::string> warnings;
    for (const npunet::topology::NetworkDescription& part :
         network.scale_up ? parts_of(network) : std::vector{network})
    {
        npunet::topology::check_transport(
            part, part.file, "packet", &warnings, npunet::topology::Losses::Allowed);
    }
    for (const std::string& text : warnings)
    {
        NS_LOG_WARN(text);
    }
}
} // namespace

NpuFabric::NpuFabric() = default;
NpuFabric::~NpuFabric() = default;

void
NpuFabric::SetNetwork(npunet::topology::NetworkDescription network)
{
    NS_LOG_FUNCTION(this << network.name);
    NS_ABORT_MSG_IF(m_core && (m_isUsed || !m_core->IsWhole()),
                    "the network of an NpuFabric cannot change after its first message or "
                    "workload, or when it is split over processes");
    SetParameters(network.packet);
    m_seed = network.packet.seed;
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
    const npunet::Rate injection = RateOf(m_injectionRate, "NpuFabric::InjectionRate");
    network.packet.injection = injection;
    SetScaleUp(network);
    LogWarnings(network);
    if (npunet::Rate() < injection)
    {
        network = npunet::topology::with_injection(network, injection);
    }
    m_core =
        std::make_unique<Core>(*this, std::move(network), m_trains, m_packetService == DATAGRAM);
    for (const Ptr<NpuNetDevice>& device : m_devices)
    {
        ListenersChanged(device->GetPosition());
    }
    for (EventId& change : m_linkChanges)
    {
        change.Cancel();
    }
    m_linkChanges.clear();
    for (const Ptr<NpuNetDevice>& device : m_devices)
    {
        WatchLinks(device);
    }
}

void
NpuFabric::WatchLinks(const Ptr<NpuNetDevice>& device)
{
    if (!m_core || !device->HasLinkListeners())
    {
        return;
    }
    const npunet::NodeId node(std::size_t{device->GetPosition()});
    for (const npunet::topology::LinkFault& fault : GetDescription().faults.links)
    {
        if (fault.bandwidth.billionths > 0 || GetDescription().graph.link(fault.link).from != node)
        {
            continue;
        }
        for (const npunet::Time time : {fault.at, fault.until})
        {
            const Time delay = TimeOf(time) - Simulator::Now();
            if (time < npunet::Time::max() && !delay.IsStrictlyNegative())
            {
                m_linkChanges.push_back(
                    Simulator::Schedule(delay, &NpuNetDevice::LinksChange, device));
            }
        }
    }
}

bool
NpuFabric::HasLinkUp(std::size_t position) const
{
    if (!m_core)
    {
        return false;
    }
    const npunet::topology::Faults& faults = GetDescription().faults;
    const auto isUp = [&faults, now = TimeOf(Simulator::Now())](npunet::LinkId link) {
        return std::none_of(faults.links.begin(), faults.links.end(), [&](const auto& fault) {
            return fault.link == link && fault.bandwidth.billionths == 0 && fault.at <= now &&
                   now < fault.until;
        });
    };
    const auto links = GetDescription().graph.links_from(npunet::NodeId(position));
    return std::any_of(links.begin(), links.end(), isUp);
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
    // Far from what scripts count, and from the streams that ns-3 gives away by itself.
    constexpr int64_t ownStream = int64_t{1} << 62;
    Ptr<UniformRandomVariable> random = CreateObject<UniformRandomVariable>();
    random->SetStream(stream < 0 ? ownStream : stream);
    // 53 bits, as many as the attribute takes, of two numbers.
    const uint64_t high = random->GetInteger(0, (1U << 26) - 1);
    const uint64_t low = random->GetInteger(0, (1U << 27) - 1);
    m_seed = std::max<uint64_t>(high << 27 | low, 1);
    return 1;
}

void
NpuFabric::AddDevice(Ptr<NpuNetDevice> device)
{
    device->SetFabric(this, static_cast<uint32_t>(m_devices.size()));
    m_devices.push_back(device);
    if (IsNpu(device->GetPosition()))
    {
        const npunet::topology::TrafficClasses& classes = GetDescription().packet.classes;
        device->m_txQueue.Open(device,
                               static_cast<uint8_t>(classes.count),
                               classes.of(npunet::Communication::SendReceive));
    }
    ListenersChanged(device->GetPosition());
    WatchLinks(device);
}

std::size_t
NpuFabric::GetNDevices() const
{
    return m_devices.size();
}

void
NpuFabric::Split(const std::vector<uint32_t>& processes)
{
    NS_ABORT_MSG_UNLESS(m_core && processes.size() == m_core->description.graph.nodes() &&
                            m_devices.size() == processes.size(),
                        "NpuFabric::Split() needs a process for each node, and their devices");
    m_core->Split(processes);
}

bool
NpuFabric::IsHere(std::size_t position) const
{
    return !m_core || m_core->IsHere(npunet::NodeId(position));
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
    m_isUsed = true;
    if (!IsHere(source))
    {
        return;
    }
    Core::Receipt receipt;
    receipt.delivered = std::move(delivered);
    m_core->SendOwn(npunet::NodeId(static_cast<int32_t>(source)),
                    npunet::NodeId(static_cast<int32_t>(destination)),
                    npunet::Bytes(static_cast<int64_t>(bytes)),
                    trafficClass,
                    std::move(receipt));
}

bool
NpuFabric::IsNpu(std::size_t position) const
{
    return m_core && position < GetDescription().graph.npus();
}

bool
NpuFabric::CarriesDatagrams() const
{
    return m_core && m_core->CarriesDatagrams();
}

uint16_t
NpuFabric::GetPacketMtu() const
{
    constexpr int64_t most = std::numeric_limits<uint16_t>::max();
    return static_cast<uint16_t>(
        CarriesDatagrams() ? std::min(GetDescription().packet.mtu.value(), most) : most);
}

uint8_t
NpuFabric::GetClassOf(const Ptr<const Packet>& packet) const
{
    const npunet::topology::TrafficClasses& classes = GetDescription().packet.classes;
    SocketPriorityTag tag;
    return packet->PeekPacketTag(tag)
               ? std::min(tag.GetPriority(), static_cast<uint8_t>(classes.count - 1))
               : classes.of(npunet::Communication::SendReceive);
}

bool
NpuFabric::SendPacket(
    uint32_t source, Ptr<Packet> packet, uint16_t protocol, Mac48Address from, Mac48Address to)
{
    if (!IsNpu(source))
    {
        return false;
    }
    const std::size_t npus = m_core->description.graph.npus();
    m_isUsed = true;
    if (!IsHere(source))
    {
        return true;
    }
    const uint8_t trafficClass = GetClassOf(packet);
    bool found = false;
    for (std::size_t i = 0; i < npus && i < m_devices.size(); ++i)
    {
        const bool meant =
            to.IsGroup() || Mac48Address::ConvertFrom(m_devices[i]->GetAddress()) == to;
        // What goes to a group reaches those of this process.
        if (i == source || !meant || (to.IsGroup() && !IsHere(i)))
        {
            continue;
        }
        found = true;
        m_core->SendOwn(npunet::NodeId(static_cast<int32_t>(source)),
                        npunet::NodeId(i),
                        npunet::Bytes(packet->GetSize()),
                        trafficClass,
                        {DeliveredCallback(), packet->Copy(), protocol, from, to});
    }
    return found;
}

npunet::engine::Network&
NpuFabric::GetNetwork()
{
    m_isUsed = true;
    return *m_core;
}

npunet::engine::EventQueue&
NpuFabric::GetEventQueue()
{
    m_isUsed = true;
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
    if (!m_core)
    {
        return {};
    }
    m_core->Synchronize();
    return m_core->link_use();
}

std::vector<npunet::engine::LinkUse>
NpuFabric::GatherLinkUse() const
{
    return GatherNpuLinkUse(GetLinkUse());
}

std::vector<npunet::engine::FlowUse>
NpuFabric::GetFlowUse() const
{
    return m_core ? m_core->flow_use() : std::vector<npunet::engine::FlowUse>();
}

npunet::engine::FlowStatistics::IdleTime
NpuFabric::GetIdleTime() const
{
    return [this](const npunet::engine::FlowKey& flow, npunet::Bytes bytes) {
        return npunet::topology::idle_time(GetDescription(),
                                           flow.source,
                                           flow.destination,
                                           bytes,
                                           npunet::topology::IdlePath::Packets);
    };
}

std::string
NpuFabric::GetLinkName(uint32_t link) const
{
    const npunet::topology::Graph& graph = GetDescription().graph;
    const npunet::topology::Link& ends = graph.link(npunet::LinkId(std::size_t{link}));
    std::size_t parallel = 0;
    std::size_t place = 0;
    for (const npunet::LinkId id : graph.links_from(ends.from))
    {
        parallel += graph.link(id).to == ends.to ? 1 : 0;
        place = id.index() == link ? parallel : place;
    }
    std::string name = graph.name(ends.from);
    name.append(" -> ").append(graph.name(ends.to));
    if (parallel > 1)
    {
        name.append(" ").append(std::to_string(place));
    }
    return name;
}

uint64_t
NpuFabric::GetPacketHops() const
{
    if (!m_core)
    {
        return 0;
    }
    m_core->Synchronize();
    return m_core->packet_hops();
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
    // What is kept refers to the core.
    NpuNetwork::DoDispose();
    m_linkChanges.clear();
    m_core.reset();
    m_devices.clear();
}

} // namespace ns3
