// Errors of the ranks' clocks, by the ends of the collectives that they share.
//
//     const std::vector<ClockOffset> offsets = clock_offsets(ranks, matched);
//
// Two ranks of a collective end it at nearly the same time: the median over their collectives of
// the difference of the ends is the difference of their clocks. Ranks are linked in a tree that
// takes the pairs with most collectives first; what is not linked with its lowest rank stays as it
// is.
#pragma once

#include <vector>

#include "analysis/run_profile.h"

namespace npunet::analysis {

/// One for each rank, in the order given.
[[nodiscard]] std::vector<ClockOffset> clock_offsets(const std::vector<const RankProfile*>& ranks,
                                                     const std::vector<MatchedCollective>& matched);

/// The last to arrive, of collectives that all profiled ranks of their group have; `offsets` are
/// subtracted from the times.
[[nodiscard]] std::vector<Straggler> stragglers(const std::vector<const RankProfile*>& ranks,
                                                const std::vector<MatchedCollective>& matched,
                                                const std::vector<std::int64_t>& offsets);

}  // namespace npunet::analysis
