// The rows that one rank's profile adds to a run's timeline.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "analysis/run_timeline.h"
#include "analysis/time_spans.h"

namespace npunet::analysis {

struct RankTimeline {
    struct Row {
        Interval interval;  ///< lane and name are numbers of `names`; without start, end and group
        TimeSpan span;      ///< wall clock
    };
    std::vector<std::string> names;
    std::vector<Row> rows;
    std::vector<std::size_t> collectives;  ///< rows of RankProfile::collectives, in their order
};

}  // namespace npunet::analysis
