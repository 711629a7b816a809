// Why a collective is carried out as it is: the algorithms that were timed, as plain data.
//
//     for (const TimedAlgorithm& other : choice.others) { ... other.time - choice.chosen.time ... }
//
// C++17-clean.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/quantities.h"
#include "engine/collective_algorithms/implementation.h"

namespace npunet::engine {

/// An algorithm in the chunks in which it was fastest.
struct TimedAlgorithm {
    std::string name;         ///< "ring+ring", as results name it
    std::int32_t chunks = 1;  ///< wanted; small collectives may have fewer
    std::int32_t active = 1;  ///< chunks at a time, up to `chunks`
    Time time;                ///< by the estimate, alone on the machine
};

struct CollectiveChoice {
    CollectiveKind kind = CollectiveKind::AllReduce;
    Bytes bytes;              ///< as in the trace, of one rank
    std::vector<Rank> group;  ///< the first communicator for which this was chosen
    std::size_t groups = 1;   ///< how many communicators it was chosen for, all alike
    TimedAlgorithm chosen;
    /// Fastest first. May be faster than `chosen`: by up to 2 % where that spares links that
    /// messages share, and by 0.5 % as times so close count as equal; by 2.5 % in all
    /// (engine/collective/algorithm_chooser.h).
    std::vector<TimedAlgorithm> others;
};

}  // namespace npunet::engine
