#include "generators/transformer/memory_estimate.h"

#include <fmt/format.h>

#include <algorithm>

#include "generators/pipeline/schedule.h"
#include "generators/transformer/local_sizes.h"
#include "generators/transformer/parameter_sync.h"
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

/// Walks through the stage's schedule.
void add_passes(StageMemory& stage, const Plan& plan, const std::vector<ChunkMemory>& chunks) {
    std::int64_t in_flight = 0;
    std::int64_t kept = 0;
    std::int64_t now = 0;
    std::int64_t most = 0;
    for (const PipelineAction& action : pipeline_actions(plan.pipeline(), stage.stage)) {
        const ChunkMemory& chunk = chunks[static_cast<std::size_t>(action.chunk)];
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
        }
        units.push_back(std::move(unit));
    }
    if (stage + 1 == plan.pp) {
        units.push_back(
            {"head", -1, static_memory(model.dtypes, plan, own.head + own.final_norm, replicas)});
    }
    return units;
}

LayerMemory layer_memory(const ModelSpec& model, const Plan& plan, std::int64_t number) {
    const LocalSizes local = local_sizes(model, plan);
    LayerMemory layer;
    if (!plan.trains()) {
        const std::int64_t tokens = plan.mode == Mode::Decode ? plan.context : plan.sequence;
        const std::int64_t width =
            local.latent_width > 0 ? model.cache_width() : local.keys_width + local.values_width;
        layer.cache = plan.batch / plan.dp * tokens * width * local.dtypes.activations;
        return layer;
    }
    const SavedTensors attention = saved_by_attention(local);
    layer.attention = bytes_of(attention);
    layer.core = bytes_of(saved_by_core(local));
    layer.mlp = bytes_of(model.is_moe_layer(number) ? saved_by_experts(local, model, plan)
                                                    : saved_by_mlp(local));
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
    if (model.moe.experts > 0) {
        buffers.experts = bytes_of(saved_by_experts(local, model, plan));
    }
    buffers.head = bytes_of(saved_by_head(local)) +
                   local.sequences * local.vocab * local.tp * local.dtypes.activations;
    return buffers;
}

std::vector<StageMemory> memory_of_stages(const ModelSpec& model, const Plan& plan) {
    const LocalSizes local = local_sizes(model, plan);
    const InferenceBuffers buffers = inference_buffers(model, plan);
    std::vector<StageMemory> stages;
    for (std::int64_t p = 0; p < plan.pp; ++p) {
        const bool last = p + 1 == plan.pp;
        StageMemory stage;
        stage.stage = p;
        std::vector<ChunkMemory> chunks(static_cast<std::size_t>(plan.vpp));
        for (const ModelUnit& unit : units_of_stage(model, plan, p)) {
            add(stage.fixed, unit.memory);
            if (unit.layer < 0) {
                continue;
            }
            const LayerMemory layer = layer_memory(model, plan, unit.layer);
            const std::int64_t in_chunk = model.layers / (plan.pp * plan.vpp);
            chunks[static_cast<std::size_t>(stage.layers / in_chunk)].layers.push_back(layer);
            ++stage.layers;
            stage.decoder += layer.kept();
            stage.cache += layer.cache;
            if (!plan.trains()) {
                const bool experts = model.is_moe_layer(unit.layer);
                stage.working = std::max(
                    {stage.working, buffers.attention, experts ? buffers.experts : buffers.mlp});
            }
        }
        if (plan.trains()) {
            stage.embedding = p == 0 ? bytes_of(saved_by_embedding(local)) : 0;
            stage.head = last ? bytes_of(saved_by_head(local)) + bytes_of(saved_logits(local)) : 0;
            chunks.front().embedding = stage.embedding;
            chunks.back().head = stage.head;
            add_passes(stage, plan, chunks);
        } else if (last) {
            stage.working = std::max(stage.working, buffers.head);
        }
        stages.push_back(stage);
    }
    return stages;
}

}  // namespace npunet::generators
