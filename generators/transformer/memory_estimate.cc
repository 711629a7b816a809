#include "generators/transformer/memory_estimate.h"

#include <fmt/format.h>

#include <algorithm>

#include "generators/transformer/local_sizes.h"
#include "generators/transformer/pipeline_schedule.h"
#include "generators/transformer/saved_activations.h"

namespace npunet::generators {

namespace {

std::int64_t part_of(std::int64_t whole, std::int64_t parts) {
    return (whole + parts - 1) / parts;
}

/// `parameters` of a rank whose replicas are `replicas`.
StaticMemory static_memory(const DataTypes& types, const Plan& plan, std::int64_t parameters,
                           std::int64_t replicas) {
    const std::int64_t part = part_of(parameters, replicas);
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

/// Ranks that hold the same experts: what is left of a stage's ranks.
std::int64_t expert_replicas(const Plan& plan) {
    const std::int64_t etp = plan.etp > 0 ? plan.etp : plan.tp;
    return std::max<std::int64_t>(plan.world() / (etp * plan.ep * plan.pp), 1);
}

/// The largest number of micro-batches between their forward and their backward pass.
std::int64_t in_flight_at_most(const Plan& plan, std::int64_t stage) {
    std::int64_t live = 0;
    std::int64_t most = 0;
    for (const PipelineAction& action :
         pipeline_actions(plan.schedule, stage, plan.pp, plan.micro_batches())) {
        live += action.kind == ActionKind::Forward    ? 1
                : action.kind == ActionKind::Backward ? -1
                                                      : 0;
        most = std::max(most, live);
    }
    return most;
}

/// How far the moments at which recomputation has made a layer's tensors again go beyond the end of
/// the last forward pass in flight. By then the head and later layers are done, and where only the
/// core is recomputed, the layer's MLP half too.
std::int64_t recomputation_peak(const Plan& plan, std::int64_t head,
                                const std::vector<LayerMemory>& layers) {
    std::int64_t gone = head;
    std::int64_t most = 0;
    for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer) {
        const std::int64_t half = plan.recompute == Recompute::Selective ? layer->mlp : 0;
        most = std::max(most, layer->recomputed - gone - half);
        gone += layer->kept();
    }
    return most;
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
    const std::int64_t layers = model.layers / plan.pp;
    for (std::int64_t layer = stage * layers; layer < (stage + 1) * layers; ++layer) {
        const bool sparse = model.is_moe_layer(layer);
        ModelUnit unit{
            fmt::format("layer{}", layer), layer,
            static_memory(model.dtypes, plan, sparse ? own.moe_layer : own.layer, replicas)};
        if (sparse) {
            add(unit.memory, static_memory(model.dtypes, plan, own.experts, expert_replicas(plan)));
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
            local.latent_width > 0 ? model.cache_width() : 2 * local.key_value_width;
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
    buffers.head = bytes_of(saved_by_head(local)) +
                   local.sequences * local.vocab * local.tp * local.dtypes.activations;
    return buffers;
}

std::vector<StageMemory> memory_of_stages(const ModelSpec& model, const Plan& plan) {
    const LocalSizes local = local_sizes(model, plan);
    std::vector<StageMemory> stages;
    for (std::int64_t p = 0; p < plan.pp; ++p) {
        const bool last = p + 1 == plan.pp;
        StageMemory stage;
        stage.stage = p;
        std::vector<LayerMemory> layers;
        for (const ModelUnit& unit : units_of_stage(model, plan, p)) {
            add(stage.fixed, unit.memory);
            if (unit.layer >= 0) {
                layers.push_back(layer_memory(model, plan, unit.layer));
                stage.decoder += layers.back().kept();
                stage.cache += layers.back().cache;
            }
        }
        stage.layers = static_cast<std::int64_t>(layers.size());
        if (plan.trains()) {
            stage.embedding = p == 0 ? bytes_of(saved_by_embedding(local)) : 0;
            stage.head = last ? bytes_of(saved_by_head(local)) + bytes_of(saved_logits(local)) : 0;
            stage.in_flight = in_flight_at_most(plan, p);
            stage.working = recomputation_peak(plan, stage.head, layers);
        } else {
            const InferenceBuffers buffers = inference_buffers(model, plan);
            stage.working = std::max({buffers.attention, buffers.mlp, last ? buffers.head : 0});
        }
        stages.push_back(stage);
    }
    return stages;
}

}  // namespace npunet::generators
