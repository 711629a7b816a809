// What figures of networks have in common: the legend of NPUs, switches and kinds of links.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/figures/canvas.h"
#include "report/figures/plot_frame.h"
#include "topology/network/network_description.h"

namespace npunet::report {

inline constexpr Colour route_colour{0.05, 0.05, 0.05};
inline constexpr Colour npu_marker_colour{0.35, 0.35, 0.35};
inline constexpr Colour switch_marker_colour{0.15, 0.15, 0.15};

/// Of a kind of links (topology/network/link_kinds.h); those past the sixth share one.
[[nodiscard]] Colour kind_colour(std::size_t kind);

/// "NIC: 50 GB/s, 1 us, 2048 links". `route`: its name; empty: there is none.
[[nodiscard]] std::vector<LegendEntry> link_legend(const topology::NetworkDescription& network,
                                                   const std::string& route);

}  // namespace npunet::report
