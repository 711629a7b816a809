// Link contention: which collectives and messages shared which links at the same time.
//
//     add_meetings(sequence.stays, network.graph, explanation);
#pragma once

#include <vector>

#include "report/gap.h"
#include "study/gap/link_tap.h"
#include "topology/graph.h"

namespace npunet::study {

/// Fills in GapExplanation::links and the meetings of its communications: pairs of which contention
/// affects at least one, at most `most` for each communication, longest first, then by link and
/// communication.
void add_meetings(const std::vector<Stay>& stays, const topology::Graph& graph,
                  report::GapExplanation& explanation, std::size_t most = 5);

}  // namespace npunet::study
