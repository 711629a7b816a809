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
// (hidden / heads), gated (true), norm (rms), bias (false; true, or a list of qkv, projection, mlp,
// router), sinks (false), qk_norm (false), sliding_window (0), positions (rotary), tied_embeddings
// (false), attention (mha or gqa by the heads, mla where there is a map of that name),
// vocab_divisible_by (0), dropout (true for norm: layer), dtypes (weights, activations, gradients,
// optimizer; ModelSpec's defaults), and
//
//     mla: {q_lora_rank: 1536, kv_lora_rank: 512, qk_nope_head_dim: 128, qk_rope_head_dim: 64,
//           v_head_dim: 128}       # q_lora_rank may be left out: queries without a low rank
//     moe: {experts: 8, top_k: 2}  # and ffn (the model's), shared_experts (0),
//                                  # dense_layers_first (0), router_bias (false), routing (uniform,
//                                  # zipf:S or a file), capacity_factor or dropless: true (default)
#pragma once

#include <filesystem>

#include "generators/transformer/model_spec.h"

namespace npunet::generators {

/// Throws InputError with file, line and key for what is not YAML, an unknown, repeated, missing or
/// contradictory key, or a value out of range.
[[nodiscard]] ModelSpec read_model_file(const std::filesystem::path& file);

}  // namespace npunet::generators
