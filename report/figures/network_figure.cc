#include "report/figures/network_figure.h"

#include "report/figures/grid_figure.h"
#include "report/figures/tier_figure.h"

namespace npunet::report {

Sheet network_sheet(const topology::NetworkDescription& network, const DrawnRoute& route) {
    return network.graph.nodes() > network.graph.npus() ? tier_sheet(network, route)
                                                        : grid_sheet(network, route);
}

}  // namespace npunet::report
