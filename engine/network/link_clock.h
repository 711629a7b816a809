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

#include "base/ids.h"
#include "base/quantities.h"
#include "topology/network/network_description.h"

namespace npunet::engine {

/// A part of a vector.
class LinkSpan {
public:
    LinkSpan(const LinkId* begin, std::size_t size) : begin_(begin), size_(size) {}
    [[nodiscard]] const LinkId* begin() const { return begin_; }
    [[nodiscard]] const LinkId* end() const { return begin_ + size_; }
    [[nodiscard]] std::size_t size() const { return size_; }

private:
    const LinkId* begin_;
    std::size_t size_;
};

class LinkClock {
public:
    /// The description must outlive the clock.
    explicit LinkClock(const topology::NetworkDescription& description);

    /// Whether any link ever differs from its description.
    [[nodiscard]] bool faulty() const { return !pieces_.empty(); }

    /// Whether the link ever differs from its description.
    [[nodiscard]] bool faulty(LinkId link) const;

    /// When a transfer that starts at `start` has left the link's port. Throws StallError, with the
    /// name of the link and the time, where the link is down for ever before that. Time::max()
    /// beyond the end of the clock.
    [[nodiscard]] Time end(LinkId link, Time start, Bytes bytes) const;

    /// The same, but returns Time::max() if the link goes down permanently before that.
    [[nodiscard]] Time end_if_ever(LinkId link, Time start, Bytes bytes) const;

    /// As the first overload, at the rate of the route's slowest link at each time.
    [[nodiscard]] Time end(LinkSpan route, Time start, Bytes bytes) const;

    /// The latency of the link for what leaves its port at `time`.
    [[nodiscard]] Time latency(LinkId link, Time time) const;

    /// In bytes per second; 0 while the link is down.
    [[nodiscard]] std::int64_t rate(LinkId link, Time time) const;

    /// Until when the link stays as it is at `time`; Time::max(): for ever.
    [[nodiscard]] Time unchanged_until(LinkId link, Time time) const;

    /// The first moment, not before `time`, at which the link is up; Time::max(): none.
    [[nodiscard]] Time up_at(LinkId link, Time time) const;

    /// The first moment, not before `time`, at which the link is down; Time::max(): none.
    [[nodiscard]] Time down_at(LinkId link, Time time) const;
    /// How long the link is up between two moments.
    [[nodiscard]] Time up_between(LinkId link, Time from, Time to) const;

    /// Whether the link has one rate from one moment to another.
    [[nodiscard]] bool steady(LinkId link, Time from, Time to) const;

    /// The highest rate that the link ever has, in bytes per second; 0 for one that is never up.
    [[nodiscard]] std::int64_t highest_rate(LinkId link) const;

    /// Throws the StallError of a link that is down at `time` and never comes back.
    [[noreturn]] void refuse(LinkId link, Time time, Bytes bytes, Time start) const;

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
    [[nodiscard]] Time integrate(LinkSpan links, Time start, Bytes bytes,
                                 bool refuses_dead_links) const;

    const topology::Graph& graph_;
    std::vector<Piece> pieces_;          ///< of the links with faults, one after the other
    std::vector<std::size_t> first_of_;  ///< by link, and one more: where its pieces begin
};

}  // namespace npunet::engine
