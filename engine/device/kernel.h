// A kernel as models of devices take it: its kind and data type, and its shape.
//
// C++17-clean.
#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "chakra/trace/kernel.h"

namespace npunet::engine {

using chakra::DataType;
using chakra::Kernel;

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

/// Any order, for maps.
struct KernelCallOrder {
    [[nodiscard]] bool operator()(const KernelCall& a, const KernelCall& b) const {
        return std::tie(a.kernel, a.type, a.causal, a.launches, a.shape) <
               std::tie(b.kernel, b.type, b.causal, b.launches, b.shape);
    }
};

}  // namespace npunet::engine
