// What a pipeline stage does in which order: computing and exchanging with its neighbours.
//
//     pipeline_actions(Schedule::OneForwardOneBackward, 0, 2, 3)
//     // F0 send  F1 send recv B0  F2 send recv B1  recv B2
#pragma once

#include <cstdint>
#include <vector>

#include "generators/transformer/plan.h"

namespace npunet::generators {

enum class ActionKind {
    ReceiveForward,  ///< activations from the previous stage
    Forward,
    SendForward,      ///< activations to the next stage
    ReceiveBackward,  ///< their gradients from the next stage
    Backward,
    SendBackward  ///< gradients to the previous stage
};

struct PipelineAction {
    ActionKind kind = ActionKind::Forward;
    std::int64_t micro_batch = 0;
};

/// Exchanges between two computing actions form one batch: they start together, and the next
/// computing action waits for all of them (Megatron-LM's batched p2p).
///
/// 1F1B (Megatron-LM's forward_backward_pipelining_without_interleaving): min(pp - 1 - stage, m)
/// warm-up forwards, then one forward and one backward in turn, then the remaining backwards; so at
/// most min(m, pp - stage) micro-batches are in flight. GPipe: all forwards, then all backwards,
/// both in ascending order. 0 <= stage < stages, micro_batches >= 1.
[[nodiscard]] std::vector<PipelineAction> pipeline_actions(Schedule schedule, std::int64_t stage,
                                                           std::int64_t stages,
                                                           std::int64_t micro_batches);

}  // namespace npunet::generators
