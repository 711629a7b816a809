// The middle cut of a product network: how much can flow from one half of the NPUs to the other.
//
// The cut halves one dimension in the middle. Where its size is odd, the NPUs of the middle
// coordinate form a network of the remaining dimensions, which is halved in turn, so that the
// halves differ by one NPU at most. Of the dimensions the one is cut whose links across the middle
// have the least bandwidth in all.
//
// Links across the middle of one line, in one direction: a ring of more than two 2, a mesh and a
// ring of two 1, a clique of n floor(n/2) ceil(n/2), a switch of n floor(n/2) (the links of the
// smaller half; the switch counts to the other one).
//
// For meshes and tori with equal links this is the exact bisection (Azizoglu and Egecioglu, "The
// bisection width and the isoperimetric number of arrays", Discrete Applied Mathematics 138, 2004;
// Arjona Aroca and Fernandez Anta, "Bisection (band)width of product networks with application to
// data centers", IEEE TPDS 25, 2014). In general it is a cut that exists, hence an upper bound.
//
// C++17-clean: reached from ns-3 scenario scripts.
#pragma once

#include <cstdint>
#include <vector>

#include "topology/graph/dimension.h"
#include "topology/graph/graph.h"

namespace npunet::topology {

/// What crosses the middle cut in one direction; as much crosses it in the other.
struct Bisection {
    std::int64_t links = 0;
    double bytes_per_second = 0;
};

/// Nothing for networks of one NPU.
[[nodiscard]] Bisection bisection_of(std::vector<Dimension> dimensions);

/// The middle cut of any graph: how much can flow from the lower half of the NPUs to the upper
/// half.
///
/// The NPUs 0 .. n/2 - 1 stand on one side, the others on the other; switches stand where the cut
/// is narrowest. By Ford and Fulkerson's theorem (1956) the bandwidth of that cut is the greatest
/// flow between the halves. The narrower direction counts. Other halves may have a narrower cut: an
/// upper bound of the bisection.
///
/// Nothing for networks of one NPU. Dinitz's algorithm: on networks of switches in layers a few
/// passes over the links.
[[nodiscard]] Bisection middle_cut_of(const Graph& graph);

}  // namespace npunet::topology
