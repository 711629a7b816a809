// The chart of who did what when, inside a page: chart.js draws it from the data beside it, and
// zooms and moves it.
//
//     section.body += chart_html({{"", &timeline}});
//     section.body += chart_html({{"profile", &measured}, {"packet", &simulated}});
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

}  // namespace npunet::report
