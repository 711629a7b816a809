// The effect levels from the analytical estimate to the packet run: networks with one more effect
// switched on each.
//
//     EffectLevels levels(machine, options.packet, progress);
//     const RunTimes times = levels.run(workload, EffectLevel::SharedLinks);
//     levels_of(Fidelity::Packet, machine);       // header, latency, contention, ...
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "engine/npu/fixed_times.h"
#include "report/comparison/gap.h"
#include "study/gap/gap_progress.h"
#include "study/gap/joint_operations.h"
#include "study/simulation_run.h"

namespace npunet::study {

enum class EffectLevel : std::uint8_t {
    Estimate,       ///< congestion-unaware network
    Headers,        ///< plus packet headers
    IdlePaths,      ///< plus store and forward packet by packet, as on an idle network
    SharedLinks,    ///< packets on shared links, with unlimited buffers and without losses
    FiniteBuffers,  ///< plus the configured buffers, flow control, transport and errors
    PacketRun,      ///< plus congestion control: the packet run
    WholeMessages,  ///< the estimate plus store and forward of whole messages at every link
    MessageQueues,  ///< congestion-aware network
    FluidLinks,     ///< idle paths plus shared links, as streams of packets, with unlimited buffers
    FluidRun,       ///< plus the configured buffers, flow control and transport: the fluid run
    Messages        ///< the estimate, with messages where a library's collectives have closed forms
};

/// An effect, and the level that adds it.
struct Step {
    EffectLevel level;
    Time report::Gap::*part;
};

/// The steps from the estimate to a fidelity on a machine, in order, without those that have no
/// effect, such as congestion control if there is none. With a communication library the first one
/// is from closed forms to messages, which share ports, and belongs to contention, too. The last
/// level is the fidelity itself.
[[nodiscard]] std::vector<Step> levels_of(Fidelity fidelity, const Machine& machine);

/// The network without the effects that the level lacks.
[[nodiscard]] topology::NetworkDescription network_on(EffectLevel level,
                                                      const topology::NetworkDescription& network);

/// Runs workloads on the effect levels of one machine.
class EffectLevels {
public:
    /// Machine and progress must outlive this; `packet` as in RunOptions.
    EffectLevels(const Machine& machine, const PacketOptions& packet, GapProgress& progress)
        : machine_(machine), packet_(packet), progress_(progress) {}

    /// Wraps the network of the level.
    using Wrap =
        std::function<std::unique_ptr<engine::Network>(engine::Network&, engine::EventQueue&)>;

    /// Runs to the end. Throws StallError and InputError as simulate() does, and GapStopped.
    /// `fixed` may be null.
    [[nodiscard]] RunTimes run(const engine::Workload& workload, EffectLevel level,
                               const engine::FixedTimes* fixed = nullptr, const Wrap& wrap = {});

    /// Replays everything but communication, of which `fixed` must have all starts and ends: no
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
    /// By level; null before its first use, and for the machine's own network.
    std::vector<std::unique_ptr<topology::NetworkDescription>> descriptions_{11};
};

}  // namespace npunet::study
