#include "cli/generate/generate_output.h"

#include <fmt/format.h>

#include <algorithm>

#include "generators/transformer/local_sizes.h"
#include "generators/transformer/memory_estimate.h"
#include "generators/transformer/saved_activations.h"

namespace npunet::cli {

namespace {

using generators::SavedTensors;
using generators::StageMemory;

std::string gigabytes(std::int64_t bytes) {
    return fmt::format("{:.3f}", static_cast<double>(bytes) / 1e9);
}

nlohmann::ordered_json tensors_document(const SavedTensors& tensors) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const generators::SavedTensor& tensor : tensors) {
        list.push_back({{"name", tensor.name},
                        {"elements", tensor.elements},
                        {"element_bytes", tensor.element_bytes}});
    }
    return list;
}

}  // namespace

std::string memory_table(const TrainingStep& step) {
    std::string text = fmt::format(
        "memory of an NPU in GB\n{:>5} {:>6} {:>9} {:>9} {:>9} {:>9} {:>11} {:>9} {:>11} {:>9} "
        "{:>9}\n",
        "stage", "layers", "weights", "gradients", "optimizer", "cache", "activations", "in flight",
        "kept", "working", "peak");
    for (const StageMemory& stage : generators::memory_of_stages(step.model, step.plan)) {
        text +=
            fmt::format("{:>5} {:>6} {:>9} {:>9} {:>9} {:>9} {:>11} {:>9} {:>11} {:>9} {:>9}\n",
                        stage.stage, stage.layers, gigabytes(stage.fixed.weights),
                        gigabytes(stage.fixed.gradients), gigabytes(stage.fixed.optimizer),
                        gigabytes(stage.cache), gigabytes(stage.activations()), stage.in_flight,
                        gigabytes(stage.kept), gigabytes(stage.working), gigabytes(stage.peak()));
    }
    return text;
}

nlohmann::ordered_json memory_document(const TrainingStep& step) {
    nlohmann::ordered_json stages = nlohmann::ordered_json::array();
    std::int64_t peak = 0;
    const generators::LocalSizes local = generators::local_sizes(step.model, step.plan);
    SavedTensors experts;
    for (const StageMemory& stage : generators::memory_of_stages(step.model, step.plan)) {
        const std::int64_t layers = std::max<std::int64_t>(stage.layers, 1);
        SavedTensors kept =
            generators::saved_by_experts(local, step.model, step.plan, stage.most_copies);
        if (generators::bytes_of(kept) > generators::bytes_of(experts)) {
            experts = std::move(kept);
        }
        stages.push_back({{"stage", stage.stage},
                          {"rank", stage.rank.value()},
                          {"layers", stage.layers},
                          {"parameters", stage.fixed.parameters},
                          {"weights_bytes", stage.fixed.weights},
                          {"gradients_bytes", stage.fixed.gradients},
                          {"optimizer_bytes", stage.fixed.optimizer},
                          {"cache_bytes", stage.cache},
                          {"activations",
                           {{"embedding_bytes", stage.embedding},
                            {"layer_bytes", stage.decoder / layers},
                            {"layers_bytes", stage.decoder},
                            {"head_bytes", stage.head},
                            {"micro_batch_bytes", stage.activations()}}},
                          {"micro_batches_in_flight", stage.in_flight},
                          {"activations_bytes", stage.kept},
                          {"working_bytes", stage.working},
                          {"peak_bytes", stage.peak()}});
        peak = std::max(peak, stage.peak());
    }
    nlohmann::ordered_json layer{
        {"attention", tensors_document(generators::saved_by_attention(local))},
        {"core", tensors_document(generators::saved_by_core(local))},
        {"mlp", tensors_document(generators::saved_by_mlp(local))}};
    if (step.model.moe.experts > 0) {
        layer["experts"] = tensors_document(experts);
    }
    return {{"peak_bytes", peak}, {"stages", stages}, {"layer_without_recomputation", layer}};
}

}  // namespace npunet::cli
