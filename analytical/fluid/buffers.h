// The buffers behind the links, one for each virtual channel: how full they are, and what a full
// one makes of the link in front of it.
//
// A buffer that is full takes in only what leaves it. So its link gives the messages that wait
// behind it no more, in sum, than leaves of what waits there; with the round robin of its inputs
// that decides what all of its messages get.
#pragma once

#include <cstdint>
#include <vector>

#include "analytical/fluid/stage.h"
#include "analytical/fluid/work.h"
#include "base/quantities.h"

namespace npunet::analytical {

struct Buffer {
    Time limit;  ///< time in which its link fills it
    Work filled = 0;
    Work growth = 0;            ///< by how much more comes in than leaves, as a share of the link
    Work leaving = 0;           ///< of what waits in it, as a share of the link
    std::uint32_t waiting = 0;  ///< feeds of which something waits
    Time updated;
    Time next;  ///< when it is full, or no longer
    bool closed = false;
    std::uint64_t changes = 0;  ///< of the budget
    Time told;                  ///< when the link hears of the last one
    Share budget = no_limit;    ///< for what waits behind the link, last told to it
    /// How far the changes of a budget that were told reach, each of a certain time.
    Time changed_until;
    /// Where the messages in it wait: links, and the number of the feed there.
    struct Place {
        std::uint32_t link;
        std::uint32_t feed;
    };
    std::vector<Place> places = {};

    void advance(Time now) {
        filled += growth * (now - updated).ps();
        updated = now;
    }
};

}  // namespace npunet::analytical
