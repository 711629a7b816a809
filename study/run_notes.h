// Notes about a finished run: parts of the network that could not matter, since nothing ever
// crosses them; estimates that are impossibly short; collectives that take much longer than they
// must; congestion control by marks that saw none.
//
//     for (const std::string& note : notes_on_idle_links(workload, network, results)) { ... }
//     note_link_bound(results);                  // adds a note if necessary
#pragma once

#include <string>
#include <vector>

#include "engine/program/workload.h"
#include "engine/results/results.h"
#include "topology/network/network_description.h"

namespace npunet::study {

/// Dimensions, and on networks without dimensions links between two kinds of nodes, that nothing
/// crosses: a sentence for each such part, or one when nothing is sent at all. A part counts as
/// crossed when its links carried bytes, or lie on the route between two ranks that exchange
/// messages, which may be empty. All fidelities say the same unless packets leave the routes:
/// around failed links, and with non-minimal routing. The run has ended. Time: proportional to the
/// links and, if links carried nothing, to the routes between communicating ranks (n log n of n
/// members).
[[nodiscard]] std::vector<std::string> notes_on_idle_links(
    const engine::Workload& workload, const topology::NetworkDescription& network,
    const engine::Results& results);

/// Whether anything was sent over a link.
[[nodiscard]] inline bool is_used(const engine::LinkResult& link) {
    return link.wire > Bytes(0) || link.packets > 0;
}

/// Collectives that take more than twice their bound from the last member's start on: a sentence
/// about the worst one of each type, size of group and algorithm, with the ports of its members
/// that carried nothing in the whole run. Only where bandwidth decides: the bound is more than
/// 1 + ceil(log2 n) times the latency of the route from the first of the n members to the middle
/// one. Of the analytical fidelity, a sentence also if collectives finish before their bound,
/// unless the run finishes before its link bound. `run`: its fidelity and finish are set; empty for
/// runs that were broken off, and in the dialects of whole nanoseconds. `links`: of the whole
/// network, in its order.
[[nodiscard]] std::vector<std::string> notes_on_bounds(
    const topology::NetworkDescription& network, const engine::Results& run,
    const std::vector<engine::LinkResult>& links);

/// In the analytical network messages do not share links, so that a run can finish before its
/// busiest link could have carried all bytes sent over it: whether a completed run of the
/// analytical fidelity finished before its link_bound.
[[nodiscard]] bool beats_link_bound(const engine::Results& results);

/// One sentence, or empty if it did not. `results.fidelity` and the links must be set.
[[nodiscard]] std::string link_bound_note(const engine::Results& results);

/// Adds link_bound_note() to the notes.
void note_link_bound(engine::Results& results);

/// A note if packets were dropped or links told to pause although congestion control by marks saw
/// none.
[[nodiscard]] std::vector<std::string> notes_on_marks(const topology::NetworkDescription& network,
                                                      const engine::Results& results);

}  // namespace npunet::study
