// How links keep time when faults slow them, add latency or take them down.
//
// The rate of a link is piecewise constant: its own rate times the factors of the faults in force.
// A transfer of b bytes that starts at t ends at the first whole picosecond at which the integral
// of the rate from t on has reached b; progress over the boundaries is exact (128-bit products of
// picoseconds and bytes per second), and only the end is rounded up. Without faults that is
// transfer_time(). A link that is down waits, with a message on it, until it is up again.
//
//     LinkClock clock(description);
//     if (clock.faulty()) {
//         const Time end = clock.end(link, start, bytes);
//     }
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analytical/route_table.h"
#include "base/ids.h"
#include "base/quantities.h"
#include "topology/network_description.h"

namespace npunet::analytical {

class LinkClock {
public:
    /// The description must outlive the clock.
    explicit LinkClock(const topology::NetworkDescription& description);

    /// Whether any link ever differs from its description.
    [[nodiscard]] bool faulty() const { return !pieces_.empty(); }

    /// When a transfer that starts at `start` has left the link's port. Throws StallError, with the
    /// name of the link and the time, where the link is down for ever before that. Time::max()
    /// beyond the end of the clock.
    [[nodiscard]] Time end(LinkId link, Time start, Bytes bytes) const;

    /// The same at the rate of the route's slowest link at each time.
    [[nodiscard]] Time end(LinkSpan route, Time start, Bytes bytes) const;

    /// The latency of the link for what leaves its port at `time`.
    [[nodiscard]] Time latency(LinkId link, Time time) const;

    /// The sum over a route.
    [[nodiscard]] Time latency(LinkSpan route, Time time) const;

private:
    /// A link between two changes.
    struct Piece {
        Time from;
        Time until;
        std::int64_t rate = 0;  ///< bytes per second; 0: down
        Time latency;
    };

    [[nodiscard]] std::vector<Piece> pieces_of(
        const std::vector<topology::LinkFault>& faults) const;
    [[nodiscard]] Piece at(LinkId link, Time time) const;
    [[nodiscard]] Time integrate(LinkSpan links, Time start, Bytes bytes) const;

    const topology::Graph& graph_;
    std::vector<Piece> pieces_;          ///< of the links with faults, one after the other
    std::vector<std::size_t> first_of_;  ///< by link, and one more: where its pieces begin
};

}  // namespace npunet::analytical
