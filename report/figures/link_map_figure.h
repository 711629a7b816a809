// How busy the links of a network are over a run: the network at several times, every link in the
// colour of its load.
//
//     const Figure figure = link_map_figure({"Links", "", &timeline.load, timeline.length});
//
// Six panels, each the mean over a sixth of the run. The two directions of a link lie side by side,
// each on the right in its direction. Links that close a ring are drawn as stubs at both ends.
#pragma once

#include <string>

#include "analysis/run_timeline.h"
#include "report/figures/canvas.h"

namespace npunet::report {

struct LinkMapPlot {
    std::string title;
    std::string subtitle;
    const analysis::LinkLoad* load = nullptr;  ///< with the places of its nodes
    Time length;                               ///< of the run
};

/// Whether the places of the nodes are known, and nodes (at most 128) and links (at most 1024) are
/// few enough to be told apart.
[[nodiscard]] bool is_legible(const analysis::LinkLoad& load);

[[nodiscard]] Figure link_map_figure(const LinkMapPlot& plot);

}  // namespace npunet::report
