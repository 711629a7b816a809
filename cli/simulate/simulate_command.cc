#include "cli/command/commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include "base/errors.h"
#include "base/staged_folder.h"
#include "base/units.h"
#include "cli/command/option_values.h"
#include "cli/simulate/astra_options.h"
#include "cli/simulate/dry_run.h"
#include "cli/simulate/ns3_simulator.h"
#include "cli/simulate/run_inputs.h"
#include "cli/simulate/run_watch.h"
#include "cli/simulate/simulate_jobs.h"
#include "report/astra_log.h"
#include "report/results/collective_choices.h"
#include "report/results/flow_csv.h"
#include "report/results/flow_summary.h"
#include "report/results/link_tables.h"
#include "report/results/results_folder.h"
#include "report/results/results_json.h"
#include "report/results/what_if.h"
#include "report/tables.h"
#include "study/collective_choices.h"
#include "study/what_if.h"

namespace npunet::cli {

namespace {

struct SimulateOptions {
    RunInputs inputs;
    AstraOptions astra;
    std::string jobs_file;
    std::string fidelity = "analytical";
    std::string simulator = "own";
    bool messages = false;
    bool detail = false;
    bool what_if = false;
    bool dry_run = false;
    RunLimits limits;
};

/// Whether ranks send each other messages beside collectives, as the stages of a pipeline do.
bool has_messages(const engine::Workload& workload) {
    return std::any_of(workload.bindings.begin(), workload.bindings.end(),
                       [](const engine::RankBinding& rank) { return !rank.peers.empty(); });
}

void print(const CommandContext& context, const SimulateOptions& options,
           const engine::Workload& workload, const engine::Results& results,
           const report::OutputScope& scope) {
    const report::CollectiveDetail* const detail = scope.detail;
    if (options.inputs.json) {
        context.out << report::results_json(results, report::peak_resident_memory(),
                                            options.inputs.command(), scope);
    } else if (results.whole_nanoseconds || options.inputs.log_lines_only) {
        // Scripts read the lines of the reference.
        context.out << report::astra_log(results, report::log_timestamp);
    } else if (!options.inputs.quiet) {
        constexpr std::size_t most_classes = 16;
        context.out << report::summary_table(results, most_classes, has_messages(workload)) << '\n';
        if (scope.what_if != nullptr) {
            context.out << report::what_if_table(*scope.what_if) << '\n';
        }
        context.out << report::link_tables(results);
        if (results.flows) {
            context.out << '\n' << report::flow_tables(*results.flows);
        }
        if (detail != nullptr && !detail->choices.empty()) {
            context.out << '\n' << report::collective_choices_table(detail->choices);
        }
    }
}

/// Runs, with messages.csv written into a staged folder meanwhile.
engine::Results run_with_messages(const CommandContext& context, const RunInputs& inputs,
                                  const engine::Workload& workload, const study::Machine& machine,
                                  study::Fidelity fidelity, const StagedFolder& staged) {
    report::MessagesFile file(staged.path() / "messages.csv", machine.network.graph);
    RunInputs recorded = inputs;
    recorded.run_options.each_message = [&file](const engine::CompletedMessage& message) {
        file.add(message);
    };
    engine::Results results = recorded.run(context, workload, machine, fidelity);
    file.commit();
    return results;
}

void write_folder(const CommandContext& context, const SimulateOptions& options,
                  const engine::Results& results, const report::OutputScope& scope,
                  StagedFolder& staged) {
    const RunInputs& inputs = options.inputs;
    report::write_results(results, staged, "", inputs.origin(), scope);
    inputs.owner("results.json").discard_others(staged, inputs.output_dir);
    staged.commit(report::completeness_marks);
    inputs.progress(context, "results in " + inputs.output_dir);
}

/// Asks what better parts would bring, of a run that came to its end. Nothing after a signal.
std::optional<report::WhatIf> what_if(const CommandContext& context, const RunInputs& inputs,
                                      const engine::Workload& workload,
                                      const study::Machine& machine, study::Fidelity fidelity,
                                      const engine::Results& results, const RunWatch& watch) {
    inputs.progress(context, "simulating what faster parts would bring");
    study::WhatIfOptions options;
    options.run = inputs.run_options;
    options.run.packet.threads = PacketOptions().threads;
    options.threads = inputs.run_options.packet.threads;
    options.stop = [&watch] { return watch.signal() != 0; };
    try {
        return study::what_if(workload, machine, fidelity, results, options);
    } catch (const study::WhatIfStopped&) {
        return std::nullopt;
    }
}

/// Runs, writes the results folder where one is given, and prints.
void simulate(const CommandContext& context, const SimulateOptions& options,
              const engine::Workload& workload, const study::Machine& machine,
              study::Fidelity fidelity, const report::CollectiveDetail* detail,
              const RunWatch* watch) {
    const RunInputs& inputs = options.inputs;
    std::optional<StagedFolder> staged;
    if (options.messages) {
        staged.emplace(inputs.output_dir);
    }
    const engine::Results results =
        options.messages ? run_with_messages(context, inputs, workload, machine, fidelity, *staged)
                         : inputs.run(context, workload, machine, fidelity);
    std::optional<report::WhatIf> answers;
    if (options.what_if && !results.partial) {
        answers = what_if(context, inputs, workload, machine, fidelity, results, *watch);
    }
    const report::OutputScope scope = inputs.scope(detail, answers ? &*answers : nullptr);
    if (!inputs.output_dir.empty()) {
        if (!staged) {
            staged.emplace(inputs.output_dir).discard("messages.csv");
        }
        write_folder(context, options, results, scope, *staged);
    }
    print(context, options, workload, results, scope);
    if (watch != nullptr) {
        watch->check(results);
    }
    if (options.what_if && !answers) {
        throw Stopped(watch->signal(),
                      fmt::format("interrupted by signal {}; the results are without --what-if",
                                  watch->signal()));
    }
}

void refuse_beside(const char* option, bool given, const char* other, const char* remedy) {
    if (given) {
        throw InputError(
            {option, "", fmt::format("{} beside {}", option, other), "one of the two", remedy});
    }
}

/// What --what-if does not go with; its runs are of one workload, and come to their end.
void check_what_if(const SimulateOptions& options) {
    const auto refuse = [](bool given, const char* beside, const char* remedy) {
        refuse_beside("--what-if", given, beside, remedy);
    };
    refuse(options.limits.simulated.has_value(), "--max-sim-time",
           "Partial results have no step time to compare with");
    refuse(options.limits.wall.has_value(), "--max-wall-time",
           "Partial results have no step time to compare with");
    refuse(!options.jobs_file.empty(), "--jobs-file", "It is told of a single workload");
    refuse(options.simulator == "ns3", "--simulator ns3",
           "The results of --simulator own are the same");
    refuse(options.inputs.log_lines_only, "options of ASTRA-sim's",
           "Its log has no place for the table; write our names of the options");
}

/// What --dry-run does not go with: it is of one run, which it breaks off, and writes nothing.
void check_dry_run(const SimulateOptions& options) {
    const auto refuse = [](bool given, const char* beside, const char* remedy) {
        refuse_beside("--dry-run", given, beside, remedy);
    };
    refuse(options.what_if, "--what-if", "Each of its lines takes about as long as the run");
    refuse(options.messages, "--messages", "It writes nothing");
    refuse(options.limits.simulated.has_value(), "--max-sim-time",
           "How long the whole run takes is told of a run to its end");
    refuse(!options.jobs_file.empty(), "--jobs-file", "It is told of a single workload");
    refuse(options.simulator == "ns3", "--simulator ns3", "It is told of --simulator own");
    refuse(options.inputs.log_lines_only, "options of ASTRA-sim's",
           "Its log has no place for it; write our names of the options");
}

/// What ns-3's simulator cannot serve.
void refuse_with_ns3(const SimulateOptions& options, study::Fidelity fidelity) {
    const auto refuse = [](bool given, const char* option, const char* found) {
        if (given) {
            throw InputError(
                {option, "", found, "nothing with --simulator ns3", "Leave out one of the two"});
        }
    };
    if (fidelity != study::Fidelity::Packet) {
        throw InputError({"--simulator", "", fmt::format("ns3 at fidelity {}", name_of(fidelity)),
                          "ns3 at fidelity packet", "Add --fidelity packet"});
    }
    refuse(options.inputs.run_options.flows, options.messages ? "--messages" : "--flows", "given");
    refuse(options.limits.simulated.has_value(), "--max-sim-time", "a limit");
    refuse(options.limits.wall.has_value(), "--max-wall-time", "a limit");
}

void run(const CommandContext& context, const SimulateOptions& options) {
    if (options.detail && options.inputs.output_dir.empty()) {
        throw InputError({"--detail", "", "no folder for collectives.csv", "--output-dir DIR", ""});
    }
    if (options.messages && options.inputs.output_dir.empty()) {
        throw InputError({"--messages", "", "no folder for messages.csv", "--output-dir DIR",
                          "--flows alone needs none"});
    }
    if (options.what_if) {
        check_what_if(options);
    }
    if (options.dry_run) {
        check_dry_run(options);
    }
    options.inputs.check_results_of_others(options.inputs.owner("results.json"),
                                           options.inputs.output_dir);
    const study::Fidelity fidelity = study::fidelity_named(options.fidelity);
    options.inputs.warn_of_idle_options(context, fidelity, options.what_if);
    if (options.simulator == "ns3") {
        refuse_with_ns3(options, fidelity);
    }
    if (!options.jobs_file.empty()) {
        RunInputs inputs = options.inputs;
        if (options.simulator == "ns3") {
            inputs.run_options.packet_simulator = ns3_simulator();
        }
        simulate_jobs(context, inputs, options.jobs_file, fidelity, options.detail, options.limits);
        return;
    }
    const study::Machine machine = options.inputs.machine(context);
    study::check_fidelity(machine, fidelity);
    if (options.what_if) {
        study::check_what_if(machine);
    }
    const engine::Workload workload = options.inputs.workload(machine);
    if (options.dry_run) {
        dry_run(context, options.inputs, workload, machine, fidelity, options.limits);
        return;
    }
    std::optional<engine::CollectivePlanner> planner;
    std::optional<report::CollectiveDetail> made;
    if (options.detail) {
        planner.emplace(machine.network, machine.system, machine.dialect, workload);
        made = report::CollectiveDetail{study::collective_choices(workload, *planner)};
    }
    const report::CollectiveDetail* detail = made ? &*made : nullptr;
    if (options.simulator == "ns3") {
        SimulateOptions elsewhere = options;
        elsewhere.inputs.run_options.packet_simulator = ns3_simulator();
        simulate(context, elsewhere, workload, machine, fidelity, detail, nullptr);
        return;
    }
    RunWatch watch(context.log, options.limits,
                   options.inputs.quiet || options.inputs.log_lines_only);
    SimulateOptions watched = options;
    watched.inputs.run_options.planner = planner ? &*planner : nullptr;
    watched.inputs.run_options.watch = watch.function();
    watched.inputs.run_options.max_time = options.limits.simulated;
    simulate(context, watched, workload, machine, fidelity, detail, &watch);
}

}  // namespace

void add_simulate_command(CLI::App& program, CommandContext& context) {
    auto options = std::make_shared<SimulateOptions>();
    CLI::App* command = program.add_subcommand("simulate", "Run a workload at one fidelity");
    options->inputs.add_to(*command);
    options->astra.add_to(*command);
    command
        ->add_option("--fidelity", options->fidelity,
                     "analytical (quick estimate), fluid (messages share links as streams of "
                     "packets), packet, or congestion-aware (that of ASTRA-sim, which stores whole "
                     "messages at every hop; prefer fluid)")
        ->capture_default_str();
    command
        ->add_option("--simulator", options->simulator,
                     "What drives a run at packet level: own, or ns3 with the helpers of the ns-3 "
                     "module, as in a script (same results)")
        ->check(one_of({"own", "ns3"}))
        ->capture_default_str();
    command->add_flag("--flows", options->inputs.run_options.flows,
                      "Tell how long messages took: of every flow, and of the slowest ones");
    command->add_flag_callback(
        "--messages",
        [options = options.get()] {
            options->messages = true;
            options->inputs.run_options.flows = true;
        },
        "The same, and a row for every message, in the output folder");
    command->add_flag(
        "--detail", options->detail,
        "collectives.csv with a row for every rank's part in every collective, and why "
        "collectives use their algorithms");
    command->add_flag("--what-if", options->what_if,
                      "Also tell the step time with scale-out links, scale-up links, compute and "
                      "memory twice as fast, and with half the latencies: one run for each, --jobs "
                      "of them at a time");
    command->add_flag(
        "--dry-run", options->dry_run,
        "Only tell how long the run would take and what it sends, from its first 10 s "
        "(or --max-wall-time); writes nothing");
    command->add_option("--jobs-file", options->jobs_file,
                        "Several jobs at a time instead of one workload: their traces, NPUs and "
                        "start times (jobs.yml)");
    command
        ->add_option_function<std::string>(
            "--max-sim-time",
            [options = options.get()](const std::string& text) {
                options->limits.simulated = parse_time(text, "--max-sim-time");
            },
            "Stop the run at this simulated time (5ms); the results are then partial")
        ->type_name("TIME");
    command
        ->add_option_function<std::string>(
            "--max-wall-time",
            [options = options.get()](const std::string& text) {
                options->limits.wall = std::chrono::duration<double>(
                    static_cast<double>(parse_time(text, "--max-wall-time").ps()) / 1e12);
            },
            "Stop the run after this wall-clock time (90s)")
        ->type_name("TIME");
    command->footer(
        "Example:\n"
        "  npunet simulate --model llama2-4layer --batch 4 --seq 256 --dp 2 --tp 4 --pp 2 \\\n"
        "      --network configs/networks/mesh-4x4.yml --system configs/systems/a100.json \\\n"
        "      --fidelity packet --output-dir out/step");
    std::vector<HelpSection> sections = RunInputs::short_help(
        {"--fidelity", "NAME", "analytical (default; quick estimate), fluid, or packet"});
    sections.back().entries.push_back(
        {"--what-if", "", "And how long with faster links, compute or memory"});
    sections.back().entries.push_back({"--dry-run", "", "Only tell how long the run would take"});
    add_short_help(*command, std::move(sections));
    command->callback([options, &context] {
        options->astra.apply(options->inputs);
        run(context, *options);
    });
}

}  // namespace npunet::cli
