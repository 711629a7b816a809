// A message at one link of its route.
#pragma once

#include <cstdint>

#include "analytical/fluid/message_work.h"
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

    std::uint32_t flow = none;
    std::uint32_t use = 0;  ///< how often this place was used before
    std::uint32_t link = 0;
    std::uint32_t input = none;   ///< the buffer in which it queues; none at the source
    std::uint32_t behind = none;  ///< the buffer behind the link
    Time latency;                 ///< of the link
    Time full;                    ///< a packet on the link
    Time last;                    ///< the last packet
    Time total;                   ///< all packets
    /// Between the sending of something here and at the next link, for a stream of packets.
    Time shift;

    Share out = 0;        ///< what the link gives
    Share announced = 0;  ///< what the next link knows of
    /// When its packets are through here at the earliest, from when the link before has sent them.
    Tail ends;
    bool is_last = false;  ///< the link ends at the destination
    bool gone = false;     ///< its end has left
    bool ended = false;    ///< all of it has come in
};

}  // namespace npunet::analytical
