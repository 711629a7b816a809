// Kernels of GPUs by kind and data type, as compute nodes of traces name them: the attributes
// kernel, dtype, shape, causal and launches.
//
// C++17-clean.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace npunet::engine {

enum class Kernel : std::uint8_t {
    None,  ///< not given
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
/// Names separated by commas, for messages.
[[nodiscard]] std::string data_type_names();

/// Of one element; fp4 counts as 1.
[[nodiscard]] std::int64_t bytes_of(DataType type);

/// Whether the kernel's time is bytes over bandwidth: neither a product nor attention.
[[nodiscard]] bool is_memory_bound(Kernel kernel);

/// [batch, m, k] x [batch, k, n].
struct MatmulShape {
    std::int64_t batch = 1;
    std::int64_t m = 0;
    std::int64_t n = 0;
    std::int64_t k = 0;
};

struct AttentionShape {
    std::int64_t sequences = 1;
    std::int64_t heads = 0;
    std::int64_t kv_heads = 0;
    std::int64_t queries = 0;
    std::int64_t keys = 0;
    std::int64_t head_dim = 0;
    bool causal = false;
};

/// A kernel as a compute node of a trace describes it.
struct KernelCall {
    Kernel kernel = Kernel::None;
    DataType type = DataType::None;
    bool causal = false;
    /// Of the device; 0: part of a kernel that another node has.
    std::int32_t launches = 1;
    /// matmul, grouped_matmul: batch, m, n, k; attention: sequences, heads, kv_heads, queries,
    /// keys, head_dim; else elements.
    std::vector<std::int64_t> shape;
};

[[nodiscard]] inline bool operator==(const KernelCall& a, const KernelCall& b) {
    return a.kernel == b.kernel && a.type == b.type && a.causal == b.causal &&
           a.launches == b.launches && a.shape == b.shape;
}

/// How many numbers the shape of the kernel has.
[[nodiscard]] std::size_t shape_size(Kernel kernel);

}  // namespace npunet::engine
