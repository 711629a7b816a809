// The coarsest partition of ranks in which equal ranks have equal neighbours.
//
// A rank is described by words, which must be equal within a class, and by peers, whose classes
// must be equal one by one. Classes are split until nothing changes (Paige, Tarjan, "Three
// partition refinement algorithms", 1987, by rounds over all ranks). Comparisons are exact.
//
//     std::vector<Portrait> portraits{{{7}, {Rank(1)}}, {{7}, {Rank(0)}}, {{8}, {}}};
//     coarsest_partition(portraits);                        // 0 0 1
//
// C++17-clean.
#pragma once

#include <cstdint>
#include <vector>

#include "base/ids.h"

namespace npunet::engine {

struct Portrait {
    std::vector<std::uint64_t> words;
    std::vector<Rank> peers;
};

/// By rank: its class, counted from 0 in order of the lowest rank. Peers index `portraits`.
[[nodiscard]] std::vector<std::uint32_t> coarsest_partition(const std::vector<Portrait>& portraits);

}  // namespace npunet::engine
