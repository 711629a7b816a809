#include "generators/transformer/training_step.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "generators/pipeline/stage_pipeline.h"
#include "generators/role_builder.h"
#include "generators/transformer/decoder_layer.h"
#include "generators/transformer/embedding_and_head.h"
#include "generators/transformer/layer_split.h"
#include "generators/transformer/local_sizes.h"
#include "generators/transformer/memory_tensors.h"
#include "generators/transformer/moe_amounts.h"
#include "generators/transformer/moe_block.h"
#include "generators/transformer/operation_costs.h"
#include "generators/transformer/parameter_sync.h"
#include "generators/transformer/rank_grid.h"

namespace npunet::generators {

namespace {

/// Names: mb3_layer2_attention_qkv_forward (micro-batch, decoder layer of the whole model,
/// operation), mb3_forward_send (mb3_chunk1_forward_send with several chunks a stage),
/// layer2_gradients_all_reduce, optimizer_step. Stage p holds the layers of its chunks
/// (layer_split.h).
class StageBuilder : private PipelineWork {
public:
    StageBuilder(const ModelSpec& model, const Plan& plan, std::int64_t stage,
                 const MoeAmounts* moe)
        : model_(model),
          plan_(plan),
          stage_(stage),
          local_(local_sizes(model, plan)),
          own_(own_parameters(model, plan)),
          builder_(RankGrid(model, plan).group_sizes()),
          parameters_(builder_, model.dtypes, plan) {
        if (moe != nullptr) {
            const std::int64_t first = stage * decoder_grid(plan).stride(GridAxis::Pipeline);
            moe_.emplace(model, plan, *moe, Rank(static_cast<std::int32_t>(first)));
        }
        for (std::int64_t chunk = 0; chunk < plan.vpp; ++chunk) {
            chunks_.push_back(layers_of_chunk(model, plan, stage, chunk));
        }
        add_units();
    }

    /// `uses` as another build() of the same stage has recorded them; only zero 3 looks at them.
    Role build(std::vector<std::string> uses) {
        parameters_.expect(std::move(uses));
        if (plan_.trains()) {
            parameters_.begin_step();
        }
        if (local_.full_ops) {
            builder_.set_scope("");
            builder_.compute("gradient_zeroing",
                             gradient_zeroing(parameters_.gradient_parameters(), local_.dtypes));
        }
        const std::int64_t boundary =
            local_.shard_tokens * local_.hidden * local_.dtypes.activations;
        const PipelineShape shape = plan_.pipeline();
        StagePipeline(builder_, shape, stage_,
                      {{{previous_stage, boundary}}, {{next_stage, boundary}}})
            .run(actions(), *this);
        if (plan_.trains()) {
            finish_step();
        }
        return builder_.take();
    }

    [[nodiscard]] const std::vector<std::string>& uses() const { return parameters_.recorded(); }

private:
    void add_units() {
        if (is_first()) {
            parameters_.add_unit("embedding", {own_.token_embedding + own_.positions, 0});
        }
        for (const std::int64_t layer : layers_of_stage(model_, plan_, stage_)) {
            const bool experts = model_.is_moe_layer(layer);
            parameters_.add_unit(
                fmt::format("layer{}", layer),
                {experts ? own_.moe_layer : own_.layer, experts ? own_.experts : 0});
        }
        if (is_last()) {
            parameters_.add_unit("head", {own_.head + own_.final_norm, 0});
        }
    }

    /// Inference has the forward passes of the schedule.
    [[nodiscard]] std::vector<PipelineAction> actions() const {
        std::vector<PipelineAction> list = pipeline_actions(plan_.pipeline(), stage_);
        if (!plan_.trains()) {
            list.erase(std::remove_if(list.begin(), list.end(),
                                      [](const PipelineAction& action) {
                                          return action.kind != ActionKind::Forward;
                                      }),
                       list.end());
        }
        return list;
    }

    /// What follows belongs to `unit` and needs its weights.
    void enter(const std::string& unit, std::int64_t micro_batch, const std::string& scope = "") {
        const std::string prefix = fmt::format("mb{}_", micro_batch);
        parameters_.use(unit, prefix);
        builder_.set_scope(prefix + scope);
    }

