// Program order: the collectives of a communicator run one after the other, in one order that all
// its members keep. With `launches` those that follow each other in it and wait for the same
// operations run together, and the next ones after all of them.
//
// The k-th collective of each member in trace order (program.h) are one. Trace order takes receives
// as done when they are handed out; where nothing but its message tells when a receive ends, what
// follows it stands too early there. So collectives are put in the order of the rounds of an
// execution in which nothing takes time (untimed_run.h), that is, of how many messages must have
// been received, one after the other, before they can end; those of one round stay in trace order.
//
// This never makes ranks wait for each other in a cycle that need not exist. A cycle of
// such waits could not leave its round, since what waits for a message belongs to a later one, and
// the execution is repeated with each collective waiting for its turn: where nothing can go on,
// collectives that every member has come to go first. What remains then are cycles and absences
// of the trace itself; what takes part in those comes last, in trace order. Where a collective is
// among it whose members need not all wait for each other, as with a root, all keep trace order: it
// may well come to an end.
//
//     keep_program_order(workload);
//
// C++17-clean.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/program/workload.h"

namespace npunet::engine {

/// By operation: of collectives, what they wait for, ascending; of others nothing.
[[nodiscard]] std::vector<std::vector<std::uint32_t>> parents_of_collectives(
    const RankProgram& program);

/// Puts RankProgram::collectives_of, which is in trace order, in program order, and makes each
/// collective wait for the one before it on its communicator. Ranks that shared a program share it
/// afterwards where their orders are equal.
void keep_program_order(Workload& workload, bool launches = false);

}  // namespace npunet::engine
