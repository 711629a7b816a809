// Why the fastest point of a sweep is fastest, in words: where its time goes, and on what the next
// ones spend more.
//
//     context.out << sweep_reasons(space, results, group);
//
// The time of a point is that of its last rank: compute, exposed communication by dimension,
// exposed memory and idle time, which add up to it; so differences of two points add up to the
// difference of their times.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "study/sweep/design_space.h"
#include "study/sweep/sweep.h"

namespace npunet::study {

/// "compute", "TP", ..., "idle", with the time that the last rank spends so; in sum its finish.
[[nodiscard]] std::vector<std::pair<std::string, Time>> parts_of_time(const SlowestRank& rank);

/// A line for the best point, one for each of the next `most` points that fit the memory, and of
/// faster ones that do not, or need more than the limit; empty for fewer than two points.
[[nodiscard]] std::string sweep_reasons(const DesignSpace& space, const SweepResults& results,
                                        const Group& group, std::size_t most = 3);

}  // namespace npunet::study
