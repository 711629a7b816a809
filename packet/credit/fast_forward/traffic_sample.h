// The state of some ports and of the messages that cross them at one instant, before its decisions:
// everything that determines what they do from then on, as long as no message begins or ends and
// nothing comes from other ports. Times are relative to the instant, so that samples with equal
// states have the same future, shifted by the time between them.
//
// What is past has no effect and counts as 0: packets that have arrived, ports that are free,
// credits that have returned. The exception is since when an idle port has had a packet to send but
// no credit, which is counted when it sends again. Ports that send nothing between two samples are
// exempt: whatever they have waits as before.
//
// Times in picoseconds.
#pragma once

#include "packet/credit/network_state.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace npunet::packet {

/// Counts of a port: since the start, or between two samples.
struct PortCounts {
    std::int64_t payload = 0;
    std::int64_t wire = 0;     ///< bytes with headers
    std::int64_t busy = 0;     ///< time of sending
    std::int64_t packets = 0;  ///< carried
    std::int64_t stall = 0;    ///< time of waiting for credit
};

class TrafficSample {
public:
    /// `messages`: those that cross the ports.
    void take(CreditNetworkState& state, const std::vector<std::uint32_t>& ports,
              const std::vector<std::uint32_t>& messages, std::int64_t now);

    /// A quick test for the ports that this sample was taken of: whether as many bytes wait at
    /// each.
    bool may_repeat(const CreditNetworkState& state, const std::vector<std::uint32_t>& ports) const;

    /// Whether the state equals that of an earlier sample of the same ports and messages.
    bool repeats(const TrafficSample& earlier) const;

    /// When it was taken.
    std::int64_t at() const { return at_; }

    /// Counts since an earlier sample of the same ports; `port`: index in the list.
    PortCounts since(const TrafficSample& earlier, std::size_t port) const;

    /// With several traffic classes: bytes with headers since an earlier sample; `place`: index of
    /// the port x classes + class.
    std::int64_t class_wire_since(const TrafficSample& earlier, std::size_t place) const {
        return class_wire_[place] - earlier.class_wire_[place];
    }

    /// Payload bytes not sent by the source; `message`: index in the list.
    std::int64_t remaining(std::size_t message) const { return remaining_[message]; }

    /// Words looked at.
    std::size_t size() const { return words_.size() + counts_.size(); }

private:
    void take_port(CreditNetworkState& state, std::uint32_t port);

    /// `queue` must not be empty.
    void take_packets(CreditNetworkState& state, const VirtualOutputQueue& queue);

    /// Since when the port waits for credit, relative to the sample; 0 if it does not.
    std::int64_t waits_since(CreditNetworkState& state, std::uint32_t port) const;

    /// How far ahead a time is; 0 if it is past.
    std::int64_t ahead(std::int64_t time) const { return time > at_ ? time - at_ : 0; }

    std::int64_t at_ = 0;
    std::vector<std::int64_t> words_;       ///< the state
    std::vector<std::int64_t> queued_;      ///< by port: bytes that wait
    std::vector<std::int64_t> waits_;       ///< by port: waits_since()
    std::vector<PortCounts> counts_;        ///< by port: since the start
    std::vector<std::int64_t> class_wire_;  ///< by port and class: bytes since the start
    std::vector<std::int64_t> remaining_;   ///< by message
};

}  // namespace npunet::packet
