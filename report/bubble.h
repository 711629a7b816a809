// The bubble of an NPU: how much longer the run is than the NPU has something to do.
//
//     bubble_percent(results.npus[0], results.finish)    // 37.5 for (p - 1) / m = 3 / 8
#pragma once

#include "engine/results.h"

namespace npunet::report {

/// 100 (F - b) / b with the finish F of the run and b = finish - idle of the NPU; infinite where it
/// does nothing, not a number where the run takes no time.
///
/// In a pipeline of equal stages that is the published fraction: for 1F1B (p - 1) / m of p stages
/// and m micro-batches (Narayanan et al. 2021, section 2.2.1), the same for each stage.
[[nodiscard]] inline double bubble_percent(const engine::NpuResult& npu, Time run_finish) {
    const Time busy = npu.finish - npu.idle;
    return 100.0 * static_cast<double>((run_finish - busy).ps()) / static_cast<double>(busy.ps());
}

}  // namespace npunet::report
