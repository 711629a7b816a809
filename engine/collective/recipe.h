// How a communicator carries out a collective of one size: the algorithm of each line, and the
// chunks.
//
// C++17-clean.
#pragma once

#include <cstdint>
#include <vector>

#include "base/quantities.h"
#include "engine/collective_algorithms/implementation.h"

namespace npunet::engine {

/// Which algorithms, and over what.
struct AlgorithmForm {
    /// One line of all members in listed order; else along the factors of the layout.
    bool flat = false;
    /// One, or one for each factor, from the inside to the outside.
    std::vector<Implementation> entries{Implementation{}};

    [[nodiscard]] const Implementation& entry(std::size_t factor) const {
        return entries.size() == 1 ? entries.front() : entries[factor];
    }
};

/// An algorithm that was timed and not chosen.
struct TimedForm {
    AlgorithmForm form;
    std::int32_t splits = 1;         ///< with which it was fastest
    std::int32_t active_chunks = 1;  ///< with which it was fastest
    Time time;                       ///< by the estimate
};

struct CollectiveRecipe {
    AlgorithmForm form;
    std::int32_t splits = 1;         ///< chunks wanted, from 1
    std::int32_t active_chunks = 1;  ///< at a time in one queue, from 1
    Time time;                       ///< by the estimate; zero where nothing was chosen
    /// Fastest first; empty where nothing was chosen.
    std::vector<TimedForm> others;
};

}  // namespace npunet::engine
