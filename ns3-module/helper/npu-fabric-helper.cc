/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "npu-fabric-helper.h"

#include "ns3/npu-channel.h"
#include "ns3/npu-event-bridge.h"
#include "ns3/npu-net-device.h"

#include "base/errors.h"
#include "topology/builder.h"

#include <ns3/abort.h>
#include <ns3/mac48-address.h>
#include <ns3/node.h>
#include <ns3/uinteger.h>

#include <map>
#include <utility>

namespace ns3
{

namespace
{

using npunet::topology::DimensionKind;

/// What a name of SetTopology() means.
struct Shape
{
    DimensionKind kind;     //!< of every dimension
    std::size_t dimensions; //!< how many; 0: as many as there are sizes
};

/**
 * @return the topologies by name
 */
const std::map<std::string, Shape>&
Shapes()
{
    static const std::map<std::string, Shape> shapes{
        {"Ring", {DimensionKind::Ring, 0}},
        {"Mesh1D", {DimensionKind::Mesh1D, 0}},
        {"FullyConnected", {DimensionKind::FullyConnected, 0}},
        {"Switch", {DimensionKind::Switch, 0}},
        {"Mesh2D", {DimensionKind::Mesh1D, 2}},
        {"Mesh3D", {DimensionKind::Mesh1D, 3}},
        {"Torus2D", {DimensionKind::Ring, 2}},
        {"Torus3D", {DimensionKind::Ring, 3}},
    };
    return shapes;
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

} // namespace

NpuFabricHelper::NpuFabricHelper() : m_rate("400Gbps"), m_delay(NanoSeconds(500))
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
NpuFabricHelper::SetTopology(const std::string& name, const std::vector<uint32_t>& sizes)
{
    const auto shape = Shapes().find(name);
    if (shape == Shapes().end())
    {
        throw npunet::InputError({"",
                                  "SetTopology",
                                  "'" + name + "'",
                                  "Ring, Mesh1D, FullyConnected, Switch, Mesh2D, Mesh3D, Torus2D "
                                  "or Torus3D",
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
    m_name = name;
    m_sizes = sizes;
}

void
NpuFabricHelper::SetNetwork(const npunet::topology::NetworkDescription& network)
{
    m_name.clear();
    m_network = network;
    const npunet::topology::PacketParameters& packet = network.packet;
    const auto set = [this](const char* name, int64_t value) {
        m_fabricFactory.Set(name, UintegerValue(static_cast<uint64_t>(value)));
    };
    set("Mtu", packet.mtu.value());
    set("HeaderSize", packet.header.value());
    set("BufferSize", packet.buffer.value());
    set("VirtualChannels", packet.virtual_channels);
}

void
NpuFabricHelper::SetNetworkFile(const std::string& path)
{
    SetNetwork(npunet::topology::read_network(path, npunet::topology::GigaByte::Decimal));
}

void
NpuFabricHelper::SetLinkAttribute(const std::string& name, const AttributeValue& value)
{
    if (name == "DataRate")
    {
        m_rate = dynamic_cast<const DataRateValue&>(value).Get();
    }
    else if (name == "Delay")
    {
        m_delay = dynamic_cast<const TimeValue&>(value).Get();
    }
    else
    {
        NS_ABORT_MSG("a link has the attributes DataRate and Delay, not " << name);
    }
}

void
NpuFabricHelper::SetFabricAttribute(const std::string& name, const AttributeValue& value)
{
    m_fabricFactory.Set(name, value);
}

void
NpuFabricHelper::SetDeviceAttribute(const std::string& name, const AttributeValue& value)
{
    m_deviceFactory.Set(name, value);
}

npunet::topology::NetworkDescription
NpuFabricHelper::Describe() const
{
    if (m_name.empty())
    {
        return m_network;
    }
    const npunet::Rate rate(static_cast<int64_t>(m_rate.GetBitRate() / 8));
    const npunet::Time delay = npunet::Time::ps(m_delay.GetPicoSeconds());
    NS_ABORT_MSG_IF(rate.bytes_per_second() < 1 || delay.ps() < 0,
                    "a link needs at least 8 bit/s and a delay that is not negative");
    std::vector<npunet::topology::Dimension> dimensions;
    for (const uint32_t size : m_sizes)
    {
        dimensions.push_back(npunet::topology::make_dimension(
            Shapes().at(m_name).kind, static_cast<int32_t>(size), rate, delay));
    }
    return npunet::topology::make_network(std::move(dimensions), m_name);
}

NetDeviceContainer
NpuFabricHelper::Install(const NodeContainer& npus)
{
    npunet::topology::NetworkDescription network = Describe();
    const std::size_t count = network.graph.npus();
    NS_ABORT_MSG_IF(count == 0, "tell the helper the network first: SetTopology()");
    NS_ABORT_MSG_IF(npus.GetN() != count,
                    "the network has " << count << " NPUs, but there are " << npus.GetN()
                                       << " nodes for them");
    m_switches = NodeContainer();
    m_switches.Create(static_cast<uint32_t>(network.graph.nodes() - count));
    m_fabric = m_fabricFactory.Create<NpuFabric>();
    m_fabric->SetNetwork(std::move(network));

    NetDeviceContainer devices;
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
        }
    }
    MakeChannels(*m_fabric);
    return devices;
}

Ptr<NpuFabric>
NpuFabricHelper::GetFabric() const
{
    return m_fabric;
}

NodeContainer
NpuFabricHelper::GetSwitches() const
{
    return m_switches;
}

} // namespace ns3
