// Why fidelities differ: a series of runs from the estimate up, each with one more effect switched
// on.
//
//     std::vector<engine::Results> runs{analytical, packet};
//     const report::GapExplanation why = explain_gap(runs, workload, machine);
//
// From the analytical run to the packet run:
//     analytical
//     + header              packet headers
//     + latency             store and forward packet by packet, as on an idle network
//                           (idle_path_network.h)
//     + contention          shared links, with unlimited buffers
//     + flow_control        finite buffers, drops, the transport's windows and retransmissions
//     + congestion_control  sender rate control: the packet run
// From the analytical to the fluid run: the same steps up to flow_control, with flows instead of
// packets from contention on. To the congestion-aware run: latency (whole messages stored and
// forwarded), and contention. Between any other two: the difference of the parts.
//
// A step is measured with the start times of the level below; the effect of other start times is
// `dependency`: study/gap/attribution.h has the definitions, docs/gap.md an example with proof.
#pragma once

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "engine/program/workload.h"
#include "engine/results/results.h"
#include "report/comparison/gap.h"
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
    /// Most isolated runs; communications without them count as a whole (`others`).
    std::size_t most_isolated_runs = 4000;
    GapWatch watch;
};

/// The parts of the difference finish(most detailed) - finish(least detailed) of the runs, which
/// are of this workload on this machine (report/comparison/comparison.h says which runs these are),
/// of each collective and message and, with more than two runs, of each pair of neighbours. Runs
/// every effect level once, once more with the start times of the level below where these differ,
/// and collectives and messages in isolation. Throws as simulate(), and GapStopped.
[[nodiscard]] report::GapExplanation explain_gap(const std::vector<engine::Results>& runs,
                                                 const engine::Workload& workload,
                                                 const Machine& machine,
                                                 const GapOptions& options = {});

}  // namespace npunet::study
