// Fits the constants of a GPU type to measured collectives: least mean |ln(simulated / measured)|,
// by damped Gauss-Newton steps in the logarithms of the constants, from values that NCCL's own
// tuner and the links suggest. A weak pull to those values decides what the rows do not.
//
// Three parts, each with the others held: all-reduce, all-gather and reduce-scatter on one node;
// all-to-all on one node; rows on several nodes, from 16 MiB.
//
//     const FittedGpu fitted = fit_library_gpu(architecture, version, rows);
#pragma once

#include <array>
#include <vector>

#include "engine/collective_library/library_constants.h"
#include "engine/collective_library/library_model.h"
#include "study/validation/measured_collectives.h"

namespace npunet::study {

/// What holds without rows.
[[nodiscard]] engine::LibraryConstants starting_constants(
    const engine::GpuArchitecture& architecture);

struct FittedGpu {
    engine::LibraryConstants constants;
    /// By constant: some row depends on it.
    std::array<bool, engine::library_constants> calibrated{};
    std::size_t rows = 0;   ///< that were used
    double mean_error = 0;  ///< of |ln(simulated / measured)| over them
};

/// `version`: of rows that have none.
[[nodiscard]] FittedGpu fit_library_gpu(const engine::GpuArchitecture& architecture,
                                        const engine::LibraryVersion& version,
                                        const std::vector<MeasuredCollective>& rows);

/// ln(simulated / measured); nothing to compare gives 0.
[[nodiscard]] double log_error_of(const engine::GpuArchitecture& architecture,
                                  const engine::LibraryVersion& version,
                                  const engine::LibraryConstants& constants,
                                  const MeasuredCollective& row);

}  // namespace npunet::study
