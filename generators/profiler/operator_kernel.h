// What an operator of PyTorch runs on a GPU, from the shapes and types of its inputs as profilers
// record them (record_shapes): the attributes kernel, dtype, shape, causal of docs/devices.md.
//
//     const auto mm = operator_kernel({"aten::mm", "[[8, 4], [4, 2]]", R"(["float", "float"])"});
//     mm->kernel.shape;                              // 1, 8, 2, 4
//
// Products, attention, and operators whose time is that of their memory traffic: their inputs are
// read once, their result is written once.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "generators/kernel.h"

namespace npunet::generators::profiler {

/// Texts as the profile has them; empty: not given.
struct RecordedOperator {
    std::string_view name;
    std::string_view dims;    ///< "[[8, 4], [4, 2], []]"
    std::string_view types;   ///< "[\"c10::BFloat16\", \"c10::BFloat16\", \"Scalar\"]"
    std::string_view values;  ///< "Concrete Inputs": "[\"\", \"\", \"1\"]"
};

struct OperatorKernel {
    KernelInfo kernel;
    std::int64_t bytes = 0;  ///< read and written, of kernels that memory limits; else 0
};

/// Nothing for other operators, and where the texts say too little, such as whether attention has a
/// causal mask.
[[nodiscard]] std::optional<OperatorKernel> operator_kernel(const RecordedOperator& recorded);

}  // namespace npunet::generators::profiler
