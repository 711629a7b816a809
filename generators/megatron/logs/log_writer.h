// Writes the logs of a run, in the text of its dialect.
//
//     LogWriter writer(resolve_run(run));
//     writer.write("comm_logs", [&] { progress.step(); }).folder;
//     // comm_logs/175b_dp2_tp4_pp6_20250810_184348
//
// genstack: Python's json.dump(obj, indent=2), byte for byte. npunet: one event a line, with names
// of groups, without the original's repetitions.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/ids.h"
#include "generators/megatron/program/training_run.h"

namespace npunet::generators::megatron {

struct WrittenLogs {
    std::filesystem::path folder;
    std::int64_t events = 0;  ///< of all ranks
    std::int64_t bytes = 0;   ///< of all logs
};

/// The run's model file, of which the folder keeps a copy.
struct ModelCopy {
    std::string name;  ///< one of model_copy_names
    std::string text;
};

/// Nothing for models known by name. Throws InputError where the file cannot be read.
[[nodiscard]] std::optional<ModelCopy> model_copy_of(const TrainingRun& run);

class LogWriter {
public:
    /// Needs a resolved run.
    explicit LogWriter(TrainingRun run);
    ~LogWriter();
    LogWriter(const LogWriter&) = delete;
    LogWriter& operator=(const LogWriter&) = delete;

    /// The name of the run's folder: MODEL_dpD_tpT_ppP_TIMESTAMP; of a model file its stem,
    /// of a config.json the name of its folder.
    [[nodiscard]] std::string folder_name() const;
    /// The whole text of one rank's log.
    [[nodiscard]] std::string log(Rank rank) const;
    [[nodiscard]] std::string config() const;
    [[nodiscard]] std::string summary() const;

    /// Writes all files into PARENT/folder_name(), ranks in parallel; `written` is called after
    /// each rank, by one thread at a time, and cancels the work by throwing. The files appear
    /// together and replace those of an earlier run in the same folder; summary.json comes last, so
    /// that a folder without it is incomplete. Throws MachineError.
    WrittenLogs write(const std::filesystem::path& parent,
                      const std::function<void()>& written) const;

private:
    class Impl;
    std::unique_ptr<const Impl> impl_;
};

}  // namespace npunet::generators::megatron
