// Why fidelities differ: a ladder of simulations from the estimate up, with one effect more each.
//
//     std::vector<engine::Results> runs{analytical, packet};
//     const report::GapExplanation why = explain_gap(runs, workload, machine);
//
// From the analytical run to the packet run:
//     analytical
//     + header              messages carry the headers of their packets
//     + latency             and are stored on their way, packet by packet, each as on an idle
//                           network (idle_path_network.h)
//     + contention          and share links: packets in buffers without bound
//     + flow_control        and wait for room, or are lost, and the transport limits and repeats
//     + congestion_control  and senders are slowed: the packet run
// From the analytical to the congestion-aware run: latency, messages stored whole, and contention.
// Between these two, and for other pairs: the difference of the parts.
//
// A step is what happens with the start times of the rung below; what comes of starting at other
// times is `dependency`: study/gap/climb.h has the definitions, docs/gap.md an example with proof.
#pragma once

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "engine/results.h"
#include "engine/workload.h"
#include "report/gap.h"
#include "study/simulation_run.h"

namespace npunet::study {

/// Called periodically with the current step and how much of it is done. Returning false stops the
/// explanation.
using GapWatch =
    std::function<bool(const std::string& what, std::uint64_t done, std::uint64_t total)>;

/// Thrown when the watch has stopped an explanation.
class GapStopped : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

struct GapOptions {
    PacketOptions packet;  ///< RunOptions::packet
    /// Simulations of single collectives and messages; those beyond are taken as a whole.
    std::size_t most_alone = 4000;
    GapWatch watch;
};

/// The parts of the difference finish(most detailed) - finish(least detailed) of the runs, which
/// are of this workload on this machine (report/comparison.h says which runs these are), and of
/// each collective and message. Runs every effect level once, once more with the start times of the
/// level below where these differ, and collectives and messages in isolation. Throws as simulate(),
/// and GapStopped.
[[nodiscard]] report::GapExplanation explain_gap(const std::vector<engine::Results>& runs,
                                                 const engine::Workload& workload,
                                                 const Machine& machine,
                                                 const GapOptions& options = {});

}  // namespace npunet::study
