// A workload straight from a generator to the engine, without files.
//
//     engine::Workload workload = workload_from(generated, workload_options(machine));
#pragma once

#include "engine/program/workload.h"
#include "generators/workload.h"

namespace npunet::study {

/// Throws InputError for what the engine cannot execute.
[[nodiscard]] engine::Workload workload_from(const generators::GeneratedWorkload& generated,
                                             const engine::WorkloadOptions& options);

}  // namespace npunet::study
