// Shares of a link's time, and the work that is done with them, in whole numbers.
//
// The work of a message at a link is the time for which its packets occupy that link, in
// picoseconds times 2^52. A share is how much of a link's time a message gets, times 2^52: 2^52 is
// all of it. Work = share x picoseconds, exactly; so what was done by a time does not depend on how
// often it was looked at. Only two things are rounded: shares, down to a multiple of 2^-52, and the
// times at which something is done, to the nearest picosecond.
#pragma once

#include <cstdint>
#include <limits>

#include "base/quantities.h"
#include "engine/clock/clock_limit.h"

namespace npunet::analytical {

__extension__ using Work = __int128;
using Share = std::int64_t;

inline constexpr int share_bits = 52;
inline constexpr Share whole_link = Share{1} << share_bits;
/// A demand beyond what any link has.
inline constexpr Share no_limit = std::numeric_limits<Share>::max();

[[nodiscard]] constexpr Work work_of(Time time) {
    return static_cast<Work>(time.ps()) << share_bits;
}

/// The nearest share to a sum or difference of shares that links and buffers can reckon with.
[[nodiscard]] constexpr Share capped_share(Work sum) {
    constexpr Work most = Work{1} << 62;
    return static_cast<Share>(sum > most ? most : sum < -most ? -most : sum);
}

/// What is done in a span of time.
[[nodiscard]] constexpr Work work_in(Share share, Time span) {
    return static_cast<Work>(share) * span.ps();
}

/// When the work is done that begins at `start`, to the nearest picosecond; Time::max() with no
/// share of the link.
[[nodiscard]] constexpr Time done_at(Time start, Work work, Share share) {
    if (work <= 0) {
        return start;
    }
    if (share <= 0) {
        return Time::max();
    }
    const Work span = (work + share / 2) / share;
    return span >= Time::max().ps()
               ? Time::max()
               : engine::later(start, Time::ps(static_cast<std::int64_t>(span)));
}

/// A share of one link as one of another, for a message that occupies the first for `from` and the
/// second for `to` picoseconds.
[[nodiscard]] constexpr Share converted(Share share, Time from, Time to) {
    if (from == to || share == no_limit) {
        return share;
    }
    const Work result = (static_cast<Work>(share) * to.ps() + from.ps() / 2) / from.ps();
    return capped_share(result);
}

/// Whether a share differs from another by more than 2^-bits of it.
[[nodiscard]] constexpr bool differs(Share share, Share from, int bits) {
    const Share difference = share < from ? from - share : share - from;
    return difference != 0 && (share == 0 || difference > from >> bits);
}

}  // namespace npunet::analytical
