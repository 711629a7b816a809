#pragma once

#include "packet/credit/fast_forward/traffic_sample.h"
#include "packet/credit/network_state.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace npunet::packet {

/// Ports and messages that depend on each other and on nothing else (PeriodDetection), and two of
/// their states. Where these are equal, what is between them happens over and over, and the state
/// can be moved on by as many periods.
struct PeriodicGroup {
    std::vector<std::uint32_t> ports;     ///< ascending
    std::vector<std::uint32_t> messages;  ///< any order
    TrafficSample kept;                   ///< an earlier state
    TrafficSample present;                ///< a later one

    /// @return time between the two states, in picoseconds
    std::int64_t period() const { return present.at() - kept.at(); }

    /// @param message place of a message in the list
    /// @return the payload bytes that its source sends in a period
    std::int64_t sent_in_period(std::size_t message) const {
        return kept.remaining(message) - present.remaining(message);
    }

    /// @return packets that its ports send in a period
    std::int64_t packets_in_period() const;

    /// @return periods after the later state before a message has no full one left; 0 where no
    ///         message moves
    std::int64_t periods_left() const;

    /// Moves the later state on, with all times in it and what its ports have counted.
    /// @param state of the machine, which is in that state
    /// @param periods how many
    void skip(CreditNetworkState& state, std::int64_t periods) const;

private:
    /// Adds what a port has counted in a period.
    /// @param state of the machine
    /// @param place of the port in the list
    /// @param counts of the period
    /// @param periods how many
    void count(CreditNetworkState& state, std::size_t place, const PortCounts& counts,
               std::int64_t periods) const;

    /// Moves the times of a port on.
    /// @param state of the machine
    /// @param number of the port
    /// @param by in picoseconds
    static void shift(CreditNetworkState& state, std::uint32_t number, std::int64_t by);
};

}  // namespace npunet::packet
