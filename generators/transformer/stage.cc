#include "generators/transformer/stage.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "generators/role_builder.h"
#include "generators/transformer/attention_block.h"
#include "generators/transformer/embedding_block.h"
#include "generators/transformer/head_block.h"
#include "generators/transformer/local_sizes.h"
#include "generators/transformer/mlp_block.h"
#include "generators/transformer/moe_block.h"
#include "generators/transformer/operation_costs.h"
#include "generators/transformer/parameter_sync.h"
#include "generators/transformer/pipeline_schedule.h"
#include "generators/transformer/rank_grid.h"

namespace npunet::generators {

namespace {

class StageBuilder {
public:
    StageBuilder(const ModelSpec& model, const Plan& plan, std::int64_t stage,
                 const MoeAmounts* moe)
        : model_(model),
          plan_(plan),
          stage_(stage),
          local_(local_sizes(model, plan)),
          own_(own_parameters(model, plan)),
          layers_(model.layers / plan.pp),
          builder_(RankGrid(model, plan).group_sizes()),
          parameters_(builder_, model.dtypes, plan) {
        if (moe != nullptr) {
            const std::int64_t first = stage * decoder_grid(plan).stride(GridAxis::Pipeline);
            moe_.emplace(model, plan, *moe, Rank(static_cast<std::int32_t>(first)));
        }
        add_units();
    }

    /// `uses` as another build() of the same stage has recorded them; only zero 3 looks at them.
    Role build(std::vector<std::string> uses) {
        parameters_.expect(std::move(uses));
        parameters_.begin_step();
        for (const PipelineAction& action :
             pipeline_actions(plan_.schedule, stage_, plan_.pp, plan_.micro_batches())) {
            perform(action);
        }
        wait_for_exchange();
        finish_step();
        return builder_.take();
    }

    [[nodiscard]] const std::vector<std::string>& uses() const { return parameters_.recorded(); }

private:
    void add_units() {
        if (is_first()) {
            parameters_.add_unit("embedding", {own_.token_embedding + own_.positions, 0});
        }
        for (std::int64_t layer = 0; layer < layers_; ++layer) {
            const bool experts = model_.is_moe_layer(global(layer));
            parameters_.add_unit(
                fmt::format("layer{}", global(layer)),
                {experts ? own_.moe_layer : own_.layer, experts ? own_.experts : 0});
        }
        if (is_last()) {
            parameters_.add_unit("head", {own_.head + own_.final_norm, 0});
        }
    }

    /// What follows belongs to `unit` and needs its weights.
    void enter(const std::string& unit, std::int64_t micro_batch, const char* scope = "") {
        const std::string prefix = fmt::format("mb{}_", micro_batch);
        parameters_.use(unit, prefix);
        builder_.set_scope(prefix + scope);
    }

    /// The backward pass of `unit` is done.
    void leave(const std::string& unit, std::int64_t micro_batch) {
        parameters_.ready(unit, fmt::format("mb{}_", micro_batch),
                          micro_batch + 1 == plan_.micro_batches());
    }

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

    /// The MLP of a layer, or its experts.
    void feed_forward(std::int64_t layer, std::int64_t micro_batch) {
        if (model_.is_moe_layer(layer)) {
            moe_->forward(builder_, layer, micro_batch);
        } else {
            mlp_forward(builder_, local_);
        }
    }

    void feed_backward(std::int64_t layer, std::int64_t micro_batch) {
        if (model_.is_moe_layer(layer)) {
            moe_->backward(builder_, layer, micro_batch);
        } else {
            mlp_backward(builder_, local_);
        }
    }

    /// Parameters that every tp rank holds but of which it sees the gradient of its tokens only.
    [[nodiscard]] std::int64_t partly_seen() const {
        std::int64_t sum = local_.sequence_parallel && is_last() ? own_.final_norm : 0;
        for (std::int64_t layer = 0; layer < layers_; ++layer) {
            const bool experts = model_.is_moe_layer(global(layer));
            if (local_.sequence_parallel) {
                sum += experts ? own_.moe_layer_replicated : own_.layer_replicated;
            } else {
                sum += experts ? own_.router : 0;
            }
        }
        return sum;
    }

    void forward(std::int64_t micro_batch) {
        if (is_first()) {
            enter("embedding", micro_batch);
            embedding_forward_pass(builder_, local_);
        }
        for (std::int64_t layer = 0; layer < layers_; ++layer) {
            const std::string unit = fmt::format("layer{}", global(layer));
            enter(unit, micro_batch, (unit + "_").c_str());
            attention_forward(builder_, local_);
            feed_forward(global(layer), micro_batch);
        }
        if (is_last()) {
            enter("head", micro_batch);
            head_forward(builder_, local_);
        }
    }

    void backward(std::int64_t micro_batch) {
        if (is_last()) {
            enter("head", micro_batch);
            head_backward(builder_, local_);
            leave("head", micro_batch);
        }
        for (std::int64_t layer = layers_ - 1; layer >= 0; --layer) {
            const std::string unit = fmt::format("layer{}", global(layer));
            enter(unit, micro_batch, (unit + "_").c_str());
            feed_backward(global(layer), micro_batch);
            attention_backward(builder_, local_);
            leave(unit, micro_batch);
        }
        if (is_first()) {
            enter("embedding", micro_batch);
            embedding_backward_pass(builder_, local_);
            leave("embedding", micro_batch);
        }
    }

    /// What follows the last backward, in the order of Megatron-LM's finalize_model_grads.
    void finish_step() {
        parameters_.finish_gradients();
        builder_.collective(
            local_.sequence_parallel ? "sequence_parallel_gradients_all_reduce"
                                     : "router_gradients_all_reduce",
            {tensor_group, chakra::CollectiveType::AllReduce,
             parameters_.gradient_elements(partly_seen()) * local_.dtypes.gradients});
        if (is_first() || is_last()) {
            builder_.collective(
                "tied_embedding_gradients_all_reduce",
                {embedding_group, chakra::CollectiveType::AllReduce,
                 parameters_.gradient_elements(own_.token_embedding) * local_.dtypes.gradients});
        }
        builder_.compute("optimizer_step",
                         optimizer_step(parameters_.optimizer_parameters(), local_.dtypes));
        parameters_.finish_step();
    }

    const ModelSpec& model_;
    const Plan& plan_;
    std::int64_t stage_;
    LocalSizes local_;
    OwnParameters own_;
    std::int64_t layers_;
    RoleBuilder builder_;
    ParameterSync parameters_;
    std::optional<MoeBlock> moe_;
    std::vector<Pending> exchange_;
};

}  // namespace

Role stage_role(const ModelSpec& model, const Plan& plan, std::int64_t stage,
                const MoeAmounts* moe) {
    std::vector<std::string> uses;
    if (plan.zero == 3) {
        StageBuilder rehearsal(model, plan, stage, moe);
        static_cast<void>(rehearsal.build({}));
        uses = rehearsal.uses();
    }
    return StageBuilder(model, plan, stage, moe).build(std::move(uses));
}

}  // namespace npunet::generators
