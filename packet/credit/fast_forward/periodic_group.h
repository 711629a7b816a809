// Ports and messages that depend on each other and on nothing else (PeriodDetection), with two
// samples of their state. Where these are equal, what happened between them repeats, and the state
// can be advanced by whole periods. Times in picoseconds.
#pragma once

#include "packet/credit/fast_forward/traffic_sample.h"
#include "packet/credit/network_state.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace npunet::packet {

struct PeriodicGroup {
    std::vector<std::uint32_t> ports;     ///< ascending
    std::vector<std::uint32_t> messages;  ///< places, in any order
    TrafficSample kept;                   ///< the earlier state
    TrafficSample present;                ///< the later one

    std::int64_t period() const { return present.at() - kept.at(); }

    /// Payload bytes that the source sends in a period; `message`: index in the list.
    std::int64_t sent_in_period(std::size_t message) const {
        return kept.remaining(message) - present.remaining(message);
    }

    /// Over all ports.
    std::int64_t packets_in_period() const;

    /// Periods after the later state before a message has no full one left; 0 where no message
    /// proceeds.
    std::int64_t periods_left() const;

    /// Advances `state`, which must be the later one, by this many periods, with all times in it
    /// and the counts of the ports.
    void skip(CreditNetworkState& state, std::int64_t periods) const;

private:
    /// Adds the counts of a port; `place`: index in the list.
    void count(CreditNetworkState& state, std::size_t place, const PortCounts& counts,
               std::int64_t periods) const;

    /// Moves the times of a port.
    static void shift(CreditNetworkState& state, std::uint32_t number, std::int64_t by);
};

}  // namespace npunet::packet
