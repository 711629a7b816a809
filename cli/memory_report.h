// What `npunet generate transformer --print-memory` says: memory of an NPU by pipeline stage.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "cli/workload_options.h"

namespace npunet::cli {

/// A table for people, one line a stage; whole lines.
[[nodiscard]] std::string memory_table(const TrainingStep& step);

/// Under "memory": a list of stages, and what a layer keeps, tensor by tensor.
[[nodiscard]] nlohmann::ordered_json memory_document(const TrainingStep& step);

}  // namespace npunet::cli
