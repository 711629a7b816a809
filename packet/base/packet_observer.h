// Notifications about every packet that starts on a link or waits for one, about stalls, drops,
// marks and pauses, and about what the senders of a transport hear. Sizes include headers.
//
//     class Counter final : public PacketObserver { ... };
//     network.set_observer(&counter);
#pragma once

#include "packet/base/packet_kind.h"

#include "base/ids.h"
#include "base/quantities.h"

#include <cstdint>
#include <limits>

namespace npunet::packet {

/// Why a packet, or its payload, is lost.
enum class PacketDrop : std::uint8_t {
    NoRoom,     ///< no space in the buffer in front of the link
    Trimmed,    ///< the same, but only the payload is dropped
    Corrupted,  ///< an error on the link
    LinkDown    ///< the link went down during the transmission, or is down permanently
};

/// A packet as an observer sees it.
struct ObservedPacket {
    /// ObservedPacket::sequence of packets without numbers: those of networks with credits whose
    /// pairs have one route each, and all but data and answers.
    static constexpr std::uint64_t no_sequence = std::numeric_limits<std::uint64_t>::max();

    Bytes wire;
    NodeId source;       ///< of the packet: an NPU; of PAUSE and RESUME frames the node of the link
    NodeId destination;  ///< of the packet
    /// Ethernet: data: its number in the flow, from 0; answers: the number that is expected next.
    /// Credits: its number in its message, from 0.
    std::uint64_t sequence = no_sequence;
    PacketKind kind = PacketKind::Data;
    std::uint8_t traffic_class = 0;  ///< PAUSE, RESUME: the class that they are about
    bool marked = false;             ///< data: it carries an ECN mark
    bool repeated = false;           ///< data: a retransmission by the transport
};

/// What a sender has heard.
enum class SenderEvent : std::uint8_t {
    Acknowledged,  ///< an acknowledgement, or a request to go back
    Notified,      ///< a congestion notification (CNP)
    Lost,          ///< a loss, by an answer
    TimedOut       ///< nothing for the retransmission timeout
};

/// The sender of a queue pair, after what it has heard.
struct ObservedSender {
    NodeId source;
    NodeId destination;
    std::uint8_t traffic_class = 0;
    SenderEvent event = SenderEvent::Acknowledged;
    Bytes acknowledged;  ///< newly, on the wire
    Time round_trip;     ///< of the packet that was acknowledged; 0 for other events
    Bytes in_flight;     ///< on the wire
    Bytes window;        ///< the smaller one of the transport and congestion control
    /// That paces packets; the largest number: none does.
    Rate rate{std::numeric_limits<std::int64_t>::max()};
    double congestion = -1;  ///< alpha of DCQCN and DCTCP; -1: the algorithm has none
};

class PacketObserver {
public:
    /// A packet starts on a link. `arrival`: of its last byte; Time::max() if it is lost. `waited`:
    /// its bytes as announced by packet_queued(); 0 if it starts at the node or did not wait.
    virtual void packet_started(LinkId link, const ObservedPacket& packet, Time arrival,
                                Bytes waited) = 0;

    /// A packet that started in another partition enters. `arrival`: of its last byte.
    virtual void packet_entered(LinkId /* link */, Bytes /* wire */, Time /* arrival */) {}

    /// A packet will wait for a link from `from` on, when it may leave. Called as soon as this is
    /// known.
    virtual void packet_queued(LinkId link, Bytes wire, Time from) = 0;

    /// A packet announced by packet_queued() is rerouted, as the link is down permanently;
    /// packet_queued() follows for its new link. `from`: when it stops waiting, which is now, or
    /// its announced time if that is later.
    virtual void packet_gave_up(LinkId /* link */, Bytes /* wire */, Time /* from */) {}

    /// A packet leaves now by a link that was idle because its packets waited for credit. `from`:
    /// when the first of them could have left; `duration`: without the time in which the link was
    /// down. With PFC: a pause of the link ends.
    virtual void credit_stalled(LinkId link, Time from, Time duration) = 0;

    /// A packet is lost in front of a link, or on it (called when the packet starts); counted in
    /// LinkUse::drops. ObservedPacket::wire: including a trimmed payload.
    virtual void packet_lost(LinkId /* link */, const ObservedPacket& /* packet */,
                             PacketDrop /* why */) {}

    /// A packet is marked when it joins the queue of the link; counted in LinkUse::marked.
    virtual void packet_marked(LinkId /* link */, const ObservedPacket& /* packet */) {}

    /// A class of the sending link is paused, counted in LinkUse::pauses, or resumed.
    virtual void link_paused(LinkId /* link */, std::uint8_t /* traffic_class */,
                             bool /* paused */) {}

    /// The sender of a queue pair has heard something. Networks with a transport only.
    virtual void sender_heard(const ObservedSender& /* sender */) {}

protected:
    ~PacketObserver() = default;
};

}  // namespace npunet::packet
