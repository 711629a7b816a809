// Models by name: the files of configs/models.
//
//     ModelSpec a = load_model("llama2-7b");
//     ModelSpec b = load_model("experiments/wide.yml");
#pragma once

#include <string>
#include <vector>

#include "generators/transformer/model_spec.h"

namespace npunet::generators {

/// Names of the shipped models, sorted.
[[nodiscard]] std::vector<std::string> known_models();

/// A model by its name, or a model file: whatever holds a '/' or ends in .yml or .yaml. Throws
/// InputError; for an unknown name it lists the known ones.
[[nodiscard]] ModelSpec load_model(const std::string& name_or_file);

}  // namespace npunet::generators
