// The map of the links, inside a page: link_map.js draws it from the data beside it, at the time
// that a slider chooses.
//
//     section.body += link_map_html(timeline);
#pragma once

#include <string>

#include "analysis/run_timeline.h"

namespace npunet::report {

/// Empty where the load of the links, or the shape of the network, is not known. Shares are rounded
/// to a 63rd; bins are joined where there are more than 2^21 of them over all links.
[[nodiscard]] std::string link_map_html(const analysis::RunTimeline& timeline);

}  // namespace npunet::report
