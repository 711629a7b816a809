// One trace by itself: can it be read, can its nodes be executed, does each say what it must?
//
//     const RankResult result = validate_rank(path, context, FollowedDeps::DataAndCtrl, groups,
//                                             findings);
//
// The file is read as a stream. Memory: the dependency graph
// (chakra/dependencies/dependency_graph.h) and a record for each node that communicates.
//
// C++17-clean.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "chakra/dependencies/dependency_graph.h"
#include "chakra/trace/schema.h"
#include "chakra/validation/communication_record.h"
#include "chakra/validation/finding.h"
#include "chakra/validation/node_validation.h"
#include "chakra/validation/validated_groups.h"

namespace npunet::chakra {

struct RankResult {
    std::uint64_t nodes = 0;
    /// Nodes that compute, communicate or access memory.
    std::uint64_t working_nodes = 0;
    /// The file was read to its end: what is missing here is missing in the trace.
    bool whole = false;
    RankCommunication communication;
};

struct RankReading {
    FollowedDeps followed = FollowedDeps::Data;
    std::optional<Schema> schema;  ///< otherwise told from the file
};

/// Adds what it finds. Dependencies that `followed` leaves out only give warnings. Throws
/// MachineError when the file cannot be read for reasons that are not its content.
[[nodiscard]] RankResult validate_rank(const std::filesystem::path& path,
                                       const NodeContext& context, const RankReading& reading,
                                       ValidatedGroups& groups, FindingList& findings);

}  // namespace npunet::chakra
