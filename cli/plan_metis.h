// What the searches of Metis's dialect have in common: its arguments and files from options.
#pragma once

#include <vector>

#include "cli/plan_search_options.h"
#include "planner/metis/arguments.h"
#include "planner/metis/search.h"

namespace npunet::cli {

/// Reads the files and fills in what the profiles tell. Throws InputError.
struct MetisTask {
    explicit MetisTask(const PlanSearchOptions& options);

    planner::metis::Inputs inputs;
    planner::metis::Arguments arguments;
};

/// A search and how long it took.
struct TimedSearch {
    planner::metis::SearchResult result;
    double ms = 0;
};
[[nodiscard]] TimedSearch timed_search(const planner::metis::Inputs& inputs,
                                       const planner::metis::Arguments& arguments,
                                       const planner::metis::Progress& progress);

}  // namespace npunet::cli
