// How long searches take against the number of layers: one line a strategy.
//
//     SearchTimePlot plot{"16+16 devices", {"metis", "headroom"}, {}};
//     plot.points.push_back({10, 0, 0.0012, 612});
//     const Figure figure = search_time_figure(plot);
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/figures/canvas.h"

namespace npunet::report {

struct SearchTimePoint {
    std::int64_t layers = 0;
    std::size_t series = 0;
    double seconds = 0;  ///< above 0
    std::uint64_t steps = 0;
};

struct SearchTimePlot {
    std::string title;
    std::vector<std::string> series;
    std::vector<SearchTimePoint> points;  ///< by series, ascending layers
};

[[nodiscard]] Figure search_time_figure(const SearchTimePlot& plot);

}  // namespace npunet::report
