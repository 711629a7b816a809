// A folder with the logs of a run: comm_log_rank_R.json of every rank, config.json, summary.json.
//
//     const LogFolder folder = open_log_folder("175b_dp2_tp4_pp6_20250810_184348");
//     for (const std::filesystem::path& log : folder.logs) ...
//
// Logs may be compressed with gzip, under their own name or with .gz behind it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "generators/megatron/program/training_run.h"

namespace npunet::generators::megatron {

struct LogFolder {
    std::filesystem::path path;
    TrainingRun run;                          ///< of config.json, else of summary.json; resolved
    std::vector<std::filesystem::path> logs;  ///< by rank
};

/// Throws InputError for a folder without summary.json, one whose sizes contradict each other (the
/// two files, the number of ranks, the folder's logs), and for missing ranks. Problems of settings
/// name config.json, or summary.json where there is none.
[[nodiscard]] LogFolder open_log_folder(const std::filesystem::path& path);

/// Rows of the vocabulary on a rank, which a genstack configuration does not tell, by rank 0's log:
/// of its first all-reduce of [rows, hidden] with the pipeline's last rank, or without a pipeline
/// of the sum of its gradients. Nothing where there is none. Throws InputError as read_call_log
/// does.
[[nodiscard]] std::optional<std::int64_t> vocabulary_of_logs(const LogFolder& folder);

}  // namespace npunet::generators::megatron
