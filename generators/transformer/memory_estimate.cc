#include "generators/transformer/memory_estimate.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/thread_pool.h"
#include "generators/pipeline/schedule.h"
#include "generators/transformer/layer_split.h"
#include "generators/transformer/local_sizes.h"
#include "generators/transformer/parameter_sync.h"
#include "generators/transformer/rank_grid.h"
#include "generators/transformer/saved_activations.h"

namespace npunet::generators {

namespace {

/// `parameters` of a rank whose replicas are `replicas`.
StaticMemory static_memory(const DataTypes& types, const Plan& plan, std::int64_t parameters,
                           std::int64_t replicas) {
    const std::int64_t part = largest_share(parameters, replicas);
    StaticMemory memory;
    memory.parameters = parameters;
    memory.weights = (plan.zero >= 3 ? part : parameters) * types.weights;
    if (plan.trains()) {
        memory.gradients = (plan.zero >= 2 ? part : parameters) * types.gradients;
        memory.optimizer = (plan.zero >= 1 ? part : parameters) * types.optimizer;
    }
    return memory;
}

void add(StaticMemory& sum, const StaticMemory& more) {
    sum.parameters += more.parameters;
    sum.weights += more.weights;
    sum.gradients += more.gradients;
    sum.optimizer += more.optimizer;
}

/// What one chunk of a stage's layers keeps of a micro-batch.
struct ChunkMemory {
    std::int64_t embedding = 0;
    std::int64_t head = 0;
    std::vector<LayerMemory> layers;

