// Reads a model from the config.json that comes with its weights on the Hugging Face hub.
//
//     const ModelSpec model = read_hf_config("Llama-3-8B/config.json");
//
// `model_type` says what the keys mean: gpt2, llama, mistral, mixtral, qwen2, qwen3, qwen3_moe,
// gpt_oss, deepseek_v3; any other is refused. Keys that change sizes are read, and values of them
// that no ModelSpec can say are refused; all others (rotary bases, dropout rates, quantization) do
// not matter here. Absent keys have the values of the classes of Hugging Face's transformers
// (configuration_llama.py and so on) where these are no sizes of one published model. `seq` is the
// longest sequence that the positions allow. The module of deepseek_v3 that predicts several tokens
// is left out.
#pragma once

#include <filesystem>

#include "generators/transformer/model_spec.h"

namespace npunet::generators {

/// Throws InputError with file and key for what is not JSON, an unknown model_type, a missing key,
/// and values out of range.
[[nodiscard]] ModelSpec read_hf_config(const std::filesystem::path& file);

}  // namespace npunet::generators
