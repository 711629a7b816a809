// For how long messages got in each other's way, of networks that know it.
//
// C++17-clean.
#pragma once

#include "base/quantities.h"

namespace npunet::engine {

struct CongestionTimes {
    Time back_pressure;  ///< a full buffer slowed some link
    Time incast;         ///< more came in for some NPU, from several others, than its link carries,
                         ///< until the queue that this left is gone
    Time marks;          ///< the queue of a link was long enough for marks (ECN): of that link
                         ///< for which it was longest
};

}  // namespace npunet::engine
