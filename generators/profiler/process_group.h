// A group of ranks, whatever each process calls it, and what its members communicate.
//
// For communication_matching.cc and the parts of it.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "generators/profiler/communication_matching.h"

namespace npunet::generators::profiler {

/// Where a call stands.
struct CallPlace {
    std::uint32_t graph = 0;
    std::uint32_t call = 0;
    std::uint32_t node = 0;
};

struct ProcessGroup {
    std::vector<std::int32_t> ranks;  ///< as the profiles number them, in the group's order
    std::string description;
    std::vector<std::int32_t> members;  ///< graphs, in the same order; those that are left out go
    std::vector<std::vector<CallPlace>> collectives;  ///< by member, in order
    std::vector<CallPlace> messages;                  ///< graphs ascending, each in order

    /// "group [0, 1, 2, ...] (default_pg)"
    [[nodiscard]] std::string name() const {
        std::string text = "group [";
        for (std::size_t i = 0; i < ranks.size() && i < 9; ++i) {
            text +=
                i == 8 ? std::string(", ...") : fmt::format("{}{}", i == 0 ? "" : ", ", ranks[i]);
        }
        text += ']';
        return description.empty() ? text : fmt::format("{} ({})", text, description);
    }
};

/// What the parts of a matching share.
struct MatchingState {
    const std::vector<RankGraph>& graphs;
    const MatchingOptions& options;
    MatchedRun run;
    /// Messages so far, by source and destination.
    std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> tags;

    [[nodiscard]] const CommunicationCall& call(const CallPlace& place) const {
        return graphs[place.graph].calls[place.call];
    }
    [[nodiscard]] MatchedCall& matched(const CallPlace& place) {
        return run.calls[place.graph][place.call];
    }
    /// "ncclDevKernel_AllReduce_... at 12.345 ms"; the time counts from the profile's begin.
    [[nodiscard]] std::string where(const CallPlace& place) const;
};

/// Collectives of a group; `name` is the group's in traces. Throws InputError.
void match_collectives(const ProcessGroup& group, const std::string& name, MatchingState& state);

/// Sends and receives of a group. Throws InputError.
void match_messages(const ProcessGroup& group, MatchingState& state);

}  // namespace npunet::generators::profiler
