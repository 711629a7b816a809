// How much of a run its files and documents tell.
//
// C++17-clean.
#pragma once

#include <string>
#include <vector>

namespace npunet::report {

struct CollectiveDetail;
struct WhatIf;

struct OutputScope {
    /// results.json has the key collective_choices, and collectives.csv a row for each rank's part
    /// in a collective instead of one for each collective; null: neither.
    const CollectiveDetail* detail = nullptr;
    const WhatIf* what_if = nullptr;  ///< results.json has the key what_if; null: not
    /// All collectives and links, however many there are (report/results/results_lists.h,
    /// report/results/csv.h).
    bool full_lists = false;
    /// The timeline of all NPUs, however long it is (report/timeline/timeline_excerpt.h).
    bool full_timeline = false;
    /// CSV files that were cut; results.json has the key truncated_files where there are any.
    std::vector<std::string> cut_files = {};
};

}  // namespace npunet::report
