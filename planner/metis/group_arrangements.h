// The device groups of S stages in all arrangements that Metis tries, in its order: each sequence
// of sizes, its smallest groups tied together in pairs while it is longer than max_permute_len,
// then all permutations of what is tied.
//
//     GroupArrangements arrangements(devices, stages, arguments);
//     std::vector<std::uint8_t> logs;
//     while (arrangements.next(logs)) { ... }     // logarithms of the sizes, stage by stage
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "planner/metis/arguments.h"
#include "planner/metis/group_sequences.h"
#include "planner/metis/multiset_permutations.h"

namespace npunet::planner::metis {

/// Logarithms of the sizes of groups that stay side by side.
using Tied = std::vector<int>;

/// Ties the smallest groups together until at most `longest` are left, or no more can be.
[[nodiscard]] std::vector<Tied> tied_groups(const std::vector<std::uint8_t>& logs,
                                            std::int64_t longest);

class GroupArrangements {
public:
    GroupArrangements(std::int64_t devices, std::int64_t stages, const Arguments& arguments);

    /// Puts the next arrangement into `logs`; false when there is none.
    bool next(std::vector<std::uint8_t>& logs);

private:
    bool start_sequence();

    GroupSequences sequences_;
    std::int64_t longest_;
    std::vector<Tied> kinds_;  ///< of the sequence under way, ascending
    std::optional<MultisetPermutations> shifts_;
};

/// How many arrangements there are; `most` + 1 when there are more, or too many sequences to count.
[[nodiscard]] std::uint64_t arrangement_count(std::int64_t devices, std::int64_t stages,
                                              const Arguments& arguments, std::uint64_t most);

}  // namespace npunet::planner::metis
