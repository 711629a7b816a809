// Memory of one NPU in a step, in closed form, by pipeline stage.
//
//     for (const StageMemory& stage : memory_of_stages(model, resolve_plan(model, plan))) {
//         stage.peak();       // what a simulation of the generated traces reports
//     }
//
// P parameters on a rank, N replicas (dp x cp), data types of w, g and o bytes per parameter
// (Rajbhandari et al. 2020, section 3 and 5; o is 12 for Adam in mixed precision, w 2, g 2 or 4):
//
//     ZeRO stage    weights    gradients    optimizer
//     0             w P        g P          o P
//     1             w P        g P          o P / N
//     2             w P        g P / N      o P / N
//     3             w P / N    g P / N      o P / N
//
// unit by unit (embedding, layer, head), each part rounded up to whole parameters; routed experts
// are divided by their own replicas; biases of routers are weights alone, and whole. Activations:
// saved_activations.h, of the passes that the schedule has in flight
// (generators/pipeline/schedule.h), action by action. NPUs of a stage differ where their experts
// take unequally many tokens; a stage then stands for its NPU with the largest peak. Not counted:
// gradients of activations, gathered copies, buffers of communication, fragmentation.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/ids.h"
#include "generators/transformer/moe_amounts.h"
#include "generators/transformer/plan.h"
#include "generators/transformer/saved_activations.h"

namespace npunet::generators {

/// Bytes that live for the whole step, of one unit of the model or of several.
struct StaticMemory {
    std::int64_t parameters = 0;  ///< that this rank works with
    std::int64_t weights = 0;
    std::int64_t gradients = 0;
    std::int64_t optimizer = 0;

    [[nodiscard]] std::int64_t total() const { return weights + gradients + optimizer; }
};

/// An embedding, a decoder layer or the head, as one stage holds it.
struct ModelUnit {
    std::string name;         ///< "embedding", "layer7", "head"
    std::int64_t layer = -1;  ///< number in the whole model; -1: no layer
    StaticMemory memory;
};

/// Activations of one micro-batch in one layer.
struct LayerMemory {
    std::int64_t attention = 0;  ///< kept by the attention half
    std::int64_t core = 0;       ///< kept by its core
    std::int64_t mlp = 0;        ///< kept by the MLP half
    std::int64_t input = 0;      ///< kept instead of all of them with full recomputation
    /// Computed again by the backward pass, and there at once.
    std::int64_t recomputed = 0;
    std::int64_t cache = 0;   ///< inference: keys and values of all sequences of the replica
    std::int64_t buffer = 0;  ///< inference: the tensors of its larger half

    [[nodiscard]] std::int64_t kept() const { return attention + core + mlp + input; }
};

struct StageMemory {
    std::int64_t stage = 0;
    Rank rank;  ///< the NPU that this is; of all with equal amounts the first
    std::int64_t layers = 0;
    StaticMemory fixed;
    std::int64_t cache = 0;  ///< of all layers
    /// Activations of a micro-batch, by what keeps them; of unequal ones the largest.
    std::int64_t embedding = 0;
    std::int64_t decoder = 0;  ///< all layers
    std::int64_t head = 0;
    /// Micro-batches (times chunks) whose activations are kept at once, at most: from the forward
    /// pass to the end of the backward pass, or of the weight gradients where they are put off.
    std::int64_t in_flight = 0;
    ExpertCopies most_copies;  ///< of the layer and micro-batch whose experts keep the most
    std::int64_t kept = 0;     ///< activations of those; of chunks each its own
    /// Beyond that at the largest moment: what recomputation makes again, less what that moment no
    /// longer keeps; in inference the tensors of a half of a layer or of the head, less what the
    /// cache does not hold yet.
    std::int64_t working = 0;

    /// Activations of a micro-batch on this stage.
    [[nodiscard]] std::int64_t activations() const { return embedding + decoder + head; }
    [[nodiscard]] std::int64_t peak() const { return fixed.total() + cache + kept + working; }
};

/// Of each stage the NPU with the largest peak, the first of equals. Needs a resolved plan, as
/// everything here. Throws InputError for a routing file that does not fit.
[[nodiscard]] std::vector<StageMemory> memory_of_stages(const ModelSpec& model, const Plan& plan);

/// Of one NPU. `moe` is null for a model without experts.
[[nodiscard]] StageMemory memory_of_rank(const ModelSpec& model, const Plan& plan,
                                         const MoeAmounts* moe, Rank rank);

/// What stage `stage` holds, in the order of the model.
[[nodiscard]] std::vector<ModelUnit> units_of_stage(const ModelSpec& model, const Plan& plan,
                                                    std::int64_t stage);

/// Of layer `layer` of the whole model, whose experts, if it has some, keep `experts` bytes of a
/// micro-batch (MoeWork::Kept).
[[nodiscard]] LayerMemory layer_memory(const ModelSpec& model, const Plan& plan, std::int64_t layer,
                                       std::int64_t experts = 0);

/// Bytes of the half's tensors while an inference step works on it; keys and values are the
/// cache's.
struct InferenceBuffers {
    std::int64_t attention = 0;
    std::int64_t mlp = 0;  ///< of a dense layer; the experts' is MoeWork::Kept
    std::int64_t head = 0;
};
[[nodiscard]] InferenceBuffers inference_buffers(const ModelSpec& model, const Plan& plan);

}  // namespace npunet::generators
