// Who sends how much to whom: panels of coloured cells, sources downwards, destinations to the
// right, with one colour scale for all panels.
//
//     HeatMapPlot plot;
//     plot.title = "175b, 48 ranks";
//     plot.side = 48;
//     plot.panels.push_back({"forward", {{0, 1, 1.5e9}, ...}});
//     const Figure figure = heat_map_figure(plot);
//
// The scale is logarithmic, in bytes. Above most_cells rows, cells are the sums of square blocks,
// which the figure says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "report/figures/canvas.h"

namespace npunet::report {

struct HeatMapCell {
    std::int64_t row = 0;
    std::int64_t column = 0;
    double bytes = 0;
};

struct HeatMapPanel {
    std::string title;
    std::vector<HeatMapCell> cells;  ///< those above 0; a place at most once
};

struct HeatMapPlot {
    static constexpr std::int64_t most_cells = 256;

    std::string title;
    std::string subtitle;
    std::string row_name;     ///< "source rank"
    std::string column_name;  ///< "destination rank"
    std::int64_t side = 0;    ///< rows and columns
    std::vector<HeatMapPanel> panels;
};

[[nodiscard]] Figure heat_map_figure(const HeatMapPlot& plot);

}  // namespace npunet::report