    [[nodiscard]] std::int64_t kept() const {
        std::int64_t sum = embedding + head;
        for (const LayerMemory& layer : layers) {
            sum += layer.kept();
        }
        return sum;
    }
};

/// A backward pass beside what it began with: its largest moment, and its end.
struct BackwardMemory {
    std::int64_t most = 0;
    std::int64_t end = 0;
};

/// How far the moments at which recomputation has made a layer's tensors again go beyond the end of
/// the forward pass. By then the head and later layers are done, and where only the core is
/// recomputed, the layer's MLP half too.
BackwardMemory whole_backward(const Plan& plan, const ChunkMemory& chunk) {
    BackwardMemory memory;
    std::int64_t gone = chunk.head;
    for (auto layer = chunk.layers.rbegin(); layer != chunk.layers.rend(); ++layer) {
        const std::int64_t half = plan.recompute == Recompute::Selective ? layer->mlp : 0;
        memory.most = std::max(memory.most, layer->recomputed - gone - half);
        gone += layer->kept();
    }
    memory.end = -chunk.kept();
    return memory;
}

/// The same of the input's gradients alone. Weight gradients read both halves of a layer, so they
/// stay, and full recomputation's take the place of the layer's input.
BackwardMemory input_gradient(const Plan& plan, const ChunkMemory& chunk) {
    BackwardMemory memory;
    for (auto layer = chunk.layers.rbegin(); layer != chunk.layers.rend(); ++layer) {
        memory.most = std::max(memory.most, memory.end + layer->recomputed);
        if (plan.recompute == Recompute::Full) {
            memory.end += layer->recomputed - layer->input;
        }
    }
    return memory;
}

/// By chunk, of one micro-batch.
using MicroBatchMemory = std::vector<ChunkMemory>;

const ChunkMemory& memory_of(const PipelineAction& action,
                             const std::vector<MicroBatchMemory>& batches) {
    const std::int64_t batch = batches.size() == 1 ? 0 : action.micro_batch;
    return batches[static_cast<std::size_t>(batch)][static_cast<std::size_t>(action.chunk)];
}

/// Walks through the stage's schedule. `batches`: by micro-batch; a single one stands for all.
void add_passes(StageMemory& stage, const Plan& plan,
                const std::vector<MicroBatchMemory>& batches) {
    std::int64_t in_flight = 0;
    std::int64_t kept = 0;
    std::int64_t now = 0;
    std::int64_t most = 0;
    for (const PipelineAction& action : pipeline_actions(plan.pipeline(), stage.stage)) {
        const ChunkMemory& chunk = memory_of(action, batches);
        const BackwardMemory backward = action.kind == ActionKind::Backward
                                            ? whole_backward(plan, chunk)
                                            : input_gradient(plan, chunk);
        switch (action.kind) {
            case ActionKind::Forward:
                ++in_flight;
                kept += chunk.kept();
                now += chunk.kept();
                break;
            case ActionKind::Backward:
            case ActionKind::InputGradient:
                most = std::max(most, now + backward.most);
                now += backward.end;
                break;
            case ActionKind::WeightGradient:
                now -= chunk.kept() + backward.end;
                break;
        }
        if (action.kind == ActionKind::Backward || action.kind == ActionKind::WeightGradient) {
            --in_flight;
            kept -= chunk.kept();
        }
        most = std::max(most, now);
        stage.in_flight = std::max(stage.in_flight, in_flight);
        stage.kept = std::max(stage.kept, kept);
    }
    stage.working = most - stage.kept;
}

/// The same for inference, whose prompts fill the cache layer by layer; decoding finds it full.
void add_inference(StageMemory& stage, const Plan& plan,
                   const std::vector<MicroBatchMemory>& batches) {
    const bool fills = plan.mode == Mode::Prefill;
    std::int64_t cached = fills ? 0 : stage.cache;
    std::int64_t most = 0;
    for (const PipelineAction& action : pipeline_actions(plan.pipeline(), stage.stage)) {
        if (action.kind != ActionKind::Forward) {
            continue;
        }
        const ChunkMemory& chunk = memory_of(action, batches);
        for (const LayerMemory& layer : chunk.layers) {
            cached += fills ? layer.cache / plan.micro_batches() : 0;
            most = std::max(most, cached + layer.buffer);
        }
        most = std::max(most, cached + chunk.head);
    }
    stage.working = most - stage.cache;
}

}  // namespace

std::vector<ModelUnit> units_of_stage(const ModelSpec& model, const Plan& plan,
                                      std::int64_t stage) {
    const OwnParameters own = own_parameters(model, plan);
    const std::int64_t replicas = plan.dp * plan.cp;
    std::vector<ModelUnit> units;
    if (stage == 0) {
        units.push_back(
            {"embedding", -1,
             static_memory(model.dtypes, plan, own.token_embedding + own.positions, replicas)});
    }
    for (const std::int64_t layer : layers_of_stage(model, plan, stage)) {
        const bool sparse = model.is_moe_layer(layer);
        ModelUnit unit{
            fmt::format("layer{}", layer), layer,
            static_memory(model.dtypes, plan, sparse ? own.moe_layer : own.layer, replicas)};
        if (sparse) {
            add(unit.memory,
                static_memory(model.dtypes, plan, own.experts, plan.expert_replicas()));
            unit.memory.parameters += own.router_bias;
            unit.memory.weights += own.router_bias * model.dtypes.weights;
        }
        units.push_back(std::move(unit));
    }
    if (stage + 1 == plan.pp) {
        units.push_back(
            {"head", -1, static_memory(model.dtypes, plan, own.head + own.final_norm, replicas)});
    }
    return units;
}

LayerMemory layer_memory(const ModelSpec& model, const Plan& plan, std::int64_t number,
                         std::int64_t experts) {
    const LocalSizes local = local_sizes(model, plan);
    LayerMemory layer;
    if (!plan.trains()) {
        const std::int64_t tokens = plan.mode == Mode::Decode ? plan.context : plan.sequence;
        const std::int64_t width =
            local.latent_width > 0 ? model.cache_width() : local.keys_width + local.values_width;
        layer.cache = plan.batch / plan.dp * tokens * width * local.dtypes.activations;
        const InferenceBuffers buffers = inference_buffers(model, plan);
        layer.buffer =
            std::max(buffers.attention, model.is_moe_layer(number) ? experts : buffers.mlp);
        return layer;
    }
    const SavedTensors attention = saved_by_attention(local);
    layer.attention = bytes_of(attention);
    layer.core = bytes_of(saved_by_core(local));
    layer.mlp = model.is_moe_layer(number) ? experts : bytes_of(saved_by_mlp(local));
    switch (plan.recompute) {
        case Recompute::None:
            break;
        case Recompute::Selective:
            layer.recomputed = layer.core;
            layer.core = 0;
            break;
        case Recompute::Full:
            layer.input = attention.front().bytes();
            layer.recomputed = layer.attention + layer.core + layer.mlp - layer.input;
            layer.attention = layer.core = layer.mlp = 0;
            break;
    }
    return layer;
}

InferenceBuffers inference_buffers(const ModelSpec& model, const Plan& plan) {
    const LocalSizes local = local_sizes(model, plan);
    InferenceBuffers buffers;
    buffers.attention = bytes_of(saved_by_core(local)) + bytes_of(saved_by_attention(local));
    for (const SavedTensor& tensor : saved_by_attention(local)) {
        if (tensor.name == "keys" || tensor.name == "values") {
            buffers.attention -= tensor.bytes();
        }
    }
    buffers.mlp = bytes_of(saved_by_mlp(local));
    buffers.head = bytes_of(saved_by_head(local)) +
                   local.sequences * local.vocab * local.tp * local.dtypes.activations;
    return buffers;
}

namespace {

/// Sums up what one NPU needs, layer by layer.
class RankMemory {
public:
    RankMemory(const ModelSpec& model, const Plan& plan, const MoeAmounts* moe, Rank rank)
        : model_(model), plan_(plan), moe_(moe), local_(local_sizes(model, plan)) {
        memory_.stage = decoder_grid(plan).coordinate(rank, GridAxis::Pipeline);
        memory_.rank = rank;
    }

