// Options that describe a training step of Megatron-LM.
//
//     MegatronRunOptions options;
//     options.add_to(command);
//     const TrainingRun run = options.run();       // resolved
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "cli/command/help_text.h"
#include "generators/megatron/program/training_run.h"

namespace npunet::cli {

class MegatronRunOptions {
public:
    /// The headings in the help.
    static constexpr const char* run_group = "Run";
    static constexpr const char* switches_group = "Switches";

    /// This object must outlive `command`.
    void add_to(CLI::App& command);

    /// The options of most runs, for --help.
    [[nodiscard]] static HelpSection short_help();

    /// Throws InputError for a run that is impossible, in Megatron-LM or in the dialect.
    [[nodiscard]] generators::megatron::TrainingRun run() const;

private:
    void add_run_options(CLI::App& command);
    void add_degrees(CLI::App& command);
    void add_switches(CLI::App& command);
    void add_pipeline_switches(CLI::App& command);
    void set_data_type(generators::megatron::TrainingRun& run) const;
    void set_switches(generators::megatron::TrainingRun& run) const;

    std::string dialect_ = "npunet";
    std::string model_size_ = "small";
    std::optional<std::int64_t> cp_;
    std::optional<std::int64_t> etp_;
    std::string rank_order_ = "tp-cp-ep-dp-pp";
    std::string cp_comm_ = "p2p";
    std::string dtype_;
    std::optional<std::int64_t> vocab_divisible_by_;
    bool attention_mask_ = false;
    bool no_attention_mask_ = false;
    bool no_overlap_p2p_ = false;
    generators::megatron::TrainingRun given_;  ///< what options set as it is
};

}  // namespace npunet::cli
