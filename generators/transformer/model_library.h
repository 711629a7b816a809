// Models by name: the files of configs/models.
//
//     ModelSpec a = load_model("llama2-7b");
//     ModelSpec b = load_model("experiments/wide.yml");
//     ModelSpec c = load_model("Mistral-7B-v0.1/config.json");
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "generators/transformer/model_spec.h"

namespace npunet::generators {

/// Names of the shipped models, sorted.
[[nodiscard]] std::vector<std::string> known_models();

/// Whether the text names a file: it holds a '/' or ends in .yml, .yaml or .json.
[[nodiscard]] bool is_model_file(const std::string& name_or_file);

/// The file that such a text means: itself, or the config.json of a folder.
[[nodiscard]] std::filesystem::path model_file(const std::string& text);

/// Whether a model file is a config.json of the Hugging Face hub, by its extension, and no .yml.
[[nodiscard]] bool is_hf_config(const std::filesystem::path& file);

/// A model by its name, a model file, or the config.json of the Hugging Face hub (also by its
/// folder). Throws InputError; for an unknown name it lists the known ones.
[[nodiscard]] ModelSpec load_model(const std::string& name_or_file);

}  // namespace npunet::generators
