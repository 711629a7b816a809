// A network with switches: NPUs below, its tiers of switches above, in frames of servers, leaves or
// pods, and links in a colour for each kind.
//
//     const Figure figure = draw_figure(tier_sheet(network, {}));
//
// Above topology::NodeGroups::most_npus NPUs boxes stand for several nodes, and say for how many;
// lines are the wider the more links they stand for.
#pragma once

#include "report/figures/network_figure.h"

namespace npunet::report {

[[nodiscard]] Sheet tier_sheet(const topology::NetworkDescription& network,
                               const DrawnRoute& route);

}  // namespace npunet::report
