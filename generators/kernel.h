// What a compute node runs on a GPU, for models of devices: the attributes kernel, dtype, shape,
// causal and launches. Names and shapes are those that docs/devices.md lists.
//
//     KernelInfo product = matmul(2, {1, tokens, out, in});   // bf16
//     product.launches = 2;
#pragma once

#include <array>
#include <cstdint>

#include "chakra/trace/kernel.h"
#include "chakra/trace/node.h"

namespace npunet::generators {

using chakra::DataType;
using chakra::Kernel;

struct KernelInfo {
    Kernel kind = Kernel::None;
    /// Of its inputs, from the bytes of an element: models state no more.
    DataType type = DataType::None;
    bool causal = false;  ///< of attention: a query meets the keys up to its own
    /// Of the device; 0: part of a kernel that another node has.
    std::int32_t launches = 1;
    /// Matmul, GroupedMatmul: batch, m, n, k; Attention, AttentionBackward: sequences, heads,
    /// kv_heads, queries, keys, head_dim; else elements.
    std::array<std::int64_t, 6> shape{};
};

[[nodiscard]] bool operator==(const KernelInfo& a, const KernelInfo& b);

/// Adds the attributes of a kernel; none of Kernel::None.
void add_kernel(chakra::Node& node, const KernelInfo& kernel);

/// None for a width that no type has.
[[nodiscard]] DataType element_type(std::int64_t bytes);

/// [batch, m, k] x [batch, k, n] of elements of that many bytes. None where no type has them.
[[nodiscard]] KernelInfo matmul(std::int64_t element_bytes,
                                const std::array<std::int64_t, 4>& batch_m_n_k);
/// A kernel whose time is that of its memory traffic.
[[nodiscard]] KernelInfo memory_kernel(Kernel kind, std::int64_t element_bytes,
                                       std::int64_t elements);

}  // namespace npunet::generators
