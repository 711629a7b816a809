// SPDX-License-Identifier: GPL-2.0-only

#include "npu-trace-feed.h"

#include "npu-fabric.h"
#include "npu-quantities.h"

#include <ns3/node.h>
#include <ns3/simulator.h>

#include <limits>

namespace ns3
{

namespace
{

/**
 * @param time of the machine
 * @return how long until then
 */
Time
Until(npunet::Time time)
{
    return TimeOf(time) - Simulator::Now();
}

/**
 * @param link of the network
 * @return its number
 */
uint32_t
NumberOf(npunet::LinkId link)
{
    return static_cast<uint32_t>(link.index());
}

/**
 * @param why a packet is lost, for the machine
 * @return the same for ns-3
 */
NpuNetDevice::DropReason
ReasonOf(npunet::packet::PacketDrop why)
{
    switch (why)
    {
    case npunet::packet::PacketDrop::NoRoom:
        return NpuNetDevice::NO_ROOM;
    case npunet::packet::PacketDrop::Trimmed:
        return NpuNetDevice::TRIMMED;
    case npunet::packet::PacketDrop::Corrupted:
        return NpuNetDevice::CORRUPTED;
    case npunet::packet::PacketDrop::LinkDown:
        break;
    }
    return NpuNetDevice::LINK_DOWN;
}

// The enumerations of the records are those of the machine, in the same order.
static_assert(NpuPacketRecord::NOTIFICATION ==
              static_cast<int>(npunet::packet::PacketKind::Notification));
static_assert(NpuPacketRecord::RESUME == static_cast<int>(npunet::packet::PacketKind::Resume));
static_assert(NpuSenderRecord::NOTIFIED == static_cast<int>(npunet::packet::SenderEvent::Notified));
static_assert(NpuSenderRecord::TIMED_OUT ==
              static_cast<int>(npunet::packet::SenderEvent::TimedOut));
static_assert(NpuPacketRecord::NO_SEQUENCE == npunet::packet::ObservedPacket::no_sequence);

/**
 * @param link of the network
 * @param packet at the link
 * @param event what happens to it
 * @return the same for ns-3
 */
NpuPacketRecord
RecordOf(npunet::LinkId link,
         const npunet::packet::ObservedPacket& packet,
         NpuPacketRecord::Event event)
{
    NpuPacketRecord record;
    record.time = Simulator::Now();
    record.event = event;
    record.kind = static_cast<NpuPacketRecord::Kind>(packet.kind);
    record.link = NumberOf(link);
    record.source = static_cast<uint32_t>(packet.source.index());
    record.destination = static_cast<uint32_t>(packet.destination.index());
    record.trafficClass = packet.traffic_class;
    record.sequence = packet.sequence;
    record.wireBytes = static_cast<uint32_t>(packet.wire.value());
    record.marked = packet.marked;
    record.repeated = packet.repeated;
    return record;
}

} // namespace

NpuTraceFeed::NpuTraceFeed(const npunet::topology::Graph& graph,
                           npunet::packet::PacketNetwork& machine)
    : m_graph(graph), m_machine(machine), m_devices(graph.nodes()), m_log(graph)
{
}

void
NpuTraceFeed::Observe()
{
    npunet::packet::PacketObserver* const sinks = m_listening > 0 ? this : nullptr;
    m_isLogging = NpuLogFeed::IsWanted();
    m_log.SetNext(sinks);
    m_machine.set_observer(m_isLogging ? &m_log : sinks);
}

void
NpuTraceFeed::Update(uint32_t position, const Ptr<NpuNetDevice>& device)
{
    Ptr<NpuNetDevice>& known = m_devices[position];
    m_listening += device->HasPacketListeners() ? 1 : 0;
    m_listening -= known ? 1 : 0;
    known = device->HasPacketListeners() ? device : nullptr;
    Observe();
    if (device->BeginQueueLengths())
    {
        // Those that wait now belong to the lengths from which they go on.
        for (const npunet::LinkId link : m_graph.links_from(npunet::NodeId(std::size_t{position})))
        {
            m_machine.list_queued(link, [&](npunet::LinkId, npunet::Bytes wire, npunet::Time from) {
                if (Until(from).IsStrictlyPositive())
                {
                    packet_queued(link, wire, from);
                }
                else
                {
                    device->m_waiting[NumberOf(link)] += wire.value();
                }
            });
        }
    }
}

void
NpuTraceFeed::packet_started(npunet::LinkId link,
                             const npunet::packet::ObservedPacket& packet,
                             npunet::Time arrival,
                             npunet::Bytes waited)
{
    const npunet::topology::Link& ends = m_graph.link(link);
    if (const Ptr<NpuNetDevice>& from = Listening(ends.from))
    {
        if (waited > npunet::Bytes())
        {
            from->TellQueueLength(NumberOf(link), -waited.value(), from->m_queueEpoch);
        }
        if (from->m_fabric)
        {
            from->m_packetSent(from->m_fabric->GetNodeId(ends.to.index()),
                               static_cast<uint32_t>(packet.wire.value()));
        }
        from->m_packet(RecordOf(link, packet, NpuPacketRecord::SENT));
    }
    if (!m_machine.is_cut(link) && arrival < npunet::Time::max())
    {
        packet_entered(link, packet.wire, arrival);
    }
}

void
NpuTraceFeed::packet_entered(npunet::LinkId link, npunet::Bytes wire, npunet::Time arrival)
{
    const Ptr<NpuNetDevice>& to = Listening(m_graph.link(link).to);
    if (to && !to->m_packetReceived.IsEmpty())
    {
        Simulator::ScheduleWithContext(to->GetNode()->GetId(),
                                       Until(arrival),
                                       &NpuNetDevice::TellPacketReceived,
                                       to,
                                       NumberOf(link),
                                       static_cast<uint32_t>(wire.value()));
    }
}

void
NpuTraceFeed::packet_queued(npunet::LinkId link, npunet::Bytes wire, npunet::Time from)
{
    const Ptr<NpuNetDevice>& device = Listening(m_graph.link(link).from);
    // A packet that chooses its way is told of when it is in, and may leave at the same instant.
    if (device && !Until(from).IsStrictlyPositive())
    {
        device->TellQueueLength(NumberOf(link), wire.value(), device->m_queueEpoch);
        return;
    }
    ChangeQueue(link, wire.value(), from);
}

void
NpuTraceFeed::packet_gave_up(npunet::LinkId link, npunet::Bytes wire, npunet::Time from)
{
    // Behind the event that tells of its beginning, should that be of this instant.
    ChangeQueue(link, -wire.value(), from);
}

void
NpuTraceFeed::ChangeQueue(npunet::LinkId link, int64_t bytes, npunet::Time from)
{
    const Ptr<NpuNetDevice>& device = Listening(m_graph.link(link).from);
    if (device && !device->m_queueLength.IsEmpty())
    {
        Simulator::ScheduleWithContext(device->GetNode()->GetId(),
                                       Until(from),
                                       &NpuNetDevice::TellQueueLength,
                                       device,
                                       NumberOf(link),
                                       bytes,
                                       device->m_queueEpoch);
    }
}

void
NpuTraceFeed::credit_stalled(npunet::LinkId link, npunet::Time from, npunet::Time duration)
{
    if (const Ptr<NpuNetDevice>& device = Listening(m_graph.link(link).from))
    {
        device->m_creditStall(NumberOf(link), TimeOf(from), TimeOf(duration));
    }
}

void
NpuTraceFeed::packet_lost(npunet::LinkId link,
                          const npunet::packet::ObservedPacket& packet,
                          npunet::packet::PacketDrop why)
{
    if (const Ptr<NpuNetDevice>& device = Listening(m_graph.link(link).from))
    {
        device->m_packetDropped(
            NumberOf(link), static_cast<uint32_t>(packet.wire.value()), ReasonOf(why));
        device->m_packet(RecordOf(link, packet, NpuPacketRecord::DROPPED));
    }
}

void
NpuTraceFeed::packet_marked(npunet::LinkId link, const npunet::packet::ObservedPacket& packet)
{
    if (const Ptr<NpuNetDevice>& device = Listening(m_graph.link(link).from))
    {
        device->m_packetMarked(NumberOf(link), static_cast<uint32_t>(packet.wire.value()));
        device->m_packet(RecordOf(link, packet, NpuPacketRecord::MARKED));
    }
}

void
NpuTraceFeed::sender_heard(const npunet::packet::ObservedSender& sender)
{
    const Ptr<NpuNetDevice>& device = Listening(sender.source);
    if (!device || device->m_sender.IsEmpty())
    {
        return;
    }
    NpuSenderRecord record;
    record.time = Simulator::Now();
    record.event = static_cast<NpuSenderRecord::Event>(sender.event);
    record.source = static_cast<uint32_t>(sender.source.index());
    record.destination = static_cast<uint32_t>(sender.destination.index());
    record.trafficClass = sender.traffic_class;
    record.acknowledged = static_cast<uint64_t>(sender.acknowledged.value());
    record.roundTrip = TimeOf(sender.round_trip);
    record.inFlight = static_cast<uint64_t>(sender.in_flight.value());
    record.window = static_cast<uint64_t>(sender.window.value());
    // A larger one paces nothing.
    constexpr int64_t most = std::numeric_limits<int64_t>::max() / 8;
    const int64_t rate = sender.rate.bytes_per_second();
    record.rate = DataRate(rate < most ? static_cast<uint64_t>(rate) * 8 : 0);
    record.congestion = sender.congestion;
    device->m_sender(record);
}

void
NpuTraceFeed::link_paused(npunet::LinkId link, std::uint8_t trafficClass, bool paused)
{
    if (const Ptr<NpuNetDevice>& device = Listening(m_graph.link(link).from))
    {
        device->m_pause(NumberOf(link), trafficClass, paused);
    }
}

} // namespace ns3
