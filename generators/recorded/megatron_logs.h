// The calls of a recording as logs of Megatron-LM (docs/megatron.md), which `npunet megatron`
// reads: a folder with comm_log_rank_R.json of every rank, config.json and summary.json.
//
//     write_megatron_logs(recording, resolve_run(run), "out/megatron_logs");
#pragma once

#include <filesystem>

#include "generators/megatron/program/training_run.h"
#include "generators/recorded/recorded_conversion.h"

namespace npunet::generators::recorded {

/// The folder's name within that of a recording's traces.
inline constexpr const char* megatron_logs_folder = "megatron_logs";

/// `run` is resolved, of the npunet dialect, and has as many ranks as the recording; it becomes
/// config.json, with a copy of its model file. Throws InputError for a recording that lacks ranks,
/// and for calls that such logs do not have: reductions to one rank, others than sum, average,
/// product, least and greatest, and types without a name there.
void write_megatron_logs(const Recording& recording, const megatron::TrainingRun& run,
                         const std::filesystem::path& folder);

/// Whether a file of that name in such a folder is one of its files.
[[nodiscard]] bool is_of_megatron_logs(const std::string& name);

}  // namespace npunet::generators::recorded
