#include "cli/simulate_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/units.h"
#include "cli/astra_options.h"
#include "cli/run_inputs.h"
#include "cli/simulate_jobs.h"
#include "report/astra_log.h"
#include "report/results_folder.h"
#include "report/results_json.h"
#include "report/tables.h"

namespace npunet::cli {

namespace {

struct Options {
    RunInputs inputs;
    AstraOptions astra;
    std::string jobs_file;
    std::string fidelity = "analytical";
};

/// Whether ranks send each other messages beside collectives, as the stages of a pipeline do.
bool has_messages(const engine::Workload& workload) {
    return std::any_of(workload.bindings.begin(), workload.bindings.end(),
                       [](const engine::RankBinding& rank) { return !rank.peers.empty(); });
}

void print(const CommandContext& context, const Options& options, const engine::Workload& workload,
           const engine::Results& results) {
    if (options.inputs.json) {
        context.out << report::results_json(results);
    } else if (results.whole_nanoseconds || options.inputs.log_lines_only) {
        // Scripts read the lines of the reference.
        context.out << report::astra_log(results, report::log_timestamp);
    } else if (!options.inputs.quiet) {
        constexpr std::size_t most_classes = 16;
        context.out << report::summary_table(results, most_classes, has_messages(workload)) << '\n'
                    << report::hot_links_table(results);
    }
}

void run(const CommandContext& context, const Options& options) {
    const study::Fidelity fidelity = study::fidelity_named(options.fidelity);
    if (!options.jobs_file.empty()) {
        simulate_jobs(context, options.inputs, options.jobs_file, fidelity);
        return;
    }
    const study::Machine machine = options.inputs.machine(context);
    study::check_fidelity(machine, fidelity);
    const engine::Workload workload = options.inputs.workload(machine);
    const engine::Results results = options.inputs.run(context, workload, machine, fidelity);
    if (!options.inputs.output_dir.empty()) {
        report::write_results_folder(results, options.inputs.output_dir);
        options.inputs.progress(context, "results in " + options.inputs.output_dir);
    }
    print(context, options, workload, results);
}

}  // namespace

void add_simulate_command(CLI::App& program, CommandContext& context) {
    auto options = std::make_shared<Options>();
    CLI::App* command = program.add_subcommand("simulate", "Run a workload at one fidelity");
    options->inputs.add_to(*command);
    options->astra.add_to(*command);
    command
        ->add_option("--fidelity", options->fidelity,
                     "analytical (quick estimate), congestion-aware (messages queue on links) or "
                     "packet (ns-3)")
        ->capture_default_str();
    command->add_option("--jobs-file", options->jobs_file,
                        "Several jobs at a time instead of one workload: their traces, NPUs and "
                        "start times (jobs.yml)");
    command->footer(
        "Example:\n"
        "  npunet simulate --model llama2-4layer --batch 4 --seq 256 --dp 2 --tp 4 --pp 2 \\\n"
        "      --network configs/networks/mesh-4x4.yml --system configs/systems/a100.json \\\n"
        "      --fidelity packet --output-dir out/step");
    command->callback([options, &context] {
        options->astra.apply(options->inputs);
        run(context, *options);
    });
}

}  // namespace npunet::cli
