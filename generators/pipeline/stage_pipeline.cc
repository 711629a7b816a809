#include "generators/pipeline/stage_pipeline.h"

#include <fmt/format.h>

#include <utility>

namespace npunet::generators {

namespace {

bool is_forward(const PipelineAction& action) {
    return action.kind == ActionKind::Forward;
}

}  // namespace

StagePipeline::StagePipeline(RoleBuilder& builder, const PipelineShape& shape, std::int64_t stage,
                             PipelinePeers peers)
    : builder_(builder),
      shape_(shape),
      stage_(stage),
      peers_(std::move(peers)),
      last_forward_sends_(peers_.next.size()),
      last_backward_sends_(peers_.previous.size()) {}

std::int64_t StagePipeline::virtual_stage(const PipelineAction& action) const {
    return action.chunk * shape_.stages + stage_;
}

std::int32_t StagePipeline::tag_of(const PipelineAction& action, std::int64_t boundary) const {
    const std::int64_t direction = is_forward(action) ? 0 : 1;
    return static_cast<std::int32_t>(
        (2 * action.micro_batch + direction) * (shape_.virtual_stages() - 1) + boundary);
}

void StagePipeline::set_scope(const PipelineAction& action) {
    builder_.set_scope(shape_.chunks > 1
                           ? fmt::format("mb{}_chunk{}_", action.micro_batch, action.chunk)
                           : fmt::format("mb{}_", action.micro_batch));
}

StagePipeline::Transfers StagePipeline::receive(const PipelineAction& action) {
    const std::int64_t at = virtual_stage(action);
    set_scope(action);
    if (is_forward(action)) {
        return at == 0 ? Transfers()
                       : receive("forward_receive", peers_.previous, tag_of(action, at - 1));
    }
    return action.kind == ActionKind::WeightGradient || at + 1 == shape_.virtual_stages()
               ? Transfers()
               : receive("backward_receive", peers_.next, tag_of(action, at));
}

StagePipeline::Transfers StagePipeline::receive(const char* name,
                                                const std::vector<PipelinePeer>& peers,
                                                std::int32_t tag) {
    Transfers transfers;
    for (const PipelinePeer& peer : peers) {
        transfers.push_back(builder_.receive(name, {peer.slot, peer.bytes, tag}));
    }
    return transfers;
}

void StagePipeline::send(const char* name, const std::vector<PipelinePeer>& peers, std::int32_t tag,
                         Transfers& last) {
    for (std::size_t i = 0; i < peers.size(); ++i) {
        last[i] = builder_.send(name, {peers[i].slot, peers[i].bytes, tag}, last[i]);
    }
}

void StagePipeline::wait(const Transfers& transfers) {
    for (const Pending transfer : transfers) {
        builder_.wait(transfer);
    }
}

void StagePipeline::perform(const PipelineAction& action, PipelineWork& work) {
    const Pass pass{action.micro_batch, action.chunk};
    switch (action.kind) {
        case ActionKind::Forward:
            work.forward(action.micro_batch, action.chunk);
            break;
        case ActionKind::Backward:
            work.backward(action.micro_batch, action.chunk);
            break;
        case ActionKind::InputGradient:
            builder_.start_deferring();
            work.backward(action.micro_batch, action.chunk);
            put_off_[pass] = builder_.stop_deferring();
            break;
        case ActionKind::WeightGradient:
            builder_.perform(put_off_[pass]);
            put_off_.erase(pass);
            break;
    }
}

void StagePipeline::send(const PipelineAction& action) {
    const std::int64_t at = virtual_stage(action);
    set_scope(action);
    if (is_forward(action)) {
        if (at + 1 < shape_.virtual_stages()) {
            send("forward_send", peers_.next, tag_of(action, at), last_forward_sends_);
        }
    } else if (action.kind != ActionKind::WeightGradient && at > 0) {
        send("backward_send", peers_.previous, tag_of(action, at - 1), last_backward_sends_);
    }
}

void StagePipeline::run(const std::vector<PipelineAction>& actions, PipelineWork& work) {
    Transfers next = actions.empty() ? Transfers() : receive(actions.front());
    for (std::size_t i = 0; i < actions.size(); ++i) {
        const Transfers input = std::move(next);
        next = i + 1 < actions.size() ? receive(actions[i + 1]) : Transfers();
        wait(input);
        perform(actions[i], work);
        send(actions[i]);
    }
    wait(last_forward_sends_);
    wait(last_backward_sends_);
}

}  // namespace npunet::generators
