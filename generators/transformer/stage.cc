#include "generators/transformer/stage.h"

#include <fmt/format.h>

#include <string>

#include "generators/pipeline/stage_pipeline.h"
#include "generators/role_builder.h"
#include "generators/transformer/attention_block.h"
#include "generators/transformer/embedding_block.h"
#include "generators/transformer/gradient_sync.h"
#include "generators/transformer/head_block.h"
#include "generators/transformer/local_sizes.h"
#include "generators/transformer/mlp_block.h"
#include "generators/transformer/operation_costs.h"
#include "generators/transformer/rank_grid.h"

namespace npunet::generators {

namespace {

class StageBuilder : private PipelineWork {
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
        const std::int64_t boundary =
            local_.shard_tokens * local_.hidden * local_.dtypes.activations;
        const PipelineShape shape = plan_.pipeline();
        StagePipeline(builder_, shape, stage_, {previous_stage, next_stage}, boundary)
            .run(pipeline_actions(shape, stage_), *this);
        finish_step();
        return builder_.take();
    }

private:
    [[nodiscard]] bool is_first() const { return stage_ == 0; }
    [[nodiscard]] bool is_last() const { return stage_ + 1 == plan_.pp; }
    [[nodiscard]] bool has_embedding(std::int64_t chunk) const { return is_first() && chunk == 0; }
    [[nodiscard]] bool has_head(std::int64_t chunk) const {
        return is_last() && chunk + 1 == plan_.vpp;
    }
    [[nodiscard]] std::int64_t chunk_layers() const { return layers_ / plan_.vpp; }
    /// Number of a chunk's layer in the whole model: chunk c is virtual stage c pp + stage.
    [[nodiscard]] std::int64_t global(std::int64_t chunk, std::int64_t layer) const {
        return (chunk * plan_.pp + stage_) * chunk_layers() + layer;
    }

    void forward(std::int64_t micro_batch, std::int64_t chunk) override {
        builder_.set_scope(fmt::format("mb{}_", micro_batch));
        if (has_embedding(chunk)) {
            embedding_forward_pass(builder_, local_);
        }
        for (std::int64_t layer = 0; layer < chunk_layers(); ++layer) {
            builder_.set_scope(fmt::format("mb{}_layer{}_", micro_batch, global(chunk, layer)));
            attention_forward(builder_, local_);
            mlp_forward(builder_, local_);
        }
        builder_.set_scope(fmt::format("mb{}_", micro_batch));
        if (has_head(chunk)) {
            head_forward(builder_, local_);
        }
    }

    void backward(std::int64_t micro_batch, std::int64_t chunk) override {
        const bool completes_gradients = micro_batch + 1 == plan_.micro_batches();
        builder_.set_scope(fmt::format("mb{}_", micro_batch));
        if (has_head(chunk)) {
            head_backward(builder_, local_);
            if (completes_gradients) {
                complete("head", own_.head + own_.final_norm);
            }
        }
        for (std::int64_t layer = chunk_layers() - 1; layer >= 0; --layer) {
            const std::int64_t number = global(chunk, layer);
            builder_.set_scope(fmt::format("mb{}_layer{}_", micro_batch, number));
            mlp_backward(builder_, local_);
            attention_backward(builder_, local_);
            if (completes_gradients) {
                complete(fmt::format("layer{}", number), own_.layer);
            }
        }
        builder_.set_scope(fmt::format("mb{}_", micro_batch));
        if (has_embedding(chunk)) {
            embedding_backward_pass(builder_, local_);
            if (completes_gradients) {
                complete("embedding", own_.token_embedding + own_.positions);
            }
        }
    }

    /// A unit's gradients are complete when its last weight gradient is.
    void complete(const std::string& unit, std::int64_t parameters) {
        builder_.deferrable([this, unit, parameters] { gradients_.ready(unit, parameters); });
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
};

}  // namespace

Role stage_role(const ModelSpec& model, const Plan& plan, std::int64_t stage) {
    return StageBuilder(model, plan, stage).build();
}

}  // namespace npunet::generators
