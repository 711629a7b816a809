// The converted graphs, run with what was measured: does the way in which nodes follow one another
// explain the times of the profile?
//
//     const ReplayTimes times = measured_replay(graphs, run);
//     times.replayed_ns;            // against times.measured_ns
//
// Every node begins when all that it follows has ended; CPU segments and computation last as
// recorded. A collective begins when its last member is there and lasts as long as it did for the
// member whose kernel was shortest: that one waited least, so this is what the transfer took,
// whatever the clocks of the ranks say. A message likewise. Neither a network nor a limit of what
// an NPU does at once plays a part.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "generators/profiler/communication_matching.h"
#include "generators/profiler/rank_graph.h"

namespace npunet::generators::profiler {

/// A rank whose traces take over most_replay_difference less or more time than measured. Times are
/// relative to the rank's begin.
struct ReplayDifference {
    enum class Cause : std::uint8_t {
        Replay,   ///< dependencies: unexplained idle time, or waits that did not happen
        LeftOut,  ///< the profile has later events that are not in the traces
        Overlap   ///< concurrent computations, which an NPU serializes
    };
    Cause cause = Cause::Replay;
    std::size_t rank = 0;  ///< index into the graphs
    std::int64_t measured_ns = 0;
    std::int64_t replayed_ns = 0;  ///< Overlap: the sum of the computations
    /// The first operation responsible, by its graph and node: the first on the path to the rank's
    /// end that is off by more than that fraction of the rank's time; Overlap: the first
    /// computation that begins before the previous one has ended.
    std::size_t node_rank = 0;
    std::uint32_t node = 0;
    std::int64_t node_measured_ns = 0;  ///< its end; Overlap: its begin
    std::int64_t node_replayed_ns = 0;  ///< its end; Overlap: end of the previous one
};

/// Fraction of the measured time.
constexpr double most_replay_difference = 0.02;

struct ReplayTimes {
    std::int64_t measured_ns = 0;  ///< from the first begin to the last end, over all ranks
    std::int64_t replayed_ns = 0;
    std::vector<std::int64_t> rank_ns;  ///< the replayed end of each rank
    /// By how much the replayed end of any operation is off, at most; of those whose launch is in
    /// the profile.
    std::int64_t largest_ns = 0;
    /// The ranks that are off, in order of rank.
    std::vector<ReplayDifference> differences;

    /// (replayed - measured) / measured, in percent; 0 for nothing measured.
    [[nodiscard]] double difference_percent() const;
};

/// `begins` are when the ranks start, from 0.
[[nodiscard]] ReplayTimes measured_replay(const std::vector<RankGraph>& graphs,
                                          const MatchedRun& run,
                                          const std::vector<std::int64_t>& begins);

}  // namespace npunet::generators::profiler
