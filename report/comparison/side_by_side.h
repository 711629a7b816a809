// Two runs side by side: the table and the JSON of `npunet report A B`.
//
//     const SideBySide both(a, b);       // aligned and compared
//     out << side_by_side_table(both);
#pragma once

#include <string>

#include "analysis/timeline_comparison.h"
#include "report/comparison/results_comparison.h"

namespace npunet::report {

/// Two timelines on one axis, and where their time differs. Labels that are equal get a number.
struct SideBySide {
    SideBySide(analysis::RunTimeline first_run, analysis::RunTimeline second_run);

    analysis::RunTimeline first;
    analysis::RunTimeline second;
    analysis::TimelineComparison comparison;
};

/// "TP" of communication; "-" for what has no dimension.
[[nodiscard]] std::string dimension_of(const analysis::ComparedRow& row);

/// second - first, exact, in nanoseconds: "-12.5".
[[nodiscard]] std::string difference_ns(Time first, Time second);

[[nodiscard]] std::string side_by_side_table(const SideBySide& both);

// `results`: of the same two runs; null where one of them has none.

/// `results` (report/comparison/results_comparison.h), `runs` (label, source, length_ns,
/// computation_ns, exposed_comm_ns, other_ns, idle_ns), `ranks`, `rows` (phase, category,
/// dimension, intervals, time_ns, difference_ns), `notes`. Begins with `command`, unless it is
/// empty.
[[nodiscard]] std::string side_by_side_json(const SideBySide& both, const std::string& command = "",
                                            const ResultsPair* results = nullptr);

/// The page: the same as tables, and both runs in one chart.
[[nodiscard]] std::string side_by_side_page(const SideBySide& both,
                                            const ResultsPair* results = nullptr);

}  // namespace npunet::report
