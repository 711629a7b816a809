// The interactive charts of a timeline inside a page: intervals by rank, drawn, zoomed and moved by
// chart.js, the map of the links at a time chosen with a slider, drawn by link_map.js, and their
// matrix over time, drawn by link_matrix.js. The data is beside them in the page.
//
//     section.body += chart_html({{"", &timeline}});
//     section.body += chart_html({{"profile", &measured}, {"packet", &simulated}});
//     section.body += link_map_html(timeline) + link_matrix_html(timeline);
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "analysis/run_timeline.h"

namespace npunet::report {

/// Up to so many intervals are in the page one by one, with their names; beyond, a grid.
inline constexpr std::size_t most_single_intervals = 40'000;
/// Rows of all panels; beyond, neighbouring ranks share one.
inline constexpr std::size_t most_chart_rows = 1024;

struct ChartPanel {
    std::string label;  ///< in front of the ranks; may be empty
    const analysis::RunTimeline* timeline = nullptr;
};

/// Panels lie one above the other on one axis. Empty where there are no intervals.
[[nodiscard]] std::string chart_html(const std::vector<ChartPanel>& panels);

/// The map of the links. Empty where the load of the links, or the shape of the network, is not
/// known, and for networks of more than 128 nodes or 1024 links, whose map would not be read.
/// Shares are rounded to a 63rd; bins are joined where there are more than 2^21 of them over all
/// links.
[[nodiscard]] std::string link_map_html(const analysis::RunTimeline& timeline);

/// The matrix of the links, of networks of any size: at most 512 rows. Empty where the load of the
/// links is not known.
[[nodiscard]] std::string link_matrix_html(const analysis::RunTimeline& timeline);

}  // namespace npunet::report
