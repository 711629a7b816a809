// A pipeline stage at work: performs the actions of its schedule in order and exchanges activations
// and gradients with its neighbours. What a pass computes is the caller's.
//
//     class Layers : public PipelineWork { ... forward(...) { builder.compute(...); } ... };
//     StagePipeline pipeline(builder, shape, stage, {{{previous, bytes}}, {{next, bytes}}});
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

/// A rank of a neighbouring stage, and what a micro-batch's message to it or from it carries.
struct PipelinePeer {
    std::int32_t slot = 0;  ///< in RankBinding::peers
    std::int64_t bytes = 0;
};

/// The ranks of the neighbours that this rank exchanges data with: one each where all stages have
/// as many replicas. With several chunks the previous stage of the first one is the last one, and
/// the next stage of the last one is the first one.
struct PipelinePeers {
    std::vector<PipelinePeer> previous;
    std::vector<PipelinePeer> next;
};

class StagePipeline {
public:
    /// `builder` must outlive this. Between two ranks, tags are unique in the step:
    /// (2 micro-batch + direction) (virtual stages - 1) + boundary, direction 1 for gradients and
    /// boundary b between the virtual stages b and b + 1.
    StagePipeline(RoleBuilder& builder, const PipelineShape& shape, std::int64_t stage,
                  PipelinePeers peers);

    void run(const std::vector<PipelineAction>& actions, PipelineWork& work);

private:
    using Pass = std::pair<std::int64_t, std::int64_t>;  // micro-batch, chunk

    [[nodiscard]] std::int64_t virtual_stage(const PipelineAction& action) const;
    /// Under way; one for each peer.
    using Transfers = std::vector<Pending>;

    [[nodiscard]] std::int32_t tag_of(const PipelineAction& action, std::int64_t boundary) const;
    void set_scope(const PipelineAction& action);
    [[nodiscard]] Transfers receive(const PipelineAction& action);
    [[nodiscard]] Transfers receive(const char* name, const std::vector<PipelinePeer>& peers,
                                    std::int32_t tag);
    void send(const char* name, const std::vector<PipelinePeer>& peers, std::int32_t tag,
              Transfers& last);
    void wait(const Transfers& transfers);
    void perform(const PipelineAction& action, PipelineWork& work);
    void send(const PipelineAction& action);

    RoleBuilder& builder_;
    PipelineShape shape_;
    std::int64_t stage_;
    PipelinePeers peers_;
    std::map<Pass, std::vector<DeferredStep>> put_off_;
    Transfers last_forward_sends_;
    Transfers last_backward_sends_;
};

}  // namespace npunet::generators
