// SPDX-License-Identifier: GPL-2.0-only

// What the log components of switches, transport and congestion control print is made here whatever
// the build profile: a script asks for them by name, and nothing is spent on them otherwise.
#ifndef NS3_LOG_ENABLE
#define NS3_LOG_ENABLE
#endif

#include "npu-log-feed.h"

#include "npu-quantities.h"

#include <ns3/log.h>

#include <limits>
#include <ostream>
#include <string>

namespace ns3
{

namespace
{

using npunet::packet::ObservedPacket;
using npunet::packet::ObservedSender;
using npunet::packet::PacketDrop;
using npunet::packet::SenderEvent;

/// The names of the nodes of a link or a flow, for a line of the log.
struct NpuLogEnds
{
    const npunet::topology::Graph& graph; //!< has the names
    npunet::NodeId from;                  //!< one end
    npunet::NodeId to;                    //!< the other
};

std::ostream&
operator<<(std::ostream& out, const NpuLogEnds& ends)
{
    return out << ends.graph.name(ends.from) << " -> " << ends.graph.name(ends.to);
}

NpuLogEnds
EndsOf(const npunet::topology::Graph& graph, npunet::LinkId link)
{
    return {graph, graph.link(link).from, graph.link(link).to};
}

/// A packet, for a line of the log.
struct NpuLogPacket
{
    const npunet::topology::Graph& graph; //!< has the names of its ends
    const ObservedPacket& packet;         //!< what is known of it
};

std::ostream&
operator<<(std::ostream& out, const NpuLogPacket& logged)
{
    const ObservedPacket& packet = logged.packet;
    out << name_of(packet.kind);
    if (packet.sequence != ObservedPacket::no_sequence)
    {
        out << " " << packet.sequence;
    }
    return out << " of " << NpuLogEnds{logged.graph, packet.source, packet.destination} << " class "
               << uint32_t{packet.traffic_class} << ", " << packet.wire.value() << " bytes"
               << (packet.marked ? ", marked" : "") << (packet.repeated ? ", repeated" : "");
}

/// How a sender is, for a line of the log.
struct NpuLogSender
{
    const npunet::topology::Graph& graph; //!< has the names of its ends
    const ObservedSender& sender;         //!< what is known of it
};

std::ostream&
operator<<(std::ostream& out, const NpuLogSender& logged)
{
    static constexpr const char* EVENTS[] = {"acknowledged", "notified", "lost", "timed out"};
    const ObservedSender& sender = logged.sender;
    return out << NpuLogEnds{logged.graph, sender.source, sender.destination} << " class "
               << uint32_t{sender.traffic_class} << ": "
               << EVENTS[static_cast<std::size_t>(sender.event)];
}

bool
IsAcknowledgement(const ObservedSender& sender)
{
    return sender.event == SenderEvent::Acknowledged;
}

const char*
ReasonOf(PacketDrop why)
{
    static constexpr const char* REASONS[] = {"no room", "trimmed", "corrupted", "link down"};
    return REASONS[static_cast<std::size_t>(why)];
}

} // namespace

// ns-3 allows one component a namespace.

namespace npu_switch_log
{

NS_LOG_COMPONENT_DEFINE("NpuSwitch");

namespace
{

bool
IsWanted()
{
    return !g_log.IsNoneEnabled();
}

void
Started(const NpuLogEnds& link, const NpuLogPacket& packet)
{
    NS_LOG_LOGIC(link << ": starts " << packet);
}

void
Lost(const NpuLogEnds& link, const NpuLogPacket& packet, PacketDrop why)
{
    NS_LOG_INFO(link << ": loses " << packet << ": " << ReasonOf(why));
}

void
Marked(const NpuLogEnds& link, const NpuLogPacket& packet)
{
    NS_LOG_INFO(link << ": marks " << packet);
}

void
Paused(const NpuLogEnds& link, std::uint8_t trafficClass, bool paused)
{
    NS_LOG_INFO(link << ": class " << uint32_t{trafficClass}
                     << (paused ? " is paused" : " resumes"));
}

void
Stalled(const NpuLogEnds& link, npunet::Time duration)
{
    NS_LOG_LOGIC(link << ": could not send for " << TimeOf(duration).As(Time::NS));
}

} // namespace
} // namespace npu_switch_log

namespace npu_transport_log
{

NS_LOG_COMPONENT_DEFINE("NpuTransport");

namespace
{

bool
IsWanted()
{
    return !g_log.IsNoneEnabled();
}

void
Heard(const npunet::topology::Graph& graph, const ObservedSender& sender)
{
    const NpuLogSender logged{graph, sender};
    if (IsAcknowledgement(sender))
    {
        NS_LOG_LOGIC(logged << " " << sender.acknowledged.value() << " bytes, round trip "
                            << TimeOf(sender.round_trip).As(Time::NS) << ", "
                            << sender.in_flight.value() << " bytes in flight");
    }
    else if (sender.event != SenderEvent::Notified)
    {
        NS_LOG_INFO(logged << ", " << sender.in_flight.value() << " bytes in flight");
    }
}

} // namespace
} // namespace npu_transport_log

namespace npu_congestion_log
{

NS_LOG_COMPONENT_DEFINE("NpuCongestionControl");

namespace
{

bool
IsWanted()
{
    return !g_log.IsNoneEnabled();
}

/// Rate, window and alpha of a sender, for a line of the log.
struct Control
{
    const ObservedSender& sender; //!< has them
};

std::ostream&
operator<<(std::ostream& out, const Control& control)
{
    // A larger one paces nothing.
    constexpr int64_t most = std::numeric_limits<int64_t>::max() / 8;
    const ObservedSender& sender = control.sender;
    out << ", window " << sender.window.value() << " bytes";
    if (sender.rate.bytes_per_second() < most)
    {
        out << ", rate " << DataRateOf(sender.rate);
    }
    if (sender.congestion >= 0)
    {
        out << ", alpha " << sender.congestion;
    }
    return out;
}

void
Heard(const npunet::topology::Graph& graph, const ObservedSender& sender)
{
    const NpuLogSender logged{graph, sender};
    if (IsAcknowledgement(sender))
    {
        NS_LOG_LOGIC(logged << Control{sender});
    }
    else
    {
        NS_LOG_INFO(logged << Control{sender});
    }
}

} // namespace
} // namespace npu_congestion_log

bool
NpuLogFeed::IsWanted()
{
    return npu_switch_log::IsWanted() || npu_transport_log::IsWanted() ||
           npu_congestion_log::IsWanted();
}

void
NpuLogFeed::packet_started(npunet::LinkId link,
                           const ObservedPacket& packet,
                           npunet::Time arrival,
                           npunet::Bytes waited)
{
    npu_switch_log::Started(EndsOf(m_graph, link), {m_graph, packet});
    if (m_next != nullptr)
    {
        m_next->packet_started(link, packet, arrival, waited);
    }
}

void
NpuLogFeed::packet_entered(npunet::LinkId link, npunet::Bytes wire, npunet::Time arrival)
{
    if (m_next != nullptr)
    {
        m_next->packet_entered(link, wire, arrival);
    }
}

void
NpuLogFeed::packet_queued(npunet::LinkId link, npunet::Bytes wire, npunet::Time from)
{
    if (m_next != nullptr)
    {
        m_next->packet_queued(link, wire, from);
    }
}

void
NpuLogFeed::packet_gave_up(npunet::LinkId link, npunet::Bytes wire, npunet::Time from)
{
    if (m_next != nullptr)
    {
        m_next->packet_gave_up(link, wire, from);
    }
}

void
NpuLogFeed::credit_stalled(npunet::LinkId link, npunet::Time from, npunet::Time duration)
{
    npu_switch_log::Stalled(EndsOf(m_graph, link), duration);
    if (m_next != nullptr)
    {
        m_next->credit_stalled(link, from, duration);
    }
}

void
NpuLogFeed::packet_lost(npunet::LinkId link, const ObservedPacket& packet, PacketDrop why)
{
    npu_switch_log::Lost(EndsOf(m_graph, link), {m_graph, packet}, why);
    if (m_next != nullptr)
    {
        m_next->packet_lost(link, packet, why);
    }
}

void
NpuLogFeed::packet_marked(npunet::LinkId link, const ObservedPacket& packet)
{
    npu_switch_log::Marked(EndsOf(m_graph, link), {m_graph, packet});
    if (m_next != nullptr)
    {
        m_next->packet_marked(link, packet);
    }
}

void
NpuLogFeed::link_paused(npunet::LinkId link, std::uint8_t trafficClass, bool paused)
{
    npu_switch_log::Paused(EndsOf(m_graph, link), trafficClass, paused);
    if (m_next != nullptr)
    {
        m_next->link_paused(link, trafficClass, paused);
    }
}

void
NpuLogFeed::sender_heard(const ObservedSender& sender)
{
    npu_transport_log::Heard(m_graph, sender);
    npu_congestion_log::Heard(m_graph, sender);
    if (m_next != nullptr)
    {
        m_next->sender_heard(sender);
    }
}

} // namespace ns3
