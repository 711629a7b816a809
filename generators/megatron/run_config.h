// The configuration that stands beside the logs of a run: config.json, or "config" of summary.json.
//
//     const TrainingRun run = read_run_config(json, "config.json");    // not resolved
//
// docs/megatron.md lists the keys of both dialects. For log_folder.cc.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "generators/megatron/training_run.h"

namespace npunet::generators::megatron {

/// Keys that it does not know are ignored. Throws InputError that names file and key for a missing
/// or unusable value, for a world_size that is not the product of the degrees, and where the sizes
/// are not those of the model that an npunet configuration names. A genstack model without a name
/// known here is made from its sizes: GPT with an MLP of 4 h, in fp32.
/// An npunet model is that of `model_file` where one is given.
[[nodiscard]] TrainingRun read_run_config(const nlohmann::json& config, const std::string& file,
                                          const std::string& model_file = "");

}  // namespace npunet::generators::megatron
