// Every kernel, copy and set of a profile in exactly one class: what it does, in which phase of the
// training step, and for communication along which dimension of parallelism.
//
//     const KernelClasses classes = classify(trace, PatternTable(), groups_file);
//     for (const ClassifiedKernel& kernel : classes.kernels) {
//         time[class_name(kernel)] += trace.duration_ns[kernel.event];
//     }
//
// Kind: memory for events that Kineto categorises as copies or sets, regardless of their name. A
// kernel is communication if its name is one of a collective library (kernel_comm) or the profiler
// recorded the arguments of a collective, memory if it matches the user's kernel_mem patterns, else
// computation.
//
// KernelPhase: by the Python frames around the launch. The outermost frame of a forward or backward
// step, of a send or receive of the pipeline, of data parallelism or of the optimizer decides;
// forward and backward steps within each other count innermost; recomputation within a backward
// step is one of its own. What autograd's thread launches while a backward step runs on another is
// backward. Without frames of steps: Optimizer.step annotations are the optimizer, autograd's
// thread and what its engine evaluates are backward, and other operations that autograd has
// recorded (with a Sequence number) are forward.
//
// ParallelDimension: by the description of the process group, else by its name or ranks in the
// profile's list of groups and in the run's file of groups, else by the frames (a pipeline frame:
// pp; a frame of data parallelism: dp; in a forward or backward step tp, if the run has neither
// experts nor context parallelism), else unknown.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/nesting.h"
#include "analysis/parallel_dimension.h"
#include "analysis/patterns.h"

namespace npunet::analysis {

enum class KernelKind : std::uint8_t { Computation, Communication, Memory };
enum class KernelPhase : std::uint8_t {
    Forward,
    Backward,
    Recompute,
    Pipeline,   ///< in a send or receive of the pipeline, outside a step of forward or backward
    Gradients,  ///< in frames of data parallelism, outside such a step
    Optimizer,
    Other
};
inline constexpr std::size_t phase_count = 7;

/// "fwd", "bwd", "recompute", "pipeline", "gradients", "optimizer", "other".
[[nodiscard]] std::string_view name_of(KernelPhase phase);

struct ClassifiedKernel {
    EventId event = no_event;
    EventId launch = no_event;      ///< no_event: the profile has none
    EventId step = no_event;        ///< the frame of the forward or backward step
    std::int32_t micro_batch = -1;  ///< of its phase, from 0 by start of the step; -1: none
    KernelKind kind = KernelKind::Computation;
    KernelPhase phase = KernelPhase::Other;
    ParallelDimension dimension = ParallelDimension::None;
    const profiles::CollectiveArgs* collective = nullptr;  ///< in the trace; null: not known
};

/// How the phases were found.
enum class PhaseSource : std::uint8_t {
    Frames,    ///< Python frames
    Autograd,  ///< flows and sequence numbers: no micro-batches
    Nothing    ///< neither: everything is other
};

struct KernelClasses {
    std::vector<ClassifiedKernel> kernels;  ///< by start
    PhaseSource source = PhaseSource::Nothing;
    std::int32_t forward_steps = 0;  ///< micro-batches of the forward pass
    std::int32_t backward_steps = 0;
    std::uint64_t without_launch = 0;        ///< kernels whose launch is not in the file
    std::uint64_t without_dimension = 0;     ///< communication of dimension unknown
    std::uint64_t dimensions_by_frames = 0;  ///< communication whose dimension is a guess by frames
    std::uint64_t partial_overlaps = 0;      ///< Nesting::overlaps()
};

/// The arguments of collectives point into the trace, which has to outlive the result.
[[nodiscard]] KernelClasses classify(const EventTable& trace, const PatternTable& patterns,
                                     const profiles::ParallelGroupsFile* groups);

/// "fwd_computation", "bwd_tp_communication", "other_memory": phase, dimension and kind.
[[nodiscard]] std::string class_name(const ClassifiedKernel& kernel);

}  // namespace npunet::analysis
