// Communications of all ranks brought together: which collectives are one, which send meets which
// receive, with which groups, sizes and tags.
//
//     const MatchedRun run = match_communication(graphs, options);
//     run.calls[rank][call].comm_size;
//
// Members of a group run the same collectives in the same order: by their numbers ("Seq") where
// every one has them, otherwise the k-th of one is the k-th of all. Ends of profiles that were not
// cut at the same place are left out; any other difference is refused.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "chakra/trace/comm_groups.h"
#include "generators/profiler/rank_graph.h"

namespace npunet::generators::profiler {

struct MatchingOptions {
    bool missing_left_out = false;  ///< ranks without a profile leave their groups
    bool unknown_as_compute =
        false;  ///< communications that nothing names are taken as computation
};

/// What a call of a RankGraph is in the run.
struct MatchedCall {
    enum class Kind : std::uint8_t {
        LeftOut,  ///< takes no time
        Compute,  ///< takes as long as measured
        Collective,
        Send,
        Receive
    };
    Kind kind = Kind::LeftOut;
    std::int32_t meeting = -1;  ///< calls of a number are one collective, or the ends of a message
    std::string group;          ///< of a collective
    std::int64_t comm_size = 0;
    std::vector<std::int64_t> comm_sizes;  ///< to each member; empty: equal parts
    Rank root;                             ///< invalid: not told
    Rank source;
    Rank destination;
    std::int32_t tag = 0;
    std::int32_t before = -1;  ///< node of the rank's collective before it in the group
};

struct MatchedRun {
    std::vector<std::vector<MatchedCall>> calls;  ///< by graph, by call
    chakra::CommGroups groups;                    ///< those of collectives
    std::int32_t meetings = 0;
    std::vector<std::string> warnings;  ///< what was decided, one sentence each
};

/// Ranks of `graphs` ascend, and are renumbered from 0 where others are left out. Throws InputError
/// where ranks are missing, or what they do does not fit together.
[[nodiscard]] MatchedRun match_communication(const std::vector<RankGraph>& graphs,
                                             const MatchingOptions& options);

}  // namespace npunet::generators::profiler
