// A message at one link of its route.
#pragma once

#include <cstdint>

#include "analytical/fluid/paths.h"
#include "analytical/fluid/work.h"
#include "base/quantities.h"

namespace npunet::analytical {

/// When a message is through a link: all packets but the last, and all of them.
struct Tail {
    Time full;
    Time last;
};

struct Stage {
    static constexpr std::uint32_t none = 0xffffffff;

    const PathHop* hop = nullptr;
    std::uint32_t flow = none;
    std::uint32_t use = 0;       ///< how often this place was used before
    std::uint32_t input = none;  ///< the buffer in which it queues; none at the source
    bool is_last = false;        ///< the link ends at the destination
    /// The link shares its time out among messages, this one among them; elsewhere it passes on
    /// what comes in.
    bool live = false;
    bool gone = false;   ///< its end has left, or when it will is known
    bool ended = false;  ///< all of it has come in

    Share told = 0;       ///< what comes in, as the link before has told last
    Share out = 0;        ///< what the link gives
    Share announced = 0;  ///< what the next link knows of
    /// When its packets are through here at the earliest, from when the link before has sent them;
    /// when they are through, once they are.
    Tail ends;
    Time last_begins = Time::max();  ///< all packets but the last one have left by turns
    /// What its queue serves before its end although packets of it come behind its last one.
    Work lead = 0;
    /// As its end leaves: over how many more links another message that waits here goes, too.
    std::size_t shared = 0;

    /// A rate of all copies of it.
    [[nodiscard]] Share times(Share rate) const {
        return capped_share(static_cast<Work>(rate) * hop->copies);
    }
};

}  // namespace npunet::analytical
