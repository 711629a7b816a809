// A network without switches: the nodes of its dimensions in a grid, in planes, or on a ring.
//
//     const Sheet sheet = grid_sheet(network, {});
#pragma once

#include "report/figures/network_figure.h"

namespace npunet::report {

[[nodiscard]] Sheet grid_sheet(const topology::NetworkDescription& network,
                               const DrawnRoute& route);

}  // namespace npunet::report
