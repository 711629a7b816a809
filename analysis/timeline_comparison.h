// Two runs of one workload, measured or simulated, or at two fidelities: where their time differs.
//
//     align(a, b);
//     const TimelineComparison found = compare_timelines(a, b);
//     found.rows.front()       // what differs most: phase, category, dimension, time in both
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "analysis/run_timeline.h"

namespace npunet::analysis {

/// What a rank did of one kind, as the mean over the ranks that both runs have; of a kind that
/// overlaps itself, time counts once.
struct ComparedRow {
    Phase phase = Phase::Other;
    Category category = Category::Other;
    Dimension dimension = Dimension::Other;
    std::array<std::size_t, 2> intervals{};  ///< over those ranks
    std::array<Time, 2> time{};              ///< of the first and of the second run
};

/// Where the whole length of a run went, as the mean over those ranks.
struct RunTotals {
    Time length;
    Time computation;
    Time exposed_communication;  ///< without computation at the same time
    Time other;                  ///< memory, host and the rest, without either
    Time idle;
};

struct TimelineComparison {
    std::vector<ComparedRow> rows;  ///< largest difference first, then in the order of the kinds
    std::array<RunTotals, 2> totals;
    std::size_t ranks = 0;           ///< that both runs have
    std::vector<std::string> notes;  ///< ranks that one run has alone, and the like
};

/// Delays one of the runs so that the first forward computations, or where one of them has none
/// the first intervals, begin at the same instant. Both must be finished.
void align(RunTimeline& first, RunTimeline& second);

/// Both must be finished. Means are rounded down to picoseconds.
[[nodiscard]] TimelineComparison compare_timelines(const RunTimeline& first,
                                                   const RunTimeline& second);

}  // namespace npunet::analysis
