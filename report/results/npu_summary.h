// How the NPUs of a run are shown: one for each class of those with equal traces, their ranks, and
// the bubble.
//
// In a symmetric network the NPUs of a class have equal figures. Where they have not, a class is
// shown by its slowest NPU (the latest finish; of equals the lowest rank), so that the figures
// shown belong to one NPU and still add up.
#pragma once

#include <string>
#include <vector>

#include "engine/results/results.h"

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

/// The bubble of the busy time: how much longer the run takes than the NPU is busy. 100 (F - b) / b
/// with the finish F of the run and b = finish - idle of the NPU; infinite where it does nothing,
/// not a number where the run takes no time.
///
/// In a pipeline of equal stages that is the published fraction: for 1F1B (p - 1) / m of p stages
/// and m micro-batches (Narayanan et al. 2021, section 2.2.1), the same for each stage.
[[nodiscard]] inline double bubble_percent(const engine::NpuResult& npu, Time run_finish) {
    const Time busy = npu.finish - npu.idle;
    return 100.0 * static_cast<double>((run_finish - busy).ps()) / static_cast<double>(busy.ps());
}

/// The share of the run in which the NPU is idle, or done: 100 (F - b) / F. 1F1B: (p - 1) / (m + p
/// - 1).
[[nodiscard]] inline double bubble_of_step_percent(const engine::NpuResult& npu, Time run_finish) {
    const Time busy = npu.finish - npu.idle;
    return 100.0 * static_cast<double>((run_finish - busy).ps()) /
           static_cast<double>(run_finish.ps());
}

}  // namespace npunet::report
