// Runs the recorder, a Python program of its own, and says what went wrong in it.
//
//     RecorderJob job;
//     job.ranks = 1024;
//     job.command = {"python3", "train.py"};
//     run_recorder(job, staged.path() / "recording");        // leaves rank.N.jsonl, recording.json
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace npunet::cli {

struct RecorderJob {
    std::int32_t ranks = 0;
    std::vector<std::int32_t> recorded;  ///< sorted; empty: all
    bool distinct = false;               ///< one of those that do the same, instead
    std::vector<std::string> command;    ///< the interpreter, the program and its arguments
    std::int32_t processes = 1;
    std::int64_t timeout_s = 0;            ///< of processor time of a rank
    double scalar = 0;                     ///< of values that do not exist
    std::map<std::string, double> values;  ///< the same, by line of the program
    bool balanced = false;                 ///< counts of tokens an expert
    /// Of distinct ranks, where that is told: ToldRanks (record_plan.h).
    std::vector<std::int32_t> as_rank;
    std::vector<std::int32_t> probes;
    std::string times;  ///< folder of write_simulated_times(), for the program's clock; empty: none
    bool inputs = false;  ///< operations are recorded with types and shapes
};

/// The program would never end.
class ProgramStalled : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Throws InputError for a program that fails or does what is not supported, and where there is no
/// PyTorch; ProgramStalled for one that would not end; MachineError where the recorder cannot run.
void run_recorder(const RecorderJob& job, const std::filesystem::path& logs);

}  // namespace npunet::cli
