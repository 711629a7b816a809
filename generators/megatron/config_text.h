// The text of config.json and summary.json: Python's json.dump(obj, indent=2).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "generators/megatron/training_run.h"

namespace npunet::generators::megatron {

/// Sizes, degrees, batch, seed and time; of the npunet dialect also its switches.
[[nodiscard]] std::string config_text(const TrainingRun& run);

/// The same configuration under `config`, and the names of the logs under `log_files`.
[[nodiscard]] std::string summary_text(const TrainingRun& run);

/// The model of a run that was made of a model file: its copy in the folder.
inline constexpr const char* model_file_name = "model.yml";

/// "comm_log_rank_3.json".
[[nodiscard]] std::string log_name(std::int64_t rank);
/// R of comm_log_rank_R.json, with or without .gz behind it; nothing for other names.
[[nodiscard]] std::optional<std::int64_t> rank_of_log(std::string_view name);

}  // namespace npunet::generators::megatron
