// NPUs that compute faster, or whose memory does: for what a faster part would bring.
//
//     machine.system = with_faster_compute(machine.system, 2);
//     faster = with_shorter_recorded(workload, machine, 2);
//
// Kernels of a device profile take what its formulas say at the higher rate: launches, the host and
// the other part stay as they are. A measured time of a table is scaled as the formula of its
// shape.
#pragma once

#include <cstdint>
#include <optional>

#include "engine/machine/system_config.h"
#include "engine/program/workload.h"
#include "study/simulation_run.h"

namespace npunet::study {

/// Peaks of the roofline, of single ranks and of the device profile, `times` as high.
[[nodiscard]] engine::SystemConfig with_faster_compute(const engine::SystemConfig& system,
                                                       double times);

/// The same of the memory bandwidth.
[[nodiscard]] engine::SystemConfig with_faster_memory(const engine::SystemConfig& system,
                                                      double times);

/// Whether it is known.
[[nodiscard]] bool has_memory_bandwidth(const engine::SystemConfig& system);

/// Computations whose recorded durations count, as no model gives their times, take 1 / `times` of
/// them, rounded up to a picosecond. Nothing where there are none.
[[nodiscard]] std::optional<engine::Workload> with_shorter_recorded(
    const engine::Workload& workload, const Machine& machine, std::int64_t times);

}  // namespace npunet::study
