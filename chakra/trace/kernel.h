// Kernels of GPUs by kind and data type, as compute nodes of traces name them: the attributes
// kernel and dtype, and how many numbers the attribute shape has.
//
// C++17-clean.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace npunet::chakra {

enum class Kernel : std::uint8_t {
    None,  ///< not told
    Matmul,
    GroupedMatmul,
    Attention,
    AttentionBackward,
    Norm,
    Softmax,
    Elementwise,
    Embedding,
    Optimizer,
    Copy,
};
inline constexpr std::size_t kernel_kinds = 11;

enum class DataType : std::uint8_t { None, Bf16, Fp16, Fp8, Fp4, Int8, Tf32, Fp32, Fp64 };

/// "attention_backward"; "" for None.
[[nodiscard]] const char* name_of(Kernel kernel);
/// "bf16"; "" for None.
[[nodiscard]] const char* name_of(DataType type);
/// Nothing for an unknown name.
[[nodiscard]] std::optional<Kernel> kernel_named(std::string_view name);
[[nodiscard]] std::optional<DataType> data_type_named(std::string_view name);
/// By PyTorch's name of it, in programs and in profiles: "torch.bfloat16", "float32", "c10::Half",
/// "c10::Float8_e4m3fn"; of integers, only those of a byte. None for other names.
[[nodiscard]] DataType data_type_of_torch(std::string_view name);
/// Names separated by commas, for messages.
[[nodiscard]] std::string data_type_names();

/// Of one element; fp4 counts as 1.
[[nodiscard]] std::int64_t bytes_of(DataType type);

/// How many numbers the shape of a kernel has: batch, m, n, k of products; sequences, heads,
/// kv_heads, queries, keys, head_dim of attention; elements of others; 0 for None.
[[nodiscard]] std::size_t shape_size(Kernel kernel);

/// Whether the kernel's time is bytes over bandwidth: neither a product nor attention.
[[nodiscard]] bool is_memory_bound(Kernel kernel);

}  // namespace npunet::chakra
