// The rungs of the ladder from the quick estimate to the packet run: networks with one effect more
// each.
//
//     EffectLevels rungs(machine, options.packet);
//     const RunTimes times = rungs.run(Rung::SharedLinks);
//     levels_of(Fidelity::Packet, machine);       // header, latency, contention, ...
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "engine/fixed_times.h"
#include "report/gap.h"
#include "study/gap/gap_progress.h"
#include "study/gap/joint_operations.h"
#include "study/simulation_run.h"

namespace npunet::study {

enum class EffectLevel : std::uint8_t {
    Estimate,       ///< the congestion-unaware network
    Headers,        ///< and messages carry the headers of their packets
    IdlePaths,      ///< and are passed on packet by packet, each as on an idle network
    SharedLinks,    ///< packets on shared links, with buffers without bound, and nothing lost
    FiniteBuffers,  ///< and with the buffers, flow control and transport that there are, and errors
    PacketRun,      ///< and with congestion control: the packet run
    WholeMessages,  ///< the estimate, but every link takes in a message before the next sends it
    MessageQueues   ///< the congestion-aware network
};

/// An effect, and the rung that has it and the one below has not.
struct Step {
    EffectLevel level;
    Time report::Gap::*part;
};

/// The steps from the estimate to a fidelity on a machine, in order; those without an effect, such
/// as congestion control where there is none, are left out. The last rung is the fidelity itself.
[[nodiscard]] std::vector<Step> levels_of(Fidelity fidelity, const Machine& machine);

/// What the rung lacks of the machine's network.
[[nodiscard]] topology::NetworkDescription network_on(EffectLevel level,
                                                      const topology::NetworkDescription& network);

/// Runs workloads on the rungs of one machine.
class EffectLevels {
public:
    /// Machine and progress must outlive this; `packet` as in RunOptions.
    EffectLevels(const Machine& machine, const PacketOptions& packet, GapProgress& progress)
        : machine_(machine), packet_(packet), progress_(progress) {}

    /// Puts a network in front of that of the rung.
    using Wrap =
        std::function<std::unique_ptr<engine::Network>(engine::Network&, engine::EventQueue&)>;

    /// Runs to the end. Throws StallError and InputError as simulate() does, and GapStopped.
    /// `fixed` may be null.
    [[nodiscard]] RunTimes run(const engine::Workload& workload, EffectLevel level,
                               const engine::FixedTimes* fixed = nullptr, const Wrap& wrap = {});

    /// Everything that `fixed` has not fixed, where that is all of communication, with an end: no
    /// network is needed.
    [[nodiscard]] RunTimes replay(const engine::Workload& workload,
                                  const engine::FixedTimes& fixed) const;

private:
    const topology::NetworkDescription& description_of(EffectLevel level);
    [[nodiscard]] std::unique_ptr<engine::Network> network_of(EffectLevel level,
                                                              engine::EventQueue& queue);
    RunTimes run(const engine::Workload& workload, engine::EventQueue& queue,
                 engine::Network& network, const engine::FixedTimes* fixed) const;

    const Machine& machine_;
    PacketOptions packet_;
    GapProgress& progress_;
    /// By rung; null before its first use, and where it is the machine's.
    std::vector<std::unique_ptr<topology::NetworkDescription>> descriptions_{8};
};

}  // namespace npunet::study
