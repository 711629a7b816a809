// What a network consists of: NPUs, switches, and links in a colour for each kind of link.
//
//     const Figure figure = network_figure({"4 x 4 Mesh2D", "16 NPUs", nodes, links, {"50 GB/s"}});
//
// The two directions of a link lie side by side. Links that close a ring of a grid are drawn as
// stubs at both ends. Names stand beside nodes where there is room for them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/figures/canvas.h"

namespace npunet::report {

struct NetworkPlot {
    struct Node {
        std::string name;
        double x = 0;  ///< in steps of a grid, from 0
        double y = 0;  ///< downwards
        bool is_switch = false;
    };
    struct Link {
        std::size_t from = 0;  ///< nodes, by number
        std::size_t to = 0;
        std::size_t kind = 0;  ///< into `kinds`
    };

    std::string title;
    std::string subtitle;
    std::vector<Node> nodes;
    std::vector<Link> links;
    std::vector<std::string> kinds;  ///< rate and latency; those past the sixth share a colour
    std::vector<std::size_t> route;  ///< links drawn over the others, by number
    std::string route_name;          ///< for the legend
};

[[nodiscard]] Figure network_figure(const NetworkPlot& plot);

}  // namespace npunet::report
