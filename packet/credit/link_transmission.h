// How packets cross links: how long they occupy them, when they arrive and may leave again, when
// their credit returns. Most links behave the same at all times; irregular ones (faults, errors)
// use LinkTiming.
//
//     const Crossing crossing = links.cross(port, wire, now);
//     const std::int64_t ready = links.may_leave(crossing, next_port, wire);
//
// Times in picoseconds.
#pragma once

#include "packet/base/sending_time.h"
#include "packet/credit/link_timing.h"
#include "packet/credit/network_state.h"

#include "base/quantities.h"
#include "topology/network/network_description.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace npunet::packet {

class CreditLinks {
public:
    /// Sets the link properties of the state's ports. Both must outlive this.
    CreditLinks(const topology::NetworkDescription& description, CreditNetworkState& state);

    CreditLinks(const CreditLinks&) = delete;
    CreditLinks& operator=(const CreditLinks&) = delete;

    /// A packet starts at an idle port that is up. Throws StallError where its consequences lie
    /// beyond the end of the clock.
    Crossing cross(std::uint32_t port_number, std::uint32_t wire, std::int64_t now) {
        // Later starts would overflow the sums below.
        if (now > state_.last_start) {
            state_.clock.refuse_late();
        }
        CreditPort& port = state_.ports[port_number];
        if (port.irregular == 1) {
            return cross_irregular(port_number, wire, now);
        }
        Crossing crossing;
        crossing.busy = sending_time(port, wire, state_.full_wire, rates_[port_number]);
        crossing.end = now + crossing.busy;
        crossing.arrival = crossing.end + port.latency;
        crossing.header_in = now + header_times_[port_number] + port.latency;
        return crossing;
    }

    /// When a packet may leave, by port `next`, the node that it reaches. Uses arrival and
    /// header_in of the crossing only.
    std::int64_t may_leave(const Crossing& crossing, std::uint32_t next, std::uint32_t wire) const {
        return cut_through_
                   ? std::max(crossing.header_in, crossing.arrival - least_time(next, wire))
                   : crossing.arrival;
    }

    /// When enough of the packet has arrived to choose its next hop.
    std::int64_t may_choose(const Crossing& crossing) const {
        return cut_through_ ? crossing.header_in : crossing.arrival;
    }

    /// When a credit that starts on its way back at `time` is there.
    std::int64_t credit_back(std::uint32_t port_number, std::int64_t time) const {
        const CreditPort& port = state_.ports[port_number];
        return port.irregular == 0 ? time + port.latency : timing_.credit_back(port_number, time);
    }

    /// For irregular links. Throws StallError where the link is down for ever and a packet waits.
    bool is_up(std::uint32_t port_number, std::int64_t now);

    /// When a port that wants to decide at `time` can do so.
    std::int64_t after_outage(std::uint32_t port_number, std::int64_t time) const {
        return state_.ports[port_number].irregular == 0 ? time : up_from(port_number, time);
    }

    /// For how long the link is up.
    std::int64_t up_between(std::uint32_t port_number, std::int64_t from, std::int64_t to) const;

    /// Whether a packet that starts now, on an irregular link that is up, is through before the
    /// link fails for good.
    bool gets_through(std::uint32_t port_number, std::uint32_t wire, std::int64_t now) {
        return timing_.gets_through(port_number, now, wire);
    }

    /// How often packets were sent again.
    std::int64_t retransmissions(std::size_t link) const { return retransmissions_[link]; }

    /// By link.
    const std::vector<Rate>& rates() const { return rates_; }

    const LinkTiming& timing() const { return timing_; }

private:
    Crossing cross_irregular(std::uint32_t port_number, std::uint32_t wire, std::int64_t now);

    std::int64_t up_from(std::uint32_t port_number, std::int64_t time) const;

    /// How long a packet occupies the link at its highest rate. The port may be another thread's,
    /// so nothing of it is written.
    std::int64_t least_time(std::uint32_t port_number, std::uint32_t wire) const {
        if (state_.ports[port_number].irregular == 1) {
            return timing_.least_time(port_number, wire);
        }
        return wire == state_.full_wire ? state_.ports[port_number].full_time
                                        : transfer_time(Bytes(wire), rates_[port_number]).ps();
    }

    CreditNetworkState& state_;
    bool cut_through_;
    LinkTiming timing_;
    std::vector<Rate> rates_;                    ///< by link
    std::vector<std::int64_t> header_times_;     ///< by link, of CreditNetworkState::header_bytes()
    std::vector<std::int64_t> retransmissions_;  ///< by link
};

}  // namespace npunet::packet
