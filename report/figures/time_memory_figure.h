// Finish time against peak memory of many runs, with the Pareto front and a limit of memory.
//
//     TimeMemoryPlot plot;
//     plot.title = "llama2-7b";
//     plot.series = {"analytical"};
//     plot.points.push_back({time, memory, 0, "dp=4 tp=2", true, true});
//     const Figure figure = time_memory_figure(plot);
//
// Where no run knows its memory, the runs of each series are drawn by their place instead, the
// fastest first, and the figure says so.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/quantities.h"
#include "report/figures/canvas.h"

namespace npunet::report {

struct TimeMemoryPoint {
    Time time;
    Bytes memory;            ///< 0: unknown
    std::size_t series = 0;  ///< position in TimeMemoryPlot::series
    std::string label;
    bool front = false;  ///< on the Pareto front of its series
    bool best = false;   ///< of its series, whatever its memory
    bool best_within_limit = false;
};

struct TimeMemoryPlot {
    std::string title;
    std::vector<std::string> series;  ///< names; one empty name: no legend for it
    std::vector<TimeMemoryPoint> points;
    std::optional<Bytes> limit;
};

[[nodiscard]] Sheet time_memory_sheet(const TimeMemoryPlot& plot);

[[nodiscard]] inline Figure time_memory_figure(const TimeMemoryPlot& plot) {
    return draw_figure(time_memory_sheet(plot));
}

}  // namespace npunet::report
