// The configuration that stands beside the logs of a run, read and written, and the names of the
// files: config.json, and "config" of summary.json.
//
//     const TrainingRun run = read_run_config(json, "config.json");    // not resolved
//     config_text(run);                                                // the text of config.json
//
// docs/megatron.md lists the keys of both dialects.
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "generators/megatron/program/training_run.h"

namespace npunet::generators::megatron {

/// Keys that it does not know are ignored. Throws InputError that names file and key for a missing
/// or unusable value, for a world_size that is not the product of the degrees, and where the sizes
/// are not those of the model that an npunet configuration names. A genstack model without a name
/// known here is made from its sizes: GPT with an MLP of 4 h, in fp32.
/// An npunet model is that of `model_file` where one is given.
[[nodiscard]] TrainingRun read_run_config(const nlohmann::json& config, const std::string& file,
                                          const std::string& model_file = "");

/// As Python's json.dump(obj, indent=2): sizes, degrees, batch, seed and time; of the npunet
/// dialect also its switches.
[[nodiscard]] std::string config_text(const TrainingRun& run);

/// The same configuration under `config`, and the names of the logs under `log_files`.
[[nodiscard]] std::string summary_text(const TrainingRun& run);

/// The model of a run that was made of a model file: its copy in the folder, by the form of the
/// file (docs/inputs.md), which is read by its extension.
inline constexpr std::array<const char*, 2> model_copy_names{"model.yml", "model.json"};

/// "comm_log_rank_3.json".
[[nodiscard]] std::string log_name(std::int64_t rank);
/// R of comm_log_rank_R.json, with or without .gz behind it; nothing for other names.
[[nodiscard]] std::optional<std::int64_t> rank_of_log(std::string_view name);

}  // namespace npunet::generators::megatron
