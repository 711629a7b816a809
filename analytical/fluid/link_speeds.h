// How fast links are, and how late: faults change it over time, errors and credits all the time.
//
// Work at a link is the time for which packets occupy it at its own rate (work.h). A link of
// another rate does another amount of it per picosecond, its speed: as a share of a link, 2^52 for
// one that is as described. A speed is that of full packets, so these take the time that the link
// needs for them to the picosecond, where their rate does not change meanwhile.
//
// - Errors that a link repairs (docs/models.md, "Packet network") cost each time that a packet is
//   sent again its time on the link and two latencies. Their mean is part of the speed.
// - With credit for K packets, which takes two latencies and up to two packets to return, a link
//   sends K packets in that time at most.
//
//     LinkSpeeds speeds(description);
//     if (speeds.varied()) {
//         const LinkSpeeds::Span span = speeds.at(link, now);
//         const Time end = speeds.end(link, start, hop.last);
//     }
#pragma once

#include <cstdint>
#include <vector>

#include "analytical/fluid/work.h"
#include "base/quantities.h"
#include "topology/network/network_description.h"

namespace npunet::analytical {

class LinkSpeeds {
public:
    explicit LinkSpeeds(const topology::NetworkDescription& description);

    /// Some link is not as described, at some time.
    [[nodiscard]] bool varied() const { return !first_of_.empty(); }
    /// This one.
    [[nodiscard]] bool varied(std::uint32_t link) const {
        return varied() && first_of_[link] != first_of_[link + std::size_t{1}];
    }

    /// A link between two changes.
    struct Span {
        Time from;
        Time until;                ///< Time::max(): for ever
        Share speed = whole_link;  ///< 0: down
        Time latency;
    };
    /// Of links that are varied.
    [[nodiscard]] const Span& at(std::uint32_t link, Time time) const;

    /// When a packet is through that takes `time` at the link's own rate and starts at `start`.
    /// Where the link goes down for good before that, as if it did not.
    [[nodiscard]] Time end(std::uint32_t link, Time start, Time time) const;

private:
    std::vector<Span> spans_;            ///< of the links that are varied, one after the other
    std::vector<std::size_t> first_of_;  ///< by link, and one more; empty where none is
};

}  // namespace npunet::analytical
