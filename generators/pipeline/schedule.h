// What a pipeline stage computes in which order.
//
//     PipelineShape shape;
//     shape.stages = 2;
//     shape.micro_batches = 3;
//     check_pipeline(shape, "Change --micro-batches");
//     pipeline_actions(shape, 0)   // F0 F1 B0 F2 B1 B2
//
// Sends and receives follow from that: chunk c of stage p is virtual stage c x stages + p, which
// takes activations from the virtual stage before it and gradients from the one after it. How the
// exchange waits is stage_pipeline.h's. docs/generators.md has pictures and bounds.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace npunet::generators {

/// In which order a pipeline stage works on its micro-batches.
enum class Schedule {
    GPipe,                  ///< all forward passes, then all backward passes (Huang et al. 2019)
    OneForwardOneBackward,  ///< 1F1B: at most pp - stage in flight (Narayanan et al. 2021)
    Interleaved,            ///< 1F1B over vpp chunks of layers a stage (Narayanan et al. 2021)
    ZeroBubble              ///< ZB-H1: weight gradients fill the bubble (Qi et al. 2023)
};

/// Every schedule with its name: "1f1b" (the default) first.
[[nodiscard]] const std::vector<std::pair<std::string, Schedule>>& schedules();
[[nodiscard]] std::vector<std::string> schedule_names();
/// The schedule of a name out of schedule_names().
[[nodiscard]] Schedule schedule_named(const std::string& name);
[[nodiscard]] std::string name_of(Schedule schedule);

struct PipelineShape {
    Schedule schedule = Schedule::OneForwardOneBackward;
    std::int64_t stages = 1;
    std::int64_t chunks = 1;  ///< virtual stages of a stage (vpp)
    std::int64_t micro_batches = 1;

    [[nodiscard]] std::int64_t virtual_stages() const { return stages * chunks; }
};

/// Throws InputError that names the numbers that clash: chunks without the interleaved schedule;
/// an interleaved schedule over one stage, or whose micro-batches are no multiple of the stages
/// (Megatron-LM's condition with groups of as many micro-batches as stages). `remedy` says how the
/// number of micro-batches changes. Counts below 1 are the caller's to refuse.
void check_pipeline(const PipelineShape& shape, const std::string& remedy);

enum class ActionKind : std::uint8_t {
    Forward,
    Backward,        ///< gradients of inputs and weights
    InputGradient,   ///< of a backward pass, what the previous stage waits for
    WeightGradient,  ///< the rest of it, later
};

struct PipelineAction {
    ActionKind kind = ActionKind::Forward;
    std::int64_t micro_batch = 0;
    std::int64_t chunk = 0;
};

/// What stage p = 0 .. stages - 1 does, m micro-batches long.
///
/// gpipe: all forwards, then all backwards, both in ascending order.
/// 1f1b (Megatron-LM's forward_backward_pipelining_without_interleaving): w = min(stages - 1 - p,
/// m) forwards, then a forward and a backward in turn, then the remaining backwards; so at most
/// min(m, stages - p) micro-batches are in flight.
/// interleaved (Megatron-LM's forward_backward_pipelining_with_interleaving): the same over a table
/// of micro-batches in groups of as many as stages, within a group chunk after chunk; backwards by
/// the same table with chunk v - 1 - c; w = min(m v, 2 (stages - 1 - p) + (v - 1) stages).
/// zero-bubble (ZB-H1): as 1f1b with input gradients for backwards, and behind input gradient i
/// the weight gradient of micro-batch i - p; the last p weight gradients at the end.
[[nodiscard]] std::vector<PipelineAction> pipeline_actions(const PipelineShape& shape,
                                                           std::int64_t stage);

}  // namespace npunet::generators
