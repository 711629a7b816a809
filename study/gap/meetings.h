// Which collectives and messages met on which links.
//
//     add_meetings(ladder.stays, network.graph, explanation);
#pragma once

#include <vector>

#include "report/gap.h"
#include "study/gap/link_tap.h"
#include "topology/graph.h"

namespace npunet::study {

/// Fills in GapExplanation::links and the meetings of its communications: those in which
/// contention has a part in one of the two, at most `most` each, longest first, then by link and
/// communication.
void add_meetings(const std::vector<Stay>& stays, const topology::Graph& graph,
                  report::GapExplanation& explanation, std::size_t most = 5);

}  // namespace npunet::study
