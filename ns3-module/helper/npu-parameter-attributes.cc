// SPDX-License-Identifier: GPL-2.0-only

#include "npu-parameter-attributes.h"

#include "ns3/npu-fabric.h"

#include <ns3/boolean.h>
#include <ns3/data-rate.h>
#include <ns3/double.h>
#include <ns3/enum.h>
#include <ns3/integer.h>
#include <ns3/nstime.h>
#include <ns3/string.h>
#include <ns3/uinteger.h>

namespace ns3
{

namespace
{

/// Called with the name and the value of an attribute.
using Give = std::function<void(const char*, const AttributeValue&)>;

/**
 * @param rate a rate
 * @return the same
 */
DataRateValue
RateOf(npunet::Rate rate)
{
    return DataRateValue(DataRate(static_cast<uint64_t>(rate.bytes_per_second()) * 8));
}

/**
 * Flow control, marks and transport.
 * @param packet parameters
 * @param give is called for each attribute
 */
void
GiveTransport(const npunet::topology::PacketParameters& packet, const Give& give)
{
    using npunet::topology::FlowControl;
    using npunet::topology::TransportKind;
    const auto set = [&give](const char* name, int64_t value) {
        give(name, UintegerValue(static_cast<uint64_t>(value)));
    };
    give("FlowControl",
         EnumValue(packet.flow_control == FlowControl::Credit ? NpuFabric::CREDIT
                   : packet.flow_control == FlowControl::Pfc  ? NpuFabric::PFC
                                                              : NpuFabric::DROPS));
    give("BufferAlpha", DoubleValue(packet.shared_buffer.alpha));
    set("Headroom", packet.shared_buffer.headroom.value());
    const npunet::topology::TransportParameters& transport = packet.transport;
    give("Transport",
         EnumValue(transport.kind == TransportKind::None      ? NpuFabric::NO_TRANSPORT
                   : transport.kind == TransportKind::GoBackN ? NpuFabric::GO_BACK_N
                                                              : NpuFabric::SELECTIVE_REPEAT));
    set("TransportWindow", transport.window.value());
    set("AckEvery", transport.ack_every);
    give("RetransmissionTimeout",
         TimeValue(PicoSeconds(static_cast<uint64_t>(transport.rto.ps()))));
    give("Retries", UintegerValue(static_cast<uint64_t>(transport.retries)));
    give("Reordering", IntegerValue(transport.reordering));
    give("StartJitter", TimeValue(PicoSeconds(static_cast<uint64_t>(transport.start_jitter.ps()))));
    set("EcnMinimum", packet.ecn.kmin.value());
    // A value of 0 with a minimum of 0 is meant as 0, not the default (NpuFabric::SetTransport()).
    set("EcnMaximum", packet.ecn.kmax.value());
    give("EcnProbability", DoubleValue(packet.ecn.pmax));
    give("EcnRate", RateOf(packet.ecn.per));
    give("CongestionControl", StringValue(name_of(packet.congestion_control.algorithm)));
}

} // namespace

void
GiveNpuParameters(const npunet::topology::PacketParameters& packet, const Give& give)
{
    const auto set = [&give](const char* name, int64_t value) {
        give(name, UintegerValue(static_cast<uint64_t>(value)));
    };
    set("Mtu", packet.mtu.value());
    set("HeaderSize", packet.header.value());
    set("BufferSize", packet.buffer.value());
    set("VirtualChannels", packet.virtual_channels);
    set("Seed", static_cast<int64_t>(packet.seed));
    give("Switching",
         EnumValue(packet.switching == npunet::topology::Switching::CutThrough
                       ? NpuFabric::CUT_THROUGH
                       : NpuFabric::STORE_AND_FORWARD));
    give("Arbitration",
         EnumValue(packet.arbitration == npunet::topology::Arbitration::Oldest
                       ? NpuFabric::OLDEST
                       : NpuFabric::ROUND_ROBIN));
    give("ErrorRate", DoubleValue(packet.error_rate));
    give("QueueHistogram", BooleanValue(packet.queue_histogram));
    set("SpeedUp", packet.speedup);
    set("Classes", packet.classes.count);
    give("ClassArbitration", StringValue(npunet::topology::arbitration_text(packet.classes)));
    give("ClassOf", StringValue(npunet::topology::class_of_text(packet.classes)));
    give("InjectionRate", RateOf(packet.injection));
    give("Routing", StringValue("auto"));
    GiveTransport(packet, give);
}

} // namespace ns3
