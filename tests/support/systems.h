// A system.json that leaves nothing to choose, for tests that count messages or times.
#pragma once

namespace npunet::test {

/// Rings in one chunk, whatever the network; a binomial tree to broadcast and reduce.
inline constexpr const char* plain_rings = R"({
    "preferred-dataset-splits": 1, "active-chunks-per-dimension": 1,
    "all-reduce-implementation": ["ring"], "all-gather-implementation": ["ring"],
    "reduce-scatter-implementation": ["ring"], "all-to-all-implementation": ["ring"],
    "broadcast-implementation": ["binomialTree"], "reduce-implementation": ["binomialTree"],
    "gather-implementation": ["direct"], "scatter-implementation": ["direct"]})";

}  // namespace npunet::test
