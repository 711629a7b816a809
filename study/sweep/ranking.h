// Which points of a sweep are best.
//
//     const Ranking ranking = rank_points(space, outcomes);
//     ranking.groups[0].best;            // number of the fastest point
//
// Times are compared among points that do the same task: the same model, batch and sequence, or
// the same collective, by the same dialect and at the same fidelity. Such points form a group. The
// time of a point is that of its last rank, its memory the most that a rank needs.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "study/sweep/design_space.h"
#include "study/sweep/outcome.h"

namespace npunet::study {

struct Group {
    /// The parameters that make the task and have columns, with their values.
    std::vector<std::pair<std::string, std::string>> task;
    /// All that ran, fastest first; those that are known not to fit (fits_memory()) come last.
    std::vector<std::size_t> points;
    /// The first of them; of equals the one with less memory, then the lower number.
    std::optional<std::size_t> best;
    /// Likewise among those whose memory is known to be within the limit; without a limit the same.
    std::optional<std::size_t> best_within_limit;
    /// Those that no other one beats in time or memory without losing in the other; fastest first.
    /// Points of unknown memory are left out; where it is known of none, the fastest ones.
    std::vector<std::size_t> pareto;
};

struct Ranking {
    std::vector<Group> groups;  ///< in order of their first point; those without a result left out
};

/// `outcomes` by number; points beyond them, and those that are absent, have not run.
[[nodiscard]] Ranking rank_points(const DesignSpace& space,
                                  const std::vector<std::optional<Outcome>>& outcomes);

}  // namespace npunet::study
