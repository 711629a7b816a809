// Who did what when: a row for each rank, time to the right.
//
//     GanttPlot plot;
//     plot.title = "Pipeline 0";
//     plot.panels.push_back({"", &timeline, places.pipelines[0]});
//     const Figure figure = gantt_figure(plot);
//
// A row has two bands, computation above and communication below. Several panels, of several runs,
// lie one above the other on one axis. Above most_rows ranks in all panels neighbours share a row,
// and where more happens than there are pixels, a pixel shows what took most of its time: paler
// where its band was idle in between.
#pragma once

#include <string>
#include <vector>

#include "analysis/run_timeline.h"
#include "report/figures/canvas.h"

namespace npunet::report {

struct GanttPanel {
    std::string title;  ///< may be empty
    const analysis::RunTimeline* timeline = nullptr;
    std::vector<Rank> ranks;  ///< from above to below
};

struct GanttPlot {
    static constexpr std::size_t most_rows = 128;

    std::string title;
    std::string subtitle;
    std::vector<GanttPanel> panels;
};

[[nodiscard]] Figure gantt_figure(const GanttPlot& plot);

}  // namespace npunet::report
