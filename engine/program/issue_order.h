// In which order an NPU looks at the operations that are ready.
//
// Ascending id: the lowest node id first. Hash walk: as a simulator does that keeps them in hashed
// containers and walks those (engine/program/hash_walk.h); then the order depends on the ids of the
// nodes, gaps included, on the order of the nodes in the file and on the order in which they became
// ready.
//
//     RankProgram program = ...;                            // numbered by ascending id
//     lay_out_for_hash_walk(nodes, numbers, program);       // children and first operations
//
// C++17-clean.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "chakra/trace/node.h"

namespace npunet::engine {

enum class IssueOrder : std::uint8_t { AscendingId, HashWalk };

struct RankProgram;

/// Puts the children of every operation into the order in which they are released, and lists in
/// program.first_ready what is ready at the start, in the order in which it is found. `nodes` in
/// the order of the file; `number_of(id)` is an operation's number, negative when there is none.
///
/// The rule: every node of the file is entered into a container of nodes, then those that it waits
/// for, in the order in which a container of them is walked that was filled with its data
/// dependencies and then its control dependencies; each of these enters the node into a container
/// of its children. At the start the container of nodes is walked; at the end of an operation that
/// of its children.
void lay_out_for_hash_walk(const std::vector<chakra::Node>& nodes,
                           const std::function<std::int64_t(std::uint64_t)>& number_of,
                           RankProgram& program);

}  // namespace npunet::engine
