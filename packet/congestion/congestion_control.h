// The sender's side of a congestion control algorithm: one object per queue pair, which limits the
// bytes in flight and the sending rate.
//
//     auto control = make_congestion_control(choice, path);
//     if (in_flight + packet <= control->window() && now >= next_start) {
//         control->packet_sent(now, packet);
//         next_start = now + packet * 1e12 / control->rate(now);
//     }
//
// Algorithms schedule no events. One with timers computes, whenever it is called, how often they
// have expired meanwhile, so an idle queue pair costs nothing. Times (ps) never decrease from call
// to call. Results depend on the calls that report something (packet_sent(), acknowledged(),
// notified(), lost()), not on how often window() and rate() are called.
#pragma once

#include "engine/clock/state_scan.h"
#include "topology/parameters/congestion_control.h"

#include <cstdint>
#include <limits>
#include <memory>

namespace npunet::packet {

/// The path of a queue pair, as known when the pair is created.
struct FlowPath {
    std::int64_t rate = 0;        ///< bytes/s of the first link
    std::int64_t slowest = 0;     ///< bytes/s of the slowest link
    std::int64_t round_trip = 0;  ///< ps when idle, of a full packet and its acknowledgement
    std::int32_t hops = 0;        ///< links from source to destination
    std::int64_t packet = 0;      ///< bytes of a full packet on the wire

    /// Bytes: slowest x round_trip.
    double bandwidth_delay() const {
        return static_cast<double>(slowest) * static_cast<double>(round_trip) / 1e12;
    }
};

/// What a port writes into a departing packet (in-band telemetry).
struct HopTelemetry {
    std::int64_t time = 0;   ///< ps, of the packet's start
    std::int64_t sent = 0;   ///< bytes sent by the port so far
    std::int64_t queue = 0;  ///< bytes queued at the port in the packet's class
    std::int64_t rate = 0;   ///< bytes/s of the link
};

/// An acknowledgement as it arrives at the sender.
struct Acknowledgement {
    std::int64_t now = 0;                     ///< ps
    std::int64_t bytes = 0;                   ///< newly acknowledged, as on the wire
    std::int64_t marked = 0;                  ///< of these, bytes that arrived with an ECN mark
    std::int64_t round_trip = 0;              ///< ps, of the packet that caused it
    std::uint64_t next = 0;                   ///< sequence number that the receiver expects
    std::uint64_t sent = 0;                   ///< next new sequence number of the sender
    const HopTelemetry* telemetry = nullptr;  ///< of the packet that caused it, by hop
    std::uint32_t hops = 0;                   ///< entries of `telemetry`; 0: none
};

class CongestionControl {
public:
    /// window(): unlimited.
    static constexpr std::int64_t no_window = std::numeric_limits<std::int64_t>::max();
    /// rate(): unlimited.
    static constexpr std::int64_t no_pacing = std::numeric_limits<std::int64_t>::max();

    CongestionControl() = default;
    CongestionControl(const CongestionControl&) = delete;
    CongestionControl& operator=(const CongestionControl&) = delete;
    virtual ~CongestionControl() = default;

    /// A data packet starts on the wire, retransmissions included. `wire`: its bytes there.
    virtual void packet_sent(std::int64_t /* now */, std::int64_t /* wire */) {}

    virtual void acknowledged(const Acknowledgement& /* acknowledgement */) {}

    /// A congestion notification packet (CNP) has arrived.
    virtual void notified(std::int64_t /* now */) {}

    /// A loss was detected: called once for each retransmission that starts (a NACK, duplicate
    /// acknowledgements), or for each timeout.
    virtual void lost(std::int64_t /* now */, bool /* timeout */) {}

    /// The most bytes (on the wire) in flight, at least one full packet; or no_window.
    virtual std::int64_t window() const { return no_window; }

    /// The rate in bytes/s that paces the next packet, at least 1: the following one starts its
    /// bytes on the wire / rate later. Or no_pacing.
    virtual std::int64_t rate(std::int64_t /* now */) { return no_pacing; }

    /// For observers: the algorithm's estimate of congestion, the alpha of DCQCN and DCTCP, from 0
    /// to 1; -1 where it has none.
    virtual double congestion(std::int64_t /* now */) const { return -1; }

    /// Whether it is as when it was made: nothing of the past decides window() and rate() from now
    /// on. Without an implementation it never is.
    virtual bool has_no_past() const { return false; }

    /// Scans the state that determines window() and rate() from now on. Without an implementation
    /// no state equals another, so that periodic traffic is never fast-forwarded.
    virtual void scan(engine::StateScan& scan, const engine::FlowProgress& /* progress */) {
        scan.refuse();
    }
};

/// An algorithm from outside the project: makes its senders.
class CustomSenders : public topology::CustomCongestionControl {
public:
    /// Null leaves the queue pair without congestion control.
    [[nodiscard]] virtual std::unique_ptr<CongestionControl> make_sender(
        const FlowPath& path) const = 0;
};

/// All members of the path must be above 0. Null for None and ReceiverCredit. Throws
/// std::bad_cast for a custom algorithm that does not derive from CustomSenders.
std::unique_ptr<CongestionControl> make_congestion_control(
    const topology::CongestionControlChoice& choice, const FlowPath& path);

}  // namespace npunet::packet
