#include "generators/transformer/stage.h"

#include <fmt/format.h>

#include <vector>

#include "generators/role_builder.h"
#include "generators/transformer/attention_block.h"
#include "generators/transformer/embedding_block.h"
#include "generators/transformer/gradient_sync.h"
#include "generators/transformer/head_block.h"
#include "generators/transformer/local_sizes.h"
#include "generators/transformer/memory_tensors.h"
#include "generators/transformer/mlp_block.h"
#include "generators/transformer/operation_costs.h"
#include "generators/transformer/pipeline_schedule.h"
#include "generators/transformer/rank_grid.h"

namespace npunet::generators {

namespace {

bool is_forward(ActionKind kind) {
    return kind == ActionKind::ReceiveForward || kind == ActionKind::Forward ||
           kind == ActionKind::SendForward;
}

class StageBuilder {
public:
    StageBuilder(const ModelSpec& model, const Plan& plan, std::int64_t stage)
        : plan_(plan),
          stage_(stage),
          local_(local_sizes(model, plan)),
          own_(own_parameters(model, plan)),
          layers_(model.layers / plan.pp),
          builder_(RankGrid(model, plan).group_sizes()),
          gradients_(builder_, model.dtypes.gradients, plan.overlap_grad_reduce) {}

    Role build() {
        const Schedule schedule = plan_.trains() ? plan_.schedule : Schedule::GPipe;
        for (const PipelineAction& action :
             pipeline_actions(schedule, stage_, plan_.pp, plan_.micro_batches())) {
            if (plan_.trains() || is_forward(action.kind)) {
                perform(action);
            }
        }
        wait_for_exchange();
        if (plan_.trains()) {
            finish_step();
        }
        return builder_.take();
    }

private:
    [[nodiscard]] bool is_first() const { return stage_ == 0; }
    [[nodiscard]] bool is_last() const { return stage_ + 1 == plan_.pp; }
    /// Number of the stage's layer in the whole model.
    [[nodiscard]] std::int64_t global(std::int64_t layer) const { return stage_ * layers_ + layer; }

    void perform(const PipelineAction& action) {
        switch (action.kind) {
            case ActionKind::Forward:
                wait_for_exchange();
                forward(action.micro_batch);
                break;
            case ActionKind::Backward:
                wait_for_exchange();
                backward(action.micro_batch);
                break;
            default:
                exchange(action);
        }
    }

    void wait_for_exchange() {
        for (const Pending message : exchange_) {
            builder_.wait(message);
        }
        exchange_.clear();
    }

    void exchange(const PipelineAction& action) {
        builder_.set_scope(fmt::format("mb{}_", action.micro_batch));
        switch (action.kind) {
            case ActionKind::SendForward:
                exchange_.push_back(
                    builder_.send("forward_send", message(action, next_stage, stage_)));
                break;
            case ActionKind::ReceiveForward:
                exchange_.push_back(builder_.receive("forward_receive",
                                                     message(action, previous_stage, stage_ - 1)));
                break;
            case ActionKind::SendBackward:
                exchange_.push_back(
                    builder_.send("backward_send", message(action, previous_stage, stage_ - 1)));
                break;
            default:
                exchange_.push_back(
                    builder_.receive("backward_receive", message(action, next_stage, stage_)));
        }
    }

    /// Activations, or their gradients, across the boundary between stages b and b + 1. The tag is
    /// unique in the step for every micro-batch, direction and boundary.
    [[nodiscard]] Message message(const PipelineAction& action, std::int32_t peer,
                                  std::int64_t boundary) const {
        const bool backwards =
            action.kind == ActionKind::SendBackward || action.kind == ActionKind::ReceiveBackward;
        const std::int64_t tag =
            (2 * action.micro_batch + (backwards ? 1 : 0)) * (plan_.pp - 1) + boundary;
        return {peer, local_.shard_tokens * local_.hidden * local_.dtypes.activations,
                static_cast<std::int32_t>(tag)};
    }

    void forward(std::int64_t micro_batch) {
        builder_.set_scope(fmt::format("mb{}_", micro_batch));
        if (is_first()) {
            embedding_forward_pass(builder_, local_);
        }
        for (std::int64_t layer = 0; layer < layers_; ++layer) {
            builder_.set_scope(fmt::format("mb{}_layer{}_", micro_batch, global(layer)));
            attention_forward(builder_, local_);
            mlp_forward(builder_, local_);
        }
        builder_.set_scope(fmt::format("mb{}_", micro_batch));
        if (is_last() && plan_.trains()) {
            head_forward(builder_, local_);
        } else if (is_last()) {
            head_last_tokens(builder_, local_);
        }
    }

    void backward(std::int64_t micro_batch) {
        const bool completes_gradients = micro_batch + 1 == plan_.micro_batches();
        builder_.set_scope(fmt::format("mb{}_", micro_batch));
        if (is_last()) {
            head_backward(builder_, local_);
            if (completes_gradients) {
                gradients_.ready("head", own_.head + own_.final_norm);
            }
        }
        for (std::int64_t layer = layers_ - 1; layer >= 0; --layer) {
            if (plan_.recompute == Recompute::Full) {
                builder_.set_scope(
                    fmt::format("mb{}_layer{}_recompute_", micro_batch, global(layer)));
                attention_forward(builder_, local_);
                mlp_forward(builder_, local_);
            }
            builder_.set_scope(fmt::format("mb{}_layer{}_", micro_batch, global(layer)));
            mlp_backward(builder_, local_);
            attention_backward(builder_, local_);
            if (completes_gradients) {
                gradients_.ready(fmt::format("layer{}", global(layer)), own_.layer);
            }
        }
        builder_.set_scope(fmt::format("mb{}_", micro_batch));
        if (is_first()) {
            embedding_backward_pass(builder_, local_);
            if (completes_gradients) {
                gradients_.ready("embedding", own_.token_embedding + own_.positions);
            }
        }
    }

    /// What follows the last backward, in the order of Megatron-LM's finalize_model_grads.
    void finish_step() {
        gradients_.finish();
        if (local_.sequence_parallel) {
            const std::int64_t replicated =
                layers_ * own_.layer_replicated + (is_last() ? own_.final_norm : 0);
            builder_.collective("sequence_parallel_gradients_all_reduce",
                                {tensor_group, chakra::CollectiveType::AllReduce,
                                 replicated * local_.dtypes.gradients});
        }
        if (is_first() || is_last()) {
            builder_.collective("tied_embedding_gradients_all_reduce",
                                {embedding_group, chakra::CollectiveType::AllReduce,
                                 own_.token_embedding * local_.dtypes.gradients});
        }
        std::int64_t parameters = layers_ * own_.layer;
        parameters += is_first() ? own_.token_embedding + own_.positions : 0;
        parameters += is_last() ? own_.head + own_.final_norm : 0;
        builder_.compute("optimizer_step", optimizer_step(parameters, local_.dtypes));
    }

    const Plan& plan_;
    std::int64_t stage_;
    LocalSizes local_;
    OwnParameters own_;
    std::int64_t layers_;
    RoleBuilder builder_;
    GradientSync gradients_;
    std::vector<Pending> exchange_;
};

}  // namespace

Role stage_role(const ModelSpec& model, const Plan& plan, std::int64_t stage) {
    Role role = StageBuilder(model, plan, stage).build();
    name_tensors(role, model, plan, stage);
    return role;
}

}  // namespace npunet::generators
