// SPDX-License-Identifier: GPL-2.0-only

#include "npu-fabric-helper.h"

#include "ns3/npu-channel.h"
#include "ns3/npu-congestion-settings.h"
#include "ns3/npu-event-bridge.h"
#include "ns3/npu-net-device.h"
#include "ns3/npu-processes.h"
#include "ns3/npu-segment.h"

#include "base/errors.h"
#include "topology/graph/graph_partition.h"
#include "topology/yaml/network_reader.h"
#include "topology/yaml/packet_presets.h"

#include <ns3/abort.h>
#include <ns3/boolean.h>
#include <ns3/double.h>
#include <ns3/enum.h>
#include <ns3/global-value.h>
#include <ns3/mac48-address.h>
#include <ns3/node.h>
#include <ns3/simulator.h>
#include <ns3/string.h>
#include <ns3/uinteger.h>

#include <cstdlib>
#include <map>
#include <utility>

namespace ns3
{

namespace
{

/**
 * @param name of an attribute of NpuFabric
 * @return whether the user has given it another default, on the command line or in the script
 */
bool
HasOwnDefault(const std::string& name)
{
    TypeId::AttributeInformation info;
    const bool found = NpuFabric::GetTypeId().LookupAttributeByName(name, &info);
    NS_ABORT_MSG_UNLESS(found, "NpuFabric has no attribute " << name);
    return info.initialValue->SerializeToString(info.checker) !=
           info.originalInitialValue->SerializeToString(info.checker);
}

/// What a name of SetTopology() means.
struct Shape
{
    const char* kind;       //!< of every dimension
    std::size_t dimensions; //!< how many; 0: as many as there are sizes
};

/**
 * @return the topologies by name
 */
const std::map<std::string, Shape>&
Shapes()
{
    static const std::map<std::string, Shape> shapes{
        {"Ring", {"Ring", 0}},
        {"Torus", {"Ring", 0}},
        {"Mesh1D", {"Mesh1D", 0}},
        {"Mesh", {"Mesh1D", 0}},
        {"FullyConnected", {"FullyConnected", 0}},
        {"Switch", {"Switch", 0}},
        {"Mesh2D", {"Mesh1D", 2}},
        {"Mesh3D", {"Mesh1D", 3}},
        {"Torus2D", {"Ring", 2}},
        {"Torus3D", {"Ring", 3}},
    };
    return shapes;
}

/**
 * @param given of any type
 * @param value what it means, where it means anything
 * @param checker of the attribute
 * @return whether it does
 */
template <class Value>
bool
Take(const AttributeValue& given, Value& value, Ptr<const AttributeChecker> checker)
{
    if (const auto* same = dynamic_cast<const Value*>(&given))
    {
        value = *same;
        return true;
    }
    const auto* text = dynamic_cast<const StringValue*>(&given);
    return text != nullptr && value.DeserializeFromString(text->Get(), checker);
}

/**
 * Makes a channel for every cable: a link and the next unused one that goes back.
 * @param fabric with all its devices
 */
void
MakeChannels(NpuFabric& fabric)
{
    const npunet::topology::Graph& graph = fabric.GetDescription().graph;
    std::map<std::pair<npunet::NodeId, npunet::NodeId>, int> unmatched;
    for (std::size_t i = 0; i < graph.links(); ++i)
    {
        const npunet::topology::Link& link = graph.link(npunet::LinkId(i));
        int& back = unmatched[{link.to, link.from}];
        if (back > 0)
        {
            --back;
            continue;
        }
        ++unmatched[{link.from, link.to}];
        Ptr<NpuNetDevice> from = fabric.GetDevice(link.from.index());
        Ptr<NpuNetDevice> to = fabric.GetDevice(link.to.index());
        Ptr<NpuChannel> channel = CreateObject<NpuChannel>();
        channel->Connect(from, to, link.rate, link.latency);
        from->AddChannel(channel);
        to->AddChannel(channel);
    }
}

/**
 * @param graph the network
 * @param npus the nodes of its NPUs
 * @return by node of the network: the process that has it
 */
std::vector<uint32_t>
ProcessesOf(const npunet::topology::Graph& graph, const NodeContainer& npus)
{
    std::vector<uint32_t> ofNpus;
    for (auto npu = npus.Begin(); npu != npus.End(); ++npu)
    {
        ofNpus.push_back((*npu)->GetSystemId());
    }
    return npunet::topology::partition_with_switches(graph, ofNpus);
}

} // namespace

NpuFabricHelper::NpuFabricHelper()
{
    m_fabricFactory.SetTypeId(NpuFabric::GetTypeId());
    m_deviceFactory.SetTypeId(NpuNetDevice::GetTypeId());
}

void
NpuFabricHelper::UsePicoseconds()
{
    NpuEventBridge::UsePicoseconds();
}

void
NpuFabricHelper::UseRecommendedSettings()
{
    UsePicoseconds();
    StringValue present;
    GlobalValue::GetValueByName("SchedulerType", present);
    const char* environment = std::getenv("NS_GLOBAL_VALUE");
    const bool chosen = environment != nullptr &&
                        std::string(environment).find("SchedulerType") != std::string::npos;
    if (!chosen && present.Get() == "ns3::MapScheduler")
    {
        GlobalValue::Bind("SchedulerType", StringValue("ns3::PriorityQueueScheduler"));
    }
}

void
NpuFabricHelper::SetTopology(const std::string& name, const std::vector<uint32_t>& sizes)
{
    const auto shape = Shapes().find(name);
    if (shape == Shapes().end())
    {
        throw npunet::InputError({"",
                                  "SetTopology",
                                  "'" + name + "'",
                                  "Ring, Torus, Mesh1D, Mesh, FullyConnected, Switch, Mesh2D, "
                                  "Mesh3D, Torus2D or Torus3D",
                                  ""});
    }
    bool positive = !sizes.empty();
    for (const uint32_t size : sizes)
    {
        positive = positive && size > 0 && size < (1U << 22);
    }
    const std::size_t wanted = shape->second.dimensions;
    if (!positive || (wanted != 0 && sizes.size() != wanted))
    {
        throw npunet::InputError(
            {"",
             "SetTopology(\"" + name + "\")",
             std::to_string(sizes.size()) + " sizes",
             (wanted == 0 ? "one size or more" : std::to_string(wanted) + " sizes") +
                 ", each from 1 to 2^22",
             ""});
    }
    m_whole = false;
    m_name = name;
    m_sizes = sizes;
}

void
NpuFabricHelper::SetTopology(const NpuTopologyHelper& topology)
{
    m_whole = false;
    m_name.clear();
    m_topology = topology;
}

void
NpuFabricHelper::SetNetwork(const npunet::topology::NetworkDescription& network)
{
    m_whole = true;
    m_path.clear();
    m_network = network;
    // What the user says by Config::SetDefault() or on the command line goes before the file.
    const auto set = [this](const char* name, const AttributeValue& value) {
        if (!HasOwnDefault(name))
        {
            m_fabricFactory.Set(name, value);
        }
    };
    NpuFabric::ListAttributes(network.packet, set);
    NpuFabric::ListScaleUpAttributes(network, set);
}

void
NpuFabricHelper::SetNetworkFile(const std::string& path)
{
    SetNetwork(npunet::topology::read_network(path, npunet::topology::GigaByte::Decimal));
    m_path = path;
}

void
NpuFabricHelper::SetPreset(const std::string& name)
{
    const npunet::topology::PacketParameters packet = npunet::topology::preset_parameters(name);
    NpuFabric::ListAttributes(packet, [this](const char* attribute, const AttributeValue& value) {
        if (!HasOwnDefault(attribute))
        {
            m_fabricFactory.Set(attribute, value);
        }
    });
    if (!HasOwnDefault("CongestionControl"))
    {
        m_fabricFactory.Set(
            "CongestionControl",
            StringValue(NpuCongestionControl::Make(packet.congestion_control)->Serialize()));
    }
}

void
NpuFabricHelper::SetLinkAttribute(const std::string& name, const AttributeValue& value)
{
    NpuTopologyHelper::Link link = m_link;
    bool understood = false;
    if (name == "DataRate")
    {
        DataRateValue rate;
        understood = Take(value, rate, MakeDataRateChecker());
        link.rate = rate.Get();
    }
    else if (name == "Delay")
    {
        TimeValue delay;
        understood = Take(value, delay, MakeTimeChecker());
        link.delay = delay.Get();
    }
    if (!understood)
    {
        throw npunet::InputError({"",
                                  "SetLinkAttribute(\"" + name + "\")",
                                  "an attribute or a value that links do not have",
                                  "DataRate with a DataRateValue, or Delay with a TimeValue",
                                  ""});
    }
    NpuTopologyHelper::Check(link);
    m_link = link;
}

int64_t
NpuFabricHelper::AssignStreams(int64_t stream)
{
    NS_ABORT_MSG_IF(stream < 0, "streams are numbered from 0");
    m_stream = stream;
    return 1;
}

int64_t
NpuFabricHelper::AssignStreams(const NetDeviceContainer& devices, int64_t stream)
{
    const Ptr<NpuNetDevice> device =
        devices.GetN() > 0 ? DynamicCast<NpuNetDevice>(devices.Get(0)) : nullptr;
    NS_ABORT_MSG_IF(!device || !m_fabric || device->GetFabric() != m_fabric,
                    "AssignStreams() takes the devices of the last Install()");
    m_stream = stream;
    Build(m_faults);
    return 1;
}

npunet::topology::NetworkDescription
NpuFabricHelper::Describe(const std::string& routing, uint64_t seed, bool pauses) const
{
    if (m_whole)
    {
        if (m_path.empty() || seed == 0 || seed == m_network.packet.seed)
        {
            return m_network;
        }
        // Its routes may be spread by the seed.
        npunet::topology::NetworkChanges changes;
        changes.seed = seed;
        return npunet::topology::read_network(
            m_path, npunet::topology::GigaByte::Decimal, false, nullptr, changes);
    }
    if (m_name.empty())
    {
        return m_topology.Describe(routing, seed, pauses);
    }
    NpuTopologyHelper topology;
    topology.SetProduct(Shapes().at(m_name).kind, m_sizes, m_link);
    npunet::topology::NetworkDescription network = topology.Describe(routing, seed, pauses);
    network.name = m_name;
    return network;
}

npunet::topology::NetworkDescription
NpuFabricHelper::DescribeFor(const NpuFabric& fabric) const
{
    StringValue routing;
    UintegerValue seed;
    StringValue flowControl;
    fabric.GetAttribute("Routing", routing);
    fabric.GetAttribute("Seed", seed);
    fabric.GetAttribute("FlowControl", flowControl);
    return Describe(routing.Get(), seed.Get(), flowControl.Get() == "Pfc");
}

NodeContainer
NpuFabricHelper::CreateNpus() const
{
    const Ptr<NpuFabric> like = m_fabricFactory.Create<NpuFabric>();
    const npunet::topology::Graph graph = DescribeFor(*like).graph;
    const std::vector<uint32_t> processes =
        npunet::topology::partition_graph(graph, NpuProcesses::GetCount());
    NodeContainer npus;
    for (std::size_t npu = 0; npu < graph.npus(); ++npu)
    {
        npus.Add(CreateObject<Node>(processes[npu]));
    }
    return npus;
}

void
NpuFabricHelper::Build(const NpuFaultList& faults)
{
    UintegerValue seed;
    m_fabric->GetAttribute("Seed", seed);
    const bool isFixed = m_whole && (m_path.empty() || m_network.packet.seed_is_given);
    if (m_stream >= 0 || (seed.Get() == 0 && !isFixed))
    {
        m_fabric->AssignStreams(m_stream);
    }
    npunet::topology::NetworkDescription network = DescribeFor(*m_fabric);
    faults.AddTo(network);
    m_fabric->SetNetwork(std::move(network));
}

void
NpuFabricHelper::BuildAgain(const NpuFaultList& faults)
{
    if (m_fabric)
    {
        Build(faults);
    }
    m_faults = faults;
}

NetDeviceContainer
NpuFabricHelper::Install(const NodeContainer& npus)
{
    m_fabric = m_fabricFactory.Create<NpuFabric>();
    Build(m_faults);
    const std::size_t count = m_fabric->GetDescription().graph.npus();
    NS_ABORT_MSG_IF(count == 0, "tell the helper the network first: SetTopology()");
    NS_ABORT_MSG_IF(npus.GetN() != count,
                    "the network has " << count << " NPUs, but there are " << npus.GetN()
                                       << " nodes for them");
    const std::vector<uint32_t> processes = ProcessesOf(m_fabric->GetDescription().graph, npus);
    m_switches = NodeContainer();
    for (std::size_t node = count; node < processes.size(); ++node)
    {
        m_switches.Add(CreateObject<Node>(processes[node]));
    }

    NetDeviceContainer devices;
    const auto segment = CreateObject<NpuSegment>();
    const NodeContainer all(npus, m_switches);
    for (uint32_t i = 0; i < all.GetN(); ++i)
    {
        Ptr<NpuNetDevice> device = m_deviceFactory.Create<NpuNetDevice>();
        device->SetAddress(Mac48Address::Allocate());
        all.Get(i)->AddDevice(device);
        m_fabric->AddDevice(device);
        if (i < count)
        {
            devices.Add(device);
            segment->Attach(device);
        }
    }
    MakeChannels(*m_fabric);
    if (NpuProcesses::GetCount() > 1)
    {
        m_fabric->Split(processes);
    }
    return devices;
}

} // namespace ns3
