// A pipeline stage at work: performs the actions of its schedule in order and exchanges activations
// and gradients with its neighbours. What a pass computes is the caller's.
//
//     class Layers : public PipelineWork { ... forward(...) { builder.compute(...); } ... };
//     StagePipeline pipeline(builder, shape, stage, {previous_stage, next_stage}, bytes);
//     pipeline.run(pipeline_actions(shape, stage), layers);
//
// Dependencies. The passes of a stage follow one another. Besides, a pass waits for what it
// receives and for nothing else: sends run beside the passes that follow, in order for each
// direction, and a receive is posted when the pass before its own begins (Megatron-LM's
// overlapping p2p). So on a network without cost the published bubbles hold exactly, and since no
// pass waits for a send, nothing can lock up even where a message needs its receive posted. What
// follows the pipeline waits for all sends.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "generators/pipeline/schedule.h"
#include "generators/role_builder.h"

namespace npunet::generators {

/// What the passes of one stage compute.
class PipelineWork {
public:
    virtual ~PipelineWork() = default;

    virtual void forward(std::int64_t micro_batch, std::int64_t chunk) = 0;
    /// The whole backward pass. Gives what only the weights' gradients need to
    /// RoleBuilder::deferrable(), which a schedule that splits the pass puts off.
    virtual void backward(std::int64_t micro_batch, std::int64_t chunk) = 0;
};

/// Slots of the neighbours in RankBinding::peers. With several chunks the previous stage of the
/// first one is the last one, and the next stage of the last one is the first one.
struct PipelinePeers {
    std::int32_t previous = 0;
    std::int32_t next = 1;
};

class StagePipeline {
public:
    /// `builder` must outlive this. A message carries `message_bytes`. Tags are unique in the step:
    /// (2 micro-batch + direction) (virtual stages - 1) + boundary, direction 1 for gradients and
    /// boundary b between the virtual stages b and b + 1.
    StagePipeline(RoleBuilder& builder, const PipelineShape& shape, std::int64_t stage,
                  PipelinePeers peers, std::int64_t message_bytes);

    void run(const std::vector<PipelineAction>& actions, PipelineWork& work);

private:
    using Pass = std::pair<std::int64_t, std::int64_t>;  // micro-batch, chunk

    [[nodiscard]] std::int64_t virtual_stage(const PipelineAction& action) const;
    [[nodiscard]] Message message(const PipelineAction& action, std::int32_t peer,
                                  std::int64_t boundary) const;
    void set_scope(const PipelineAction& action);
    [[nodiscard]] Pending receive(const PipelineAction& action);
    void perform(const PipelineAction& action, PipelineWork& work);
    void send(const PipelineAction& action);

    RoleBuilder& builder_;
    PipelineShape shape_;
    std::int64_t stage_;
    PipelinePeers peers_;
    std::int64_t message_bytes_;
    std::map<Pass, std::vector<DeferredStep>> put_off_;
    Pending last_forward_send_;
    Pending last_backward_send_;
};

}  // namespace npunet::generators
