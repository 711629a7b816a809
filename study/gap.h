// Why fidelities differ: whole runs in which one cause after another is added to the estimate.
//
//     std::vector<engine::Results> runs{analytical, packet};
//     const report::Gap gap = explain_gap(runs, workload, machine);
//
// From the analytical run to the packet run, each part being the difference of two finish times:
//     analytical
//     + header        messages carry the headers of their packets
//     + latency       and are stored on their way, packet by packet, as on an idle network
//                     (idle_path_network.h)
//     + contention    and share links: the packet run with buffers without bound, no errors
//     + flow_control  the packet run: packets wait for room in the next buffer, and those that were
//                     corrupted are sent again
// From the analytical to the congestion-aware run: latency, messages stored whole, and contention.
// Between these two, and for other pairs: the difference of the parts. There is no congestion
// control, so its part is 0; so is `dependency`: as whole runs are compared, what comes late
// because something else did is in the part of what made that late.
#pragma once

#include <vector>

#include "engine/results.h"
#include "engine/workload.h"
#include "report/gap.h"
#include "study/simulation_run.h"

namespace npunet::study {

/// The parts of the difference finish(most detailed) - finish(least detailed) of the runs, which
/// are of this workload on this machine (report/comparison.h says which runs these are). Takes up
/// to one further run at packet level and three quick ones.
[[nodiscard]] report::Gap explain_gap(const std::vector<engine::Results>& runs,
                                      const engine::Workload& workload, const Machine& machine);

}  // namespace npunet::study
