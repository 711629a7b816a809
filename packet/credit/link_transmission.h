#pragma once

#include "packet/base/link_timing.h"
#include "packet/credit/network_state.h"

#include "base/quantities.h"
#include "topology/network_description.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace npunet::packet {

/// How packets cross the links: how long they occupy them, when they are in and may go on, when
/// their credit is back. Most links do the same at all times; the irregular ones ask LinkTiming.
///
///     const Crossing crossing = links.cross(port, wire, now);
///     const std::int64_t ready = links.may_leave(crossing, nextPort, wire);
///
/// Times in picoseconds.
class CreditLinks {
public:
    /// @param description the network; must outlive this
    /// @param state with the ports, and nothing known of their links yet; must outlive this
    CreditLinks(const topology::NetworkDescription& description, CreditNetworkState& state);

    CreditLinks(const CreditLinks&) = delete;
    CreditLinks& operator=(const CreditLinks&) = delete;

    /// A packet starts.
    /// @param port_number an idle port that is up
    /// @param wire bytes of the packet
    /// @param now in picoseconds
    /// @return what becomes of it
    ///
    /// Throws StallError where what follows from it lies beyond the end of the clock.
    Crossing cross(std::uint32_t port_number, std::uint32_t wire, std::int64_t now) {
        // From here on the sums of times below would pass the end of the clock.
        if (now > state_.last_start) {
            refuse_late();
        }
        const CreditPort& port = state_.ports[port_number];
        if (port.irregular == 1) {
            return cross_irregular(port_number, wire, now);
        }
        Crossing crossing;
        crossing.busy = wire == state_.full_wire ? port.full_time : other_time(port_number, wire);
        crossing.end = now + crossing.busy;
        crossing.arrival = crossing.end + port.latency;
        crossing.header_in = now + header_times_[port_number] + port.latency;
        return crossing;
    }

    /// @param crossing how a packet crosses a link; of which arrival and headerIn count
    /// @param next the port by which it leaves the node that it reaches
    /// @param wire bytes of the packet
    /// @return when it may leave that node at the earliest
    std::int64_t may_leave(const Crossing& crossing, std::uint32_t next, std::uint32_t wire) const {
        return cut_through_
                   ? std::max(crossing.header_in, crossing.arrival - least_time(next, wire))
                   : crossing.arrival;
    }

    /// @param crossing how a packet crosses a link
    /// @return when enough of it is in to choose the way on
    std::int64_t may_choose(const Crossing& crossing) const {
        return cut_through_ ? crossing.header_in : crossing.arrival;
    }

    /// @param port_number the port
    /// @param time when a credit starts on its way back
    /// @return when it is there
    std::int64_t credit_back(std::uint32_t port_number, std::int64_t time) const {
        const CreditPort& port = state_.ports[port_number];
        return port.irregular == 0 ? time + port.latency : timing_.credit_back(port_number, time);
    }

    /// @param port_number of an irregular link
    /// @param now in picoseconds
    /// @return whether the link is up
    ///
    /// Throws StallError where the link is down for ever and somebody waits.
    bool is_up(std::uint32_t port_number, std::int64_t now);

    /// @param port_number the port
    /// @param time in picoseconds
    /// @return when the port can decide if it wants to then
    std::int64_t after_outage(std::uint32_t port_number, std::int64_t time) const {
        return state_.ports[port_number].irregular == 0 ? time : up_from(port_number, time);
    }

    /// @param port_number the port
    /// @param from in picoseconds
    /// @param to in picoseconds
    /// @return for how long of that the link is up
    std::int64_t up_between(std::uint32_t port_number, std::int64_t from, std::int64_t to) const;

    /// @param port_number of an irregular link that is up
    /// @param wire bytes of a packet
    /// @param now in picoseconds
    /// @return whether the packet, if it starts now, is through before the link is down for ever
    bool gets_through(std::uint32_t port_number, std::uint32_t wire, std::int64_t now) {
        return timing_.gets_through(port_number, now, wire);
    }

    /// @param link number of a link
    /// @return how often packets were sent again
    std::int64_t retransmissions(std::size_t link) const { return retransmissions_[link]; }

    /// @return by link
    const std::vector<Rate>& rates() const { return rates_; }

    /// @return of irregular links
    const LinkTiming& timing() const { return timing_; }

private:
    /// @copydoc cross
    Crossing cross_irregular(std::uint32_t port_number, std::uint32_t wire, std::int64_t now);

    /// @copydoc after_outage
    std::int64_t up_from(std::uint32_t port_number, std::int64_t time) const;

    /// @param port_number the port
    /// @param wire bytes of a packet that is not full
    /// @return how long they occupy a link without faults
    std::int64_t other_time(std::uint32_t port_number, std::uint32_t wire);

    /// @param port_number the port; may be another thread's, so that nothing of it is written
    /// @param wire bytes of a packet
    /// @return how long they occupy the link at its best
    std::int64_t least_time(std::uint32_t port_number, std::uint32_t wire) const {
        if (state_.ports[port_number].irregular == 1) {
            return timing_.least_time(port_number, wire);
        }
        return wire == state_.full_wire ? state_.ports[port_number].full_time
                                        : transfer_time(Bytes(wire), rates_[port_number]).ps();
    }

    /// Throws the StallError of a time beyond the end of the clock.
    void refuse_late();

    CreditNetworkState& state_;                  ///< with the ports
    bool cut_through_;                           ///< packets leave before they are in
    LinkTiming timing_;                          ///< links with faults and errors
    std::vector<Rate> rates_;                    ///< by link
    std::vector<std::int64_t> header_times_;     ///< by link, of CreditNetworkState::header_bytes()
    std::vector<std::int64_t> retransmissions_;  ///< by link
};

}  // namespace npunet::packet
