// A line: the NPUs that differ in one coordinate only, and the links that a dimension puts on them.
//
// The four kinds of lines (RingLine, Mesh1DLine, FullyConnectedLine, SwitchLine; a header each) all
// offer the same members, and with them a product network needs neither tables nor searches:
//
//     links()                      number of directed links on the line
//     link(i)                      the ends of link i, 0 <= i < links()
//     switches()                   0 or 1; the switch stands at position `size`
//     route(from, to, first, hops) appends the hops between two positions; link i of the line has
//                                  the id first + i
//     links_across_middle()        links from the positions below size / 2 to the others
//     virtual_channels_needed()    the least without deadlock
//
//     visit_line(dimension, [](const auto& line) { return line.links(); });
//
// C++17-clean: reached from ns-3 scenario scripts.
#pragma once

#include "topology/dimension.h"
#include "topology/fully_connected_line.h"
#include "topology/mesh1d_line.h"
#include "topology/ring_line.h"
#include "topology/switch_line.h"

namespace npunet::topology {

/// Calls the visitor with the line that the dimension puts on its NPUs; returns what it returns.
template <class Visitor>
auto visit_line(const Dimension& dimension, Visitor&& visitor) {
    switch (dimension.kind) {
        case DimensionKind::Ring:
            return visitor(RingLine{dimension.size});
        case DimensionKind::FullyConnected:
            return visitor(FullyConnectedLine{dimension.size});
        case DimensionKind::Switch:
            return visitor(SwitchLine{dimension.size});
        case DimensionKind::Mesh1D:
            break;
    }
    return visitor(Mesh1DLine{dimension.size});
}

}  // namespace npunet::topology
