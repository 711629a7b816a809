#pragma once

#include "engine/state_scan.h"

#include "topology/congestion_control.h"

#include <cstdint>
#include <limits>
#include <memory>

namespace npunet::packet {

/// What congestion control knows of a queue pair's path when it starts.
struct FlowPath {
    std::int64_t rate = 0;        ///< bytes/s of the first link
    std::int64_t slowest = 0;     ///< bytes/s of the slowest link
    std::int64_t round_trip = 0;  ///< ps on the idle network: a full packet out, its
                                  ///< acknowledgement back
    std::int32_t hops = 0;        ///< links from source to destination
    std::int64_t packet = 0;      ///< bytes of a full packet on the wire

    /// @return bytes, slowest x roundTrip
    double bandwidth_delay() const {
        return static_cast<double>(slowest) * static_cast<double>(round_trip) / 1e12;
    }
};

/// What a port has written into a packet that left by it (in-band telemetry), at that moment.
struct HopTelemetry {
    std::int64_t time = 0;   ///< ps
    std::int64_t sent = 0;   ///< bytes that the port has sent so far
    std::int64_t queue = 0;  ///< bytes that wait for the port in the packet's class
    std::int64_t rate = 0;   ///< bytes/s of its link
};

/// An acknowledgement that has arrived at the sender.
struct Acknowledgement {
    std::int64_t now = 0;         ///< ps
    std::int64_t bytes = 0;       ///< newly acknowledged, as on the wire
    std::int64_t marked = 0;      ///< of them those that came with congestion experienced (ECN)
    std::int64_t round_trip = 0;  ///< ps, of the packet that caused it; -1: unknown (sent again)
    std::uint64_t next = 0;       ///< sequence number that the receiver expects
    std::uint64_t sent = 0;       ///< next new sequence number of the sender
    const HopTelemetry* telemetry = nullptr;  ///< of the packet that caused it, one a hop, in order
    std::uint32_t hops = 0;                   ///< how many; 0: no telemetry
};

/// The sender's side of a congestion control algorithm: one object a queue pair, which says how
/// many bytes may be in flight and how fast they may be sent.
///
/// Nothing here makes events. An algorithm with timers computes, whenever it is called, how often
/// they have run out meanwhile; an idle queue pair costs nothing. Times (ps) never decrease from
/// call to call. Results depend on the calls that bring news (PacketSent, Acknowledged, Notified,
/// Lost), not on how often window() and Rate() are asked.
///
///     auto control = MakeCongestionControl(choice, path);
///     if (inFlight + packet <= control->window() && now >= nextStart)
///     {
///         control->packet_sent(now, packet);
///         nextStart = now + packet * 1e12 / control->rate(now);
///     }
class CongestionControl {
public:
    /// A window that limits nothing.
    static constexpr std::int64_t no_window = std::numeric_limits<std::int64_t>::max();
    /// A rate that limits nothing.
    static constexpr std::int64_t no_pacing = std::numeric_limits<std::int64_t>::max();

    CongestionControl() = default;
    CongestionControl(const CongestionControl&) = delete;
    CongestionControl& operator=(const CongestionControl&) = delete;
    virtual ~CongestionControl();

    /// A data packet starts on the wire, for the first time or again.
    /// @param now ps
    /// @param wire its bytes on the wire
    virtual void packet_sent(std::int64_t now, std::int64_t wire);

    /// An acknowledgement has arrived.
    /// @param acknowledgement what it says
    virtual void acknowledged(const Acknowledgement& acknowledgement);

    /// A congestion notification packet (CNP) has arrived.
    /// @param now ps
    virtual void notified(std::int64_t now);

    /// A loss was found: called once for each retransmission that starts (a NACK, duplicate
    /// acknowledgements), or for each timeout.
    /// @param now ps
    /// @param timeout whether by timeout
    virtual void lost(std::int64_t now, bool timeout);

    /// @return the most bytes (on the wire) in flight, never less than a full packet; or NO_WINDOW
    virtual std::int64_t window() const;

    /// @param now ps
    /// @return bytes/s at which the next packet is paced: the gap from its start to the next one's
    ///         is its bytes on the wire / rate; at least 1; or NO_PACING
    virtual std::int64_t rate(std::int64_t now);

    /// Goes through what decides about window() and Rate() from now on.
    /// @param scan of the whole network
    /// @param progress of the queue pair
    virtual void scan(engine::StateScan& scan, const engine::FlowProgress& progress);
};

/// What switches, receiver and transport must do for an algorithm.
struct CongestionNeeds {
    bool telemetry = false;  ///< ports write HopTelemetry; headers grow by 8 bytes a hop
    std::int64_t notification_interval = 0;  ///< 0: no CNPs; else ps, the least time between two
                                             ///< CNPs of a queue pair for marked packets
    bool echo = false;                       ///< acknowledgements carry the marks of data packets
};

/// @param choice an algorithm and its parameters
/// @return what it needs; nothing for None and ReceiverCredit
CongestionNeeds needs_of(const topology::CongestionControlChoice& choice);

/// @param choice an algorithm and its parameters; is referred to and outlives what is made
/// @param path of the queue pair; all its members are above 0
/// @return the sender's side of a queue pair; null for None and ReceiverCredit
std::unique_ptr<CongestionControl> make_congestion_control(
    const topology::CongestionControlChoice& choice, const FlowPath& path);

}  // namespace npunet::packet
