// How much of the communication of each micro-batch hides behind computation: stacked bars.
//
//     const Figure figure = overlap_figure({"Overlap", "", &timeline, timeline.ranks()});
//
// One panel for forward and one for backward passes, with recomputation in the latter; a bar for
// every micro-batch, mean over the ranks: computation alone, both at a time, communication alone,
// and, as a line, the time from the first start to the last end. What is missing to the line is
// idle. Transfers of pipelines count; sums of gradients that belong to no micro-batch do not.
#pragma once

#include <string>
#include <vector>

#include "analysis/run_timeline.h"
#include "report/figures/canvas.h"

namespace npunet::report {

struct OverlapPlot {
    static constexpr std::size_t most_bars = 48;  ///< beyond, neighbours share one

    std::string title;
    std::string subtitle;
    const analysis::RunTimeline* timeline = nullptr;
    std::vector<Rank> ranks;
};

/// What a bar shows, in picoseconds of a rank.
struct OverlapBar {
    std::int32_t first = 0;  ///< micro-batch
    std::int32_t last = 0;
    double computation = 0;  ///< alone
    double both = 0;
    double communication = 0;  ///< alone
    double wall = 0;
};

/// The bars of a panel, by micro-batch.
[[nodiscard]] std::vector<OverlapBar> overlap_bars(const OverlapPlot& plot, bool forward);

[[nodiscard]] Figure overlap_figure(const OverlapPlot& plot);

}  // namespace npunet::report
