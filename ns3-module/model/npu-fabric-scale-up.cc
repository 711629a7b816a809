// SPDX-License-Identifier: GPL-2.0-only

// NpuFabric: links within servers that have credits, where the others have not.

#include "npu-compat.h"
#include "npu-fabric.h"
#include "npu-unused-attribute.h"

#include "topology/network/scale_up.h"

#include <ns3/double.h>
#include <ns3/enum.h>
#include <ns3/uinteger.h>

namespace ns3
{

using npunet::topology::FlowControl;
using npunet::topology::NetworkDescription;
using npunet::topology::PacketParameters;

TypeId
NpuFabric::AddScaleUpAttributes(TypeId tid)
{
    constexpr uint32_t fixed = TypeId::ATTR_GET | TypeId::ATTR_CONSTRUCT;
    return tid
        .AddAttribute("ScaleUpTiers",
                      "How many of the innermost tiers have links with credits, where FlowControl "
                      "is Pfc or None: 1 for those of servers (scale-up). BufferSize and what else "
                      "is said of links then holds for the others (scale-out). 0: one kind of "
                      "links.",
                      fixed,
                      UintegerValue(0),
                      MakeUintegerAccessor(&NpuFabric::m_scaleUpTiers),
                      MakeUintegerChecker<uint32_t>(0, 1000))
        .AddAttribute("ScaleUpBufferSize",
                      "Of links of the ScaleUpTiers: BufferSize with Credit.",
                      fixed,
                      UintegerValue(0),
                      MakeUintegerAccessor(&NpuFabric::m_scaleUpBuffer),
                      MakeUintegerChecker<uint64_t>(0, uint64_t{1} << 50))
        .AddAttribute("ScaleUpVirtualChannels",
                      "Of links of the ScaleUpTiers: VirtualChannels.",
                      fixed,
                      UintegerValue(0),
                      MakeUintegerAccessor(&NpuFabric::m_scaleUpChannels),
                      MakeUintegerChecker<uint8_t>(0, 32))
        .AddAttribute("ScaleUpSpeedUp",
                      "Of links of the ScaleUpTiers: SpeedUp.",
                      fixed,
                      UintegerValue(0),
                      MakeUintegerAccessor(&NpuFabric::m_scaleUpSpeedUp),
                      MakeUintegerChecker<uint8_t>())
        .AddAttribute("ScaleUpArbitration",
                      "Of links of the ScaleUpTiers: Arbitration.",
                      fixed,
                      EnumValue(ROUND_ROBIN),
                      NpuMakeEnumAccessor<ArbitrationRule>(&NpuFabric::m_scaleUpArbitration),
                      MakeEnumChecker(ROUND_ROBIN, "RoundRobin", OLDEST, "Oldest"))
        .AddAttribute("ScaleUpErrorRate",
                      "Of links of the ScaleUpTiers: ErrorRate with Credit.",
                      fixed,
                      DoubleValue(0),
                      MakeDoubleAccessor(&NpuFabric::m_scaleUpErrorRate),
                      MakeDoubleChecker<double>(0, 0.9));
}

void
NpuFabric::SetScaleUp(NetworkDescription& network) const
{
    network.scale_up = nullptr;
    const PacketParameters standard = npunet::topology::scale_up_parameters(network.packet);
    PacketParameters packet = standard;
    packet.buffer = npunet::Bytes(static_cast<int64_t>(m_scaleUpBuffer));
    packet.virtual_channels = m_scaleUpChannels;
    packet.speedup = m_scaleUpSpeedUp;
    packet.arbitration = static_cast<npunet::topology::Arbitration>(m_scaleUpArbitration);
    packet.error_rate = m_scaleUpErrorRate;
    uint32_t tiers = m_scaleUpTiers;
    const char* why = "without ScaleUpTiers";
    if (network.packet.flow_control == FlowControl::Credit)
    {
        why = "with FlowControl Credit";
        DropUnused(tiers, 0U, "ScaleUpTiers", why);
    }
    if (tiers == 0)
    {
        DropUnused(packet.buffer, standard.buffer, "ScaleUpBufferSize", why);
        DropUnused(
            packet.virtual_channels, standard.virtual_channels, "ScaleUpVirtualChannels", why);
        DropUnused(packet.speedup, standard.speedup, "ScaleUpSpeedUp", why);
        DropUnused(packet.arbitration, standard.arbitration, "ScaleUpArbitration", why);
        DropUnused(packet.error_rate, standard.error_rate, "ScaleUpErrorRate", why);
        return;
    }
    network.scale_up = npunet::topology::make_scale_up(
        network, static_cast<int32_t>(tiers), packet, network.file, "NpuFabric::ScaleUpTiers");
    npunet::topology::check_scale_up(network, network.file, "NpuFabric::ScaleUpTiers");
}

void
NpuFabric::ListScaleUpAttributes(
    const NetworkDescription& network,
    const std::function<void(const char*, const AttributeValue&)>& give)
{
    const bool isGiven = network.scale_up != nullptr;
    const PacketParameters packet = isGiven ? network.scale_up->packet : PacketParameters();
    give("ScaleUpTiers",
         UintegerValue(isGiven ? static_cast<uint64_t>(network.scale_up->tiers) : 0));
    give("ScaleUpBufferSize", UintegerValue(static_cast<uint64_t>(packet.buffer.value())));
    give("ScaleUpVirtualChannels", UintegerValue(packet.virtual_channels));
    give("ScaleUpSpeedUp", UintegerValue(packet.speedup));
    give("ScaleUpArbitration", EnumValue(static_cast<ArbitrationRule>(packet.arbitration)));
    give("ScaleUpErrorRate", DoubleValue(packet.error_rate));
}

} // namespace ns3
