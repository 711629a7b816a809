// Where the time of several runs went: one bar a run, from compute to idle.
//
//     BreakdownPlot plot;
//     plot.title = "llama2-7b";
//     plot.bars.push_back({"dp=4 tp=2", finish, compute, communication, memory, idle});
//     const Figure figure = breakdown_figure(plot);
//
// Bars show times, or shares of each run's time where the longest takes more than twenty times as
// long as the shortest.
#pragma once

#include <string>
#include <vector>

#include "base/quantities.h"
#include "report/figures/canvas.h"

namespace npunet::report {

/// Of one rank; the parts need not add up to the finish, in which case the bar shows the parts.
struct BreakdownBar {
    std::string label;
    Time finish;
    Time compute;
    Time exposed_communication;
    Time exposed_memory;
    Time idle;
};

struct BreakdownPlot {
    std::string title;
    std::string subtitle;
    std::vector<BreakdownBar> bars;  ///< from top to bottom
};

[[nodiscard]] Sheet breakdown_sheet(const BreakdownPlot& plot);

[[nodiscard]] inline Figure breakdown_figure(const BreakdownPlot& plot) {
    return draw_figure(breakdown_sheet(plot));
}

}  // namespace npunet::report