    /// The backward pass of `unit` is done: its gradients are when its last weight gradient is.
    void leave(const std::string& unit, std::int64_t micro_batch) {
        builder_.deferrable([this, unit, micro_batch] {
            parameters_.ready(unit, fmt::format("mb{}_", micro_batch),
                              micro_batch + 1 == plan_.micro_batches());
        });
    }

    [[nodiscard]] bool is_first() const { return stage_ == 0; }
    [[nodiscard]] bool is_last() const { return stage_ + 1 == plan_.pp; }
    [[nodiscard]] bool has_embedding(std::int64_t chunk) const { return is_first() && chunk == 0; }
    [[nodiscard]] bool has_head(std::int64_t chunk) const {
        return is_last() && chunk + 1 == plan_.vpp;
    }
    /// By their numbers in the whole model.
    [[nodiscard]] const std::vector<std::int64_t>& layers_of(std::int64_t chunk) const {
        return chunks_[static_cast<std::size_t>(chunk)];
    }
    /// The MLP of a layer, or its experts.
    void feed_forward(std::int64_t layer, std::int64_t micro_batch) {
        if (model_.is_moe_layer(layer)) {
            moe_->forward(builder_, layer, micro_batch, local_.cast_weights);
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

    /// Full recomputation of a layer whose backward pass comes next.
    void recompute(std::int64_t layer, std::int64_t micro_batch) {
        if (plan_.recompute != Recompute::Full) {
            return;
        }
        local_.cast_weights = false;
        builder_.set_scope(fmt::format("mb{}_layer{}_recompute_", micro_batch, layer));
        attention_forward(builder_, local_);
        feed_forward(layer, micro_batch);
        builder_.set_scope(fmt::format("mb{}_layer{}_", micro_batch, layer));
    }

    /// Parameters that every tp rank holds but of which it sees the gradient of its tokens only.
    [[nodiscard]] std::int64_t partly_seen() const {
        std::int64_t sum = local_.sequence_parallel && is_last() ? own_.final_norm : 0;
        for (const std::int64_t layer : layers_of_stage(model_, plan_, stage_)) {
            const bool experts = model_.is_moe_layer(layer);
            if (local_.sequence_parallel) {
                sum += experts ? own_.moe_layer_replicated : own_.layer_replicated;
            } else {
                sum += own_.head_norms + (experts ? own_.router : 0);
            }
        }
        return sum;
    }

    void forward(std::int64_t micro_batch, std::int64_t chunk) override {
        local_.cast_weights = micro_batch == 0;
        if (has_embedding(chunk)) {
            enter("embedding", micro_batch);
            embedding_forward_pass(builder_, local_);
        }
        for (const std::int64_t number : layers_of(chunk)) {
            const std::string unit = fmt::format("layer{}", number);
            enter(unit, micro_batch, unit + "_");
            attention_forward(builder_, local_);
            feed_forward(number, micro_batch);
        }
        if (has_head(chunk)) {
            enter("head", micro_batch);
            if (plan_.trains()) {
                head_forward(builder_, local_);
            } else {
                head_last_tokens(builder_, local_);
            }
        }
    }

    void backward(std::int64_t micro_batch, std::int64_t chunk) override {
        if (has_head(chunk)) {
            enter("head", micro_batch);
            head_backward(builder_, local_);
            leave("head", micro_batch);
        }
        const std::vector<std::int64_t>& layers = layers_of(chunk);
        for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer) {
            const std::int64_t number = *layer;
            const std::string unit = fmt::format("layer{}", number);
            enter(unit, micro_batch, unit + "_");
            recompute(number, micro_batch);
            feed_backward(number, micro_batch);
            attention_backward(builder_, local_);
            leave(unit, micro_batch);
        }
        if (has_embedding(chunk)) {
            enter("embedding", micro_batch);
            embedding_backward_pass(builder_, local_);
            leave("embedding", micro_batch);
        }
    }

    /// What follows the last backward, in the order of Megatron-LM's finalize_model_grads.
    void finish_step() {
        parameters_.finish_gradients();
        builder_.collective(local_.sequence_parallel ? "sequence_parallel_gradients_all_reduce"
                            : own_.head_norms > 0    ? "replicated_gradients_all_reduce"
                                                     : "router_gradients_all_reduce",
                            {tensor_group, chakra::CollectiveType::AllReduce,
                             parameters_.gradient_elements(partly_seen()) * local_.dtypes.gradients,
                             element_type(local_.dtypes.gradients)});
        if (is_first() || is_last()) {
            builder_.collective(
                "tied_embedding_gradients_all_reduce",
                {embedding_group, chakra::CollectiveType::AllReduce,
                 parameters_.gradient_elements(own_.token_embedding) * local_.dtypes.gradients,
                 element_type(local_.dtypes.gradients)});
        }
        if (local_.full_ops) {
            clip_gradients();
        }
        builder_.compute("optimizer_step",
                         optimizer_step(parameters_.optimizer_parameters(), local_.dtypes));
        parameters_.finish_step();
    }

    /// By their norm over the ranks that share the model, as far as they have a group: stages of a
    /// pipeline have none. Shards of the distributed optimizer differ from replica to replica,
    /// experts from member to member of their group. The number is padded to 16 bytes for each
    /// member: parts of all chunks are equal then, and ranks stay alike.
    void clip_gradients() {
        const std::int64_t parameters = parameters_.optimizer_parameters();
        builder_.compute("gradient_norm", gradient_norm(parameters, local_.dtypes));
        constexpr std::int64_t part_bytes = 16;
        const auto sum = [this](const char* name, std::int32_t slot) {
            builder_.collective(name, {slot, chakra::CollectiveType::AllReduce,
                                       part_bytes * builder_.group_size(slot), DataType::Fp32});
        };
        sum("gradient_norm_tensor_all_reduce", tensor_group);
        if (plan_.zero > 0) {
            sum("gradient_norm_replicas_all_reduce", gradient_group);
        } else {
            sum("gradient_norm_experts_all_reduce", expert_group);
        }
        builder_.compute("gradient_clipping", gradient_clipping(parameters, local_.dtypes));
    }

    const ModelSpec& model_;
    const Plan& plan_;
    std::int64_t stage_;
    LocalSizes local_;
    OwnParameters own_;
    std::vector<std::vector<std::int64_t>> chunks_;
    RoleBuilder builder_;
    ParameterSync parameters_;
    std::optional<MoeBlock> moe_;
};

/// The step of one pipeline stage, as a role that all its ranks share. `moe` is null for a model
/// without experts.
Role stage_role(const ModelSpec& model, const Plan& plan, std::int64_t stage,
                const MoeAmounts* moe) {
    std::vector<std::string> uses;
    if (plan.zero == 3) {
        StageBuilder rehearsal(model, plan, stage, moe);
        static_cast<void>(rehearsal.build({}));
        uses = rehearsal.uses();
    }
    Role role = StageBuilder(model, plan, stage, moe).build(std::move(uses));
    name_tensors(role, model, plan, stage, moe);
    return role;
}

}  // namespace

GeneratedWorkload generate(const ModelSpec& model, const Plan& plan) {
    const Plan resolved = resolve_plan(model, plan);
    const RankGrid grid(model, resolved);
    // Shared with the workload, which asks for amounts rank by rank.
    std::shared_ptr<const MoeAmounts> moe;
    if (model.moe.experts > 0) {
        moe = std::make_shared<const MoeAmounts>(model, resolved);
    }
    std::vector<Role> roles;
    for (std::int64_t stage = 0; stage < resolved.pp; ++stage) {
        roles.push_back(stage_role(model, resolved, stage, moe.get()));
    }
    std::vector<RankGroup> groups = grid.groups();
    std::vector<RankBinding> bindings = grid.bindings(groups);
    AmountsOfRank amounts;
    if (moe != nullptr && !moe->even()) {
        amounts = [moe](Rank rank, std::int32_t number) { return moe->of(rank, number); };
    }
    return {std::move(groups), std::move(roles), std::move(bindings), std::move(amounts)};
}

}  // namespace npunet::generators
