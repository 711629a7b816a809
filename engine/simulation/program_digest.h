// What looking for NPUs that behave alike wants to know of each program, gathered once.
//
//     const std::vector<ProgramDigest> digests = digest_programs(workload);
//     const ProgramDigest& own = digests[workload.program_of[rank]];
//
// C++17-clean.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "engine/program/workload.h"

namespace npunet::engine {

struct ProgramDigest {
    /// A slot of RankBinding::peers, and a tag.
    using Channel = std::pair<std::int32_t, std::int64_t>;

    /// The first program of the workload that does the same work: equal but for the names of nodes
    /// and the tags, which may be renamed one to one.
    std::uint32_t same_work_as = 0;
    std::vector<Channel> sends;     ///< different ones, as the program comes to them
    std::vector<Channel> receives;  ///< different ones, in the same order
    /// One collective of each group slot, kind, size and root; all that are unequal.
    std::vector<std::uint32_t> collectives;
};

/// By program.
[[nodiscard]] std::vector<ProgramDigest> digest_programs(const Workload& workload);

}  // namespace npunet::engine
