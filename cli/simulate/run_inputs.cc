#include "cli/simulate/run_inputs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/errors.h"
#include "base/staged_folder.h"
#include "cli/command/command_text.h"
#include "cli/command/machine_option.h"
#include "cli/command/messages.h"
#include "cli/command/option_values.h"
#include "cli/command/output_options.h"
#include "report/astra_log.h"
#include "study/generated_workload.h"
#include "study/step_rates.h"
#include "topology/yaml/machine.h"

namespace npunet::cli {

void add_shortcut_flags(CLI::App& command, study::RunOptions& run) {
    command.add_flag_callback(
        "--no-fold", [&run] { run.fold = false; },
        "Simulate every NPU, also those that provably behave alike (same results)");
    command.add_flag_callback(
        "--no-fast-forward", [&run] { run.packet.fast_forward = false; },
        "Simulate every packet and every collective, without fast-forward of periodic traffic and "
        "remembered collectives (same results)");
}

void RunInputs::add_to(CLI::App& command) {
    command_ = &command;
    command.add_option("--workload", workload_prefix,
                       "Traces PREFIX.0.et, PREFIX.1.et, ...: one for each NPU");
    command.add_option("--comm-group", comm_group_file, "Communicator groups of the traces (JSON)");
    command
        .add_option_function<std::string>(
            "--group-zero", [this](const std::string& text) { group_zero_is_all = text == "all"; },
            "pg_name \"0\" of the traces: the file's group 0 where it has one, or always all ranks")
        ->check(one_of({"file", "all"}))
        ->default_str("file");
    command.add_flag_callback(
        "--allow-empty-ranks", [this] { empty_traces = engine::EmptyTraces::Allowed; },
        "Run traces of which none has anything to do; without it they are an error");
    add_machine_option(command, machine_,
                       "--network and --system of a ready machine, NAME:COUNT such as dgx-h100:4");
    command.add_option("--network", network_file,
                       "The network: a network.yml, or a topology file of HPCC, ASTRA-sim's ns-3, "
                       "SimAI or InfraGraph");
    command.add_option("--system", system_file,
                       "NPUs and collectives (system.json); without it: ring, one chunk, recorded "
                       "compute times");
    command.add_option("--placement", network_changes.placement,
                       "Which NPU each rank sits on: linear, snake, NPUs with commas between them, "
                       "or a file (default: as the network says)");
    command
        .add_option_function<std::uint64_t>(
            "--seed",
            [this](std::uint64_t seed) {
                network_changes.seed = seed;
                model.set_seed(seed);
            },
            "Random seed for losses, marks, start jitter and routes of the network (default: its "
            "packet.seed), and for which experts of a --model are popular (default: 1)")
        ->check(whole_number(0, std::int64_t{1} << 53));
    command.add_option("--memory", memory_file,
                       "Remote memory (remote_memory.json); without it there is none");
    dialect_option_ =
        command.add_option("--dialect", dialect, "npunet, astra-sim or astra-sim-2025-03")
            ->capture_default_str();
    command.add_option("--output-dir", output_dir, "Write the results here")
        ->check(output_folder());
    command
        .add_option_function<std::string>(
            "--timeline", [this](const std::string& text) { full_timeline = text == "full"; },
            "NPUs in timeline.pb and timeline.perfetto-trace: auto (as many as are some 12 MB) or "
            "full (all)")
        ->check(one_of({"auto", "full"}))
        ->default_str("auto");
    command.add_flag("--full", full,
                     "Write everything: --timeline full, and long lists of collectives and links "
                     "whole in results.json and the CSV files");
    add_force_flag(command, force);
    command.add_flag("--json", json, "Print one JSON document and nothing else");
    command.add_flag("--quiet", quiet, "No progress and no table");
    add_shortcut_flags(command, run_options);
    command
        .add_option("--jobs", run_options.packet.threads,
                    "Threads that move packets at packet level (same results)")
        ->check(CLI::Range(std::size_t{1}, PacketOptions::most_threads))
        ->capture_default_str();
    model.add_to(command, "--workload-dialect");
}

std::vector<HelpSection> RunInputs::short_help(HelpEntry fidelity) {
    HelpSection workload = WorkloadOptions::short_help();
    workload.title = "Workload (a model and a plan, or traces)";
    workload.entries.push_back({"--workload", "PREFIX", "Traces PREFIX.0.et, PREFIX.1.et, ..."});
    workload.entries.push_back({"--comm-group", "FILE", ""});
    return {std::move(workload),
            {"Machine",
             {{"--machine", "NAME:COUNT",
               fmt::format("A ready one, such as dgx-h100:4; {}",
                           fmt::join(topology::known_machines(), ", "))},
              {"--network", "FILE", "Or network.yml, and"},
              {"--system", "FILE", "system.json: NPUs and collectives"}}},
            {"Run and results",
             {std::move(fidelity),
              {"--jobs", "N", ""},
              {"--output-dir", "DIR", "Write report.html, results.json, tables and a timeline"},
              {"--json,--quiet", "", "One JSON document instead of text; no text but errors"}}}};
}

bool RunInputs::dialect_given() const {
    return dialect_option_ != nullptr && dialect_option_->count() > 0;
}

std::string RunInputs::command() const {
    return output_dir.empty() ? "" : command_text(*command_);
}

report::ResultsOwner RunInputs::owner(const std::string& document) const {
    return {command(), document, force};
}

void RunInputs::check_results_of_others(const report::ResultsOwner& owner,
                                        const std::filesystem::path& folder) const {
    if (!output_dir.empty()) {
        owner.check(folder);
    }
}

study::Machine RunInputs::machine(const CommandContext& context) const {
    const auto [network, system] = files_of_machine(machine_, network_file, system_file);
    if (network.empty()) {
        throw InputError({"the command line", "", "no network",
                          "--network FILE or --machine NAME:COUNT", "--help shows an example"});
    }
    study::Machine machine =
        study::load_machine(network, system, dialect, memory_file, network_changes);
    machine.dialect.group_zero_is_all = group_zero_is_all;
    for (const std::string& warning : machine.warnings) {
        warn(context, warning);
    }
    if (const std::string note = model.note_on_sp(); !note.empty()) {
        warn(context, note);
    }
    if (model.given() && !machine.dialect.whole_nanoseconds) {
        // Generated traces name their tensors, and to add them up costs a few percent of a run.
        machine.system.track_memory = true;
    }
    if (!output_dir.empty()) {
        check_folder(output_dir);
    }
    return machine;
}

engine::Workload RunInputs::workload(const study::Machine& machine) const {
    if (model.given() == !workload_prefix.empty()) {
        throw InputError(
            {"the command line", "", model.given() ? "both --workload and a model" : "no workload",
             "--workload PREFIX or --model NAME, one of them", "--help shows an example"});
    }
    if (!model.given()) {
        if (const std::string option = model.first_given(); !option.empty()) {
            throw InputError({option, "", "an option of a generated workload beside --workload",
                              "--model or the sizes of a model with it",
                              "Traces bring their own plan; leave it out"});
        }
        return study::load_workload_for(machine, workload_prefix, comm_group_file, empty_traces);
    }
    if (!comm_group_file.empty()) {
        throw InputError({"--comm-group", "", comm_group_file, "none beside --model",
                          "A generated workload brings its own groups; leave it out"});
    }
    const generators::GeneratedWorkload generated = model.generate();
    const auto npus = static_cast<std::int64_t>(machine.network.graph.npus());
    if (generated.rank_count() != npus) {
        throw InputError({"the plan", "", fmt::format("{} ranks", generated.rank_count()),
                          fmt::format("{}, the NPUs of {}", npus, machine.network.file),
                          "dp x tp x cp x pp must be the number of NPUs"});
    }
    engine::Workload workload = study::workload_from(generated, study::workload_options(machine));
    for (std::string& note : model.idle_options()) {
        workload.notes.push_back(std::move(note));
    }
    return workload;
}

void RunInputs::warn_of_idle_options(const CommandContext& context, study::Fidelity fidelity,
                                     bool several_runs) const {
    const auto check = [&](bool given, const char* option,
                           const std::vector<study::Fidelity>& acts_at) {
        if (!given || std::find(acts_at.begin(), acts_at.end(), fidelity) != acts_at.end()) {
            return;
        }
        std::vector<std::string> names;
        for (const study::Fidelity each : acts_at) {
            names.emplace_back(study::name_of(each));
        }
        warn(context, fmt::format("{} has no effect at fidelity {}: it is for {}", option,
                                  study::name_of(fidelity), fmt::join(names, " and ")));
    };
    using study::Fidelity;
    check(!run_options.fold, "--no-fold", {Fidelity::Analytical, Fidelity::Fluid});
    check(!run_options.packet.fast_forward, "--no-fast-forward",
          {Fidelity::Fluid, Fidelity::Packet});
    check(run_options.packet.threads != PacketOptions().threads && !several_runs, "--jobs",
          {Fidelity::Packet});
}

engine::Results RunInputs::run(const CommandContext& context, const engine::Workload& workload,
                               const study::Machine& machine, study::Fidelity fidelity) const {
    progress(context,
             fmt::format("simulating {} ranks, {}", workload.ranks(), study::name_of(fidelity)));
    study::RunOptions wanted = run_options;
    // Only the results folder shows them.
    wanted.timeline = !output_dir.empty();
    wanted.link_load = wanted.timeline;
    engine::Results results = study::simulate(workload, machine, fidelity, wanted);
    if (model.given() && !model.stage()) {
        const TrainingStep step = model.resolve();
        results.rates = study::step_rates(step.model, step.plan, machine, results);
    }
    if (results.simulated_npus < workload.ranks()) {
        progress(context, fmt::format("simulated {} of {} ranks; every other behaves like one of "
                                      "them",
                                      results.simulated_npus, workload.ranks()));
    }
    return results;
}

report::RunOrigin RunInputs::origin() const {
    report::RunOrigin origin{command(), {}};
    for (const CLI::Option* option : command_->get_options()) {
        if (!decides_results(*option)) {
            continue;
        }
        const bool flag = option->get_expected_max() == 0;
        origin.inputs.push_back(
            {option->get_name(), flag ? "" : fmt::format("{}", fmt::join(option->results(), " "))});
    }
    return origin;
}

void RunInputs::progress(const CommandContext& context, const std::string& text) const {
    if (!quiet && !log_lines_only) {
        log_line(context.log, text);
    }
}

void RunInputs::warn(const CommandContext& context, const std::string& text) const {
    if (log_lines_only && !quiet) {
        context.log << report::astra_log_warning(text, report::log_timestamp);
    } else {
        progress(context, "warning: " + text);
    }
}

}  // namespace npunet::cli
