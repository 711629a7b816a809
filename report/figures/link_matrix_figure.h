// How busy the links of a network are over a run, as a matrix: a row for each link, those of a kind
// together, time to the right. For networks of any size.
//
//     const Figure figure = draw_figure(link_matrix_sheet({"Links", "", &load, length}));
//
// Where a kind has many links, neighbours share a row, which shows their mean.
#pragma once

#include "report/figures/canvas.h"
#include "report/figures/link_map_figure.h"

namespace npunet::report {

[[nodiscard]] Sheet link_matrix_sheet(const LinkMapPlot& plot);

}  // namespace npunet::report
