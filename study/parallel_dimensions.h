// Finds which kind of parallelism the communication of a workload serves.
//
//     engine::Workload workload = ...;
//     mark_dimensions(workload);                  // RankProgram::dimensions, Group::dimension
//
// The names of operations tell (analysis/operation_roles.h); where they do not, those of
// communicators, or what a generator knows of them.
#pragma once

#include <map>
#include <string>

#include "engine/program/workload.h"
#include "engine/results/parallelism.h"

namespace npunet::study {

/// By the name of a communicator of one kind of parallelism: "tp", "dp3", "pipeline_parallel_0",
/// "TENSOR_MODEL_PARALLEL_GROUP"; Other for "tp-dp" and numbers.
[[nodiscard]] engine::Parallelism dimension_of_group(const std::string& name);

/// `known`: what communicators serve, by name; of others their names tell.
void mark_dimensions(engine::Workload& workload,
                     const std::map<std::string, engine::Parallelism>& known = {});

}  // namespace npunet::study
