// What a network consists of: NPUs, switches, and links in a colour for each kind of link.
//
//     const Figure figure = draw_figure(network_sheet(network, {"route from npu0 to npu5",
//     links}));
//
// Networks with switches are drawn in tiers (tier_figure.h), others where topology/network/layout.h
// puts their nodes: the planes of three dimensions one above the other, grids, circles. There links
// that close a ring are stubs at both ends, the two directions of a link lie side by side, and
// above 64 NPUs of two dimensions or more some of each are left out, where lines are dashed.
#pragma once

#include <string>
#include <vector>

#include "report/figures/canvas.h"
#include "topology/network/network_description.h"

namespace npunet::report {

/// Drawn over all else.
struct DrawnRoute {
    std::string name;  ///< for the legend; empty: there is none
    std::vector<LinkId> links;
};

[[nodiscard]] Sheet network_sheet(const topology::NetworkDescription& network,
                                  const DrawnRoute& route);

}  // namespace npunet::report
