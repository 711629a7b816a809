#include "generators/pipeline/stage_pipeline.h"

#include <fmt/format.h>

namespace npunet::generators {

namespace {

bool is_forward(const PipelineAction& action) {
    return action.kind == ActionKind::Forward;
}

}  // namespace

StagePipeline::StagePipeline(RoleBuilder& builder, const PipelineShape& shape, std::int64_t stage,
                             PipelinePeers peers, std::int64_t message_bytes)
    : builder_(builder),
      shape_(shape),
      stage_(stage),
      peers_(peers),
      message_bytes_(message_bytes) {}

std::int64_t StagePipeline::virtual_stage(const PipelineAction& action) const {
    return action.chunk * shape_.stages + stage_;
}

Message StagePipeline::message(const PipelineAction& action, std::int32_t peer,
                               std::int64_t boundary) const {
    const std::int64_t direction = is_forward(action) ? 0 : 1;
    const std::int64_t tag =
        (2 * action.micro_batch + direction) * (shape_.virtual_stages() - 1) + boundary;
    return {peer, message_bytes_, static_cast<std::int32_t>(tag)};
}

void StagePipeline::set_scope(const PipelineAction& action) {
    builder_.set_scope(shape_.chunks > 1
                           ? fmt::format("mb{}_chunk{}_", action.micro_batch, action.chunk)
                           : fmt::format("mb{}_", action.micro_batch));
}

Pending StagePipeline::receive(const PipelineAction& action) {
    const std::int64_t at = virtual_stage(action);
    set_scope(action);
    if (is_forward(action)) {
        return at == 0
                   ? Pending()
                   : builder_.receive("forward_receive", message(action, peers_.previous, at - 1));
    }
    return action.kind == ActionKind::WeightGradient || at + 1 == shape_.virtual_stages()
               ? Pending()
               : builder_.receive("backward_receive", message(action, peers_.next, at));
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
            last_forward_send_ =
                builder_.send("forward_send", message(action, peers_.next, at), last_forward_send_);
        }
    } else if (action.kind != ActionKind::WeightGradient && at > 0) {
        last_backward_send_ = builder_.send(
            "backward_send", message(action, peers_.previous, at - 1), last_backward_send_);
    }
}

void StagePipeline::run(const std::vector<PipelineAction>& actions, PipelineWork& work) {
    Pending next = actions.empty() ? Pending() : receive(actions.front());
    for (std::size_t i = 0; i < actions.size(); ++i) {
        const Pending input = next;
        next = i + 1 < actions.size() ? receive(actions[i + 1]) : Pending();
        builder_.wait(input);
        perform(actions[i], work);
        send(actions[i]);
    }
    builder_.wait(last_forward_send_);
    builder_.wait(last_backward_send_);
}

}  // namespace npunet::generators