    StageMemory take() {
        for (const ModelUnit& unit : units_of_stage(model_, plan_, memory_.stage)) {
            add(memory_.fixed, unit.memory);
        }
        memory_.layers =
            static_cast<std::int64_t>(layers_of_stage(model_, plan_, memory_.stage).size());
        // One micro-batch stands for all where they are alike.
        const bool alike = moe_ == nullptr || moe_->even();
        std::vector<MicroBatchMemory> batches;
        for (std::int64_t i = 0; i < (alike ? 1 : plan_.micro_batches()); ++i) {
            batches.push_back(micro_batch(i));
        }
        if (plan_.trains()) {
            add_passes(memory_, plan_, batches);
        } else {
            add_inference(memory_, plan_, batches);
        }
        return memory_;
    }

private:
    [[nodiscard]] bool is_last() const { return memory_.stage + 1 == plan_.pp; }

    MicroBatchMemory micro_batch(std::int64_t number) {
        MicroBatchMemory chunks(static_cast<std::size_t>(plan_.vpp));
        std::int64_t decoder = 0;
        memory_.cache = 0;
        for (std::int64_t chunk = 0; chunk < plan_.vpp; ++chunk) {
            for (const std::int64_t i : layers_of_chunk(model_, plan_, memory_.stage, chunk)) {
                const LayerMemory layer = layer_memory(model_, plan_, i, experts(i, number));
                chunks[static_cast<std::size_t>(chunk)].layers.push_back(layer);
                decoder += layer.kept();
                memory_.cache += layer.cache;
            }
        }
        memory_.decoder = std::max(memory_.decoder, decoder);
        if (plan_.trains()) {
            chunks.front().embedding = memory_.embedding =
                memory_.stage == 0 ? bytes_of(saved_by_embedding(local_)) : 0;
            chunks.back().head = memory_.head =
                is_last() ? bytes_of(saved_by_head(local_)) + bytes_of(saved_logits(local_)) : 0;
        } else {
            chunks.back().head = is_last() ? inference_buffers(model_, plan_).head : 0;
        }
        return chunks;
    }

    /// What the experts of a layer keep; 0 for a dense one.
    std::int64_t experts(std::int64_t layer, std::int64_t micro_batch) {
        if (!model_.is_moe_layer(layer)) {
            return 0;
        }
        const std::int64_t bytes =
            moe_->of(memory_.rank, {MoeWork::Kept, layer, micro_batch}).bytes;
        if (bytes > most_) {
            most_ = bytes;
            memory_.most_copies = moe_->copies(memory_.rank, layer, micro_batch);
        }
        return bytes;
    }

    const ModelSpec& model_;
    const Plan& plan_;
    const MoeAmounts* moe_;
    LocalSizes local_;
    std::int64_t most_ = 0;
    StageMemory memory_;
};

}  // namespace

StageMemory memory_of_rank(const ModelSpec& model, const Plan& plan, const MoeAmounts* moe,
                           Rank rank) {
    return RankMemory(model, plan, moe, rank).take();
}

std::vector<StageMemory> memory_of_stages(const ModelSpec& model, const Plan& plan) {
    std::optional<MoeAmounts> moe;
    if (model.moe.experts > 0) {
        moe.emplace(model, plan);
    }
    const MoeAmounts* amounts = moe ? &*moe : nullptr;
    const bool alike = !moe || moe->even();
    std::vector<std::vector<Rank>> ranks(static_cast<std::size_t>(plan.pp));
    const AxisGrid grid = decoder_grid(plan);
    for (std::int64_t r = 0; r < plan.world(); ++r) {
        const Rank rank(static_cast<std::int32_t>(r));
        auto& stage = ranks[static_cast<std::size_t>(grid.coordinate(rank, GridAxis::Pipeline))];
        if (!alike || stage.empty()) {
            stage.push_back(rank);
        }
    }
    std::vector<StageMemory> stages;
    for (const std::vector<Rank>& stage : ranks) {
        std::vector<StageMemory> each(stage.size());
        for_each_in_parallel(stage.size(), [&](std::size_t i) {
            each[i] = memory_of_rank(model, plan, amounts, stage[i]);
        });
        stages.push_back(*std::max_element(
            each.begin(), each.end(),
            [](const StageMemory& a, const StageMemory& b) { return a.peak() < b.peak(); }));
    }
    return stages;
}

}  // namespace npunet::generators
