// The searches of npunet plan: one function a dialect, each of which reads the files, searches, and
// gives the plans in the form that all outputs are made of.
#pragma once

#include <vector>

#include "cli/command/commands.h"
#include "cli/plan/plan_search_options.h"
#include "planner/metis/arguments.h"
#include "planner/metis/search.h"
#include "report/plans/ranked_plans.h"

namespace npunet::cli {

/// --dialect npunet. Throws InputError, also where no plan exists or fits, and Stopped.
[[nodiscard]] report::RankedPlans search_all_plans(const PlanSearchOptions& options,
                                                   CommandContext& context);

/// --dialect metis, with its log where that is asked for. Throws InputError, also where no plan
/// fits the memory, and Stopped.
[[nodiscard]] report::RankedPlans search_as_metis(const PlanSearchOptions& options,
                                                  CommandContext& context);

/// --homogeneous. Throws InputError.
[[nodiscard]] report::RankedPlans search_uniform_plans(const PlanSearchOptions& options);

/// --search-times: a table on stdout (or JSON), and the figure. Throws InputError and Stopped.
void draw_search_times(const PlanSearchOptions& options, CommandContext& context);

/// What the searches of Metis's dialect have in common: arguments and files from options. Reads the
/// files and fills in what the profiles tell. Throws InputError.
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
