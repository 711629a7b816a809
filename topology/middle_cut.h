// The middle cut of any graph: how much can flow from the lower half of the NPUs to the upper half.
//
// The NPUs 0 .. n/2 - 1 stand on one side, the others on the other; switches stand where the cut is
// narrowest. By Ford and Fulkerson's theorem (1956) the bandwidth of that cut is the greatest flow
// between the halves. The narrower direction counts. Other halves may have a narrower cut: an upper
// bound of the bisection.
//
//     Bisection cut = middle_cut_of(network.graph);
//
// C++17-clean: reached from ns-3 scenario scripts.
#pragma once

#include "topology/bisection.h"
#include "topology/graph.h"

namespace npunet::topology {

/// Nothing for networks of one NPU. Dinitz's algorithm: on networks of switches in layers a few
/// passes over the links.
[[nodiscard]] Bisection middle_cut_of(const Graph& graph);

}  // namespace npunet::topology
