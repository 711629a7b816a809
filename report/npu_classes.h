// The NPUs of a run by class: those with equal traces, of which people want to see one.
//
// In a symmetric network the NPUs of a class have equal figures. Where they have not, a class is
// shown by its slowest NPU (the latest finish; of equals the lowest rank), so that the figures
// shown belong to one NPU and still add up.
#pragma once

#include <string>
#include <vector>

#include "engine/results.h"

namespace npunet::report {

struct NpuClass {
    std::int32_t number = 0;
    std::vector<Rank> ranks;  ///< ascending
    const engine::NpuResult* slowest = nullptr;
};

/// The classes in order of their number. The pointers are into `results`.
[[nodiscard]] std::vector<NpuClass> npu_classes(const engine::Results& results);

/// "0-3, 8, 12-15" for ascending ranks; what is longer than `width` ends with "... (N ranks)".
[[nodiscard]] std::string format_ranks(const std::vector<Rank>& ranks, std::size_t width = 24);

}  // namespace npunet::report
