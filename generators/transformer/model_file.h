// Reads a model file (configs/models/*.yml).
//
//     hidden: 4096           # required: hidden, layers, heads, ffn, vocab, seq
//     layers: 32
//     heads: 32
//     ffn: 11008
//     vocab: 32000
//     seq: 4096
//
// Optional, with what is taken otherwise: name (the file's name), kv_heads (heads), head_dim
// (hidden / heads), gated (true), norm (rms), bias (false), positions (rotary), tied_embeddings
// (false), attention (mha or gqa, to be checked against kv_heads), vocab_divisible_by (0) and
// dtypes (weights, activations, gradients, optimizer; ModelSpec's defaults).
#pragma once

#include <filesystem>

#include "generators/transformer/model_spec.h"

namespace npunet::generators {

/// Throws InputError with file, line and key for what is not YAML, an unknown, repeated, missing or
/// contradictory key, or a value out of range.
[[nodiscard]] ModelSpec read_model_file(const std::filesystem::path& file);

}  // namespace npunet::generators
