// How many layers of the model each virtual stage of a pipeline holds, where stages are unequal.
//
//     plan.pp = 16;
//     plan.pp_layers = layer_counts("7,8*14,7", "--pp-layers");   // 126 layers
//     plan = resolve_plan(model, plan);
//     layers_of_chunk(model, plan, 15, 0);                        // 119 ... 125
//
// Virtual stage c pp + p is chunk c of stage p; virtual stages hold the layers in their order.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "generators/transformer/plan.h"

namespace npunet::generators {

/// Counts separated by commas; N*K stands for K virtual stages of N layers each. Throws InputError
/// that names `source`.
[[nodiscard]] std::vector<std::int64_t> layer_counts(const std::string& text,
                                                     const std::string& source);
/// The shortest text that layer_counts() reads so.
[[nodiscard]] std::string layer_counts_text(const std::vector<std::int64_t>& counts);

/// The part of resolve_plan() that decides how many layers a virtual stage has: as Plan::pp_layers
/// says; or those of the first and the last one, and equal shares of the rest for the others; or
/// equal shares for all. Leaves pp_layers empty where all are equal. Throws InputError.
void resolve_layers(const ModelSpec& model, Plan& plan);

/// The layers of chunk `chunk` of a stage by their numbers in the whole model, ascending. Needs a
/// resolved plan.
[[nodiscard]] std::vector<std::int64_t> layers_of_chunk(const ModelSpec& model, const Plan& plan,
                                                        std::int64_t stage, std::int64_t chunk);

/// Layers of the stage that has the most. Needs a resolved plan.
[[nodiscard]] std::int64_t most_layers_of_a_stage(const ModelSpec& model, const Plan& plan);

}  // namespace npunet::generators
