// The options that `simulate` and `compare` share: the workload, the machine, the output.
//
//     RunInputs inputs;
//     inputs.add_to(command);                  // declares the options
//     const study::Machine machine = inputs.machine(context);
//     const engine::Workload workload = inputs.workload(machine);
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/command/commands.h"
#include "cli/command/help_text.h"
#include "cli/generate/workload_options.h"
#include "report/results/input_list.h"
#include "report/results/output_scope.h"
#include "report/results/results_owner.h"
#include "study/simulation_run.h"

namespace npunet::cli {

/// --no-fold and --no-fast-forward: without the shortcuts that leave results as they are. `run`
/// must outlive the command.
void add_shortcut_flags(CLI::App& command, study::RunOptions& run);

struct RunInputs {
    std::string workload_prefix;
    std::string comm_group_file;
    std::string network_file;  ///< or NAME:COUNT of a ready machine
    std::string system_file;
    std::string memory_file;
    std::string dialect = "npunet";
    std::string output_dir;
    bool group_zero_is_all = false;
    engine::EmptyTraces empty_traces = engine::EmptyTraces::Refused;
    bool json = false;
    bool quiet = false;
    bool force = false;
    bool full = false;                         ///< --full
    bool full_timeline = false;                ///< --timeline full
    topology::NetworkChanges network_changes;  ///< --placement, --seed
    study::RunOptions run_options;             ///< --no-fold, --no-fast-forward, --jobs
    /// stdout and stderr together carry nothing but lines of ASTRA-sim's log.
    bool log_lines_only = false;
    WorkloadOptions model;  ///< --model and its options: a workload without files

    void add_to(CLI::App& command);
    /// What --help shows of the options, with that of the fidelity, which commands add themselves.
    [[nodiscard]] static std::vector<HelpSection> short_help(HelpEntry fidelity);
    /// Whether --dialect stands on the command line.
    [[nodiscard]] bool dialect_given() const;

    /// The command line to run again; empty if the command writes no results.
    [[nodiscard]] std::string command() const;
    /// This command as the owner of results, with `document` as the file that identifies them.
    [[nodiscard]] report::ResultsOwner owner(const std::string& document) const;
    /// What files and documents tell, with what only some runs have.
    [[nodiscard]] report::OutputScope scope(const report::CollectiveDetail* detail = nullptr,
                                            const report::WhatIf* what_if = nullptr) const {
        return {detail, what_if, full, full || full_timeline};
    }
    /// Refuses a folder that holds the results of another command, unless --force. Throws
    /// InputError.
    void check_results_of_others(const report::ResultsOwner& owner,
                                 const std::filesystem::path& folder) const;

    /// Reads the machine, whose network and system --machine names where no option does; warnings
    /// go to context.log. Throws InputError.
    [[nodiscard]] study::Machine machine(const CommandContext& context) const;
    /// Reads or generates the workload. Throws InputError.
    [[nodiscard]] engine::Workload workload(const study::Machine& machine) const;
    /// Warns of options of how to run that change nothing at this fidelity; --jobs does with
    /// several runs at a time.
    void warn_of_idle_options(const CommandContext& context, study::Fidelity fidelity,
                              bool several_runs = false) const;
    /// Runs it and says how much of it had to be simulated.
    [[nodiscard]] engine::Results run(const CommandContext& context,
                                      const engine::Workload& workload,
                                      const study::Machine& machine,
                                      study::Fidelity fidelity) const;
    /// The command line of the run for results: the command, and for the report the options and
    /// their values, without those that only affect where and how results are shown.
    [[nodiscard]] report::RunOrigin origin() const;
    /// One line on context.log unless --quiet or log_lines_only.
    void progress(const CommandContext& context, const std::string& text) const;

private:
    void warn(const CommandContext& context, const std::string& text) const;

    std::string machine_;  ///< --machine
    const CLI::App* command_ = nullptr;
    const CLI::Option* dialect_option_ = nullptr;
};

}  // namespace npunet::cli
