#include <fmt/format.h>
#include <unistd.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "base/errors.h"
#include "cli/command/commands.h"
#include "cli/command/messages.h"
#include "cli/command/option_values.h"
#include "cli/console/progress_line.h"
#include "cli/generate/generate_output.h"
#include "cli/megatron/megatron_run_options.h"
#include "generators/megatron/conversion/call_conversion.h"

namespace npunet::cli {

namespace {

using generators::megatron::ComputeSource;
using generators::megatron::ConversionOptions;
using generators::megatron::ConversionTotals;
using generators::megatron::LogFolder;
using generators::megatron::TrainingRun;

/// Ranks from which on it takes long enough for a line about it.
constexpr std::int64_t many_ranks = 64;

struct LogConvertOptions {
    std::string logs;
    MegatronRunOptions run;
    GenerateOutput output;
    std::string compute = "roofline";
    bool no_set_up = false;
    bool no_barriers = false;
    std::int64_t micro_batch = 0;
    double scale = 1.0;

    [[nodiscard]] ConversionOptions conversion() const {
        ConversionOptions options;
        if (compute == "none") {
            options.compute = ComputeSource::None;
        } else if (compute != "roofline") {
            options.compute = ComputeSource::Times;
            options.times = generators::megatron::read_segment_times(compute);
        }
        options.set_up = !no_set_up;
        options.barriers = !no_barriers;
        options.micro_batch = micro_batch;
        options.scale = scale;
        return options;
    }
};

/// The options of a plan, which logs have already.
void refuse_plan_options(const CLI::App& command) {
    for (const CLI::Option* option : command.get_options()) {
        const std::string& group = option->get_group();
        const bool of_plan =
            group == MegatronRunOptions::run_group || group == MegatronRunOptions::switches_group;
        if (of_plan && option->count() > 0) {
            throw InputError({option->get_name(), "", "a plan beside LOGDIR",
                              "one of the two: the logs tell what their plan was",
                              "Leave out LOGDIR, or the options of the plan"});
        }
    }
}

nlohmann::ordered_json as_json(const TrainingRun& run, const ConversionTotals& totals) {
    nlohmann::ordered_json kinds = nlohmann::ordered_json::object();
    for (const auto& [name, kind] : totals.kinds) {
        kinds[name] = {{"nodes", kind.calls}, {"bytes", kind.bytes}};
    }
    return {
        {"ranks", run.world()},  {"nodes", totals.nodes},   {"computations", totals.computations},
        {"flops", totals.flops}, {"groups", totals.groups}, {"traffic", kinds}};
}

std::string as_text(const TrainingRun& run, const ConversionTotals& totals) {
    std::string text =
        fmt::format("{}: {}, {:.4g} FLOPs over all ranks\n", counted(run.world(), "rank", "ranks"),
                    counted(totals.nodes, "node", "nodes"), totals.flops);
    text += fmt::format("{:<24}{:>12}  {}\n", "communication", "nodes",
                        "bytes (comm_size over all ranks)");
    for (const auto& [name, kind] : totals.kinds) {
        text += fmt::format("{:<24}{:>12}  {}\n", name, kind.calls, kind.bytes);
    }
    return text;
}

void run_convert(const LogConvertOptions& options, const CLI::App& command,
                 CommandContext& context) {
    const ConversionOptions conversion = options.conversion();
    ProgressLine progress(context.log, options.output.quiet());
    const auto begin = [&](const TrainingRun& run) {
        if (run.world() >= many_ranks) {
            progress.start("ranks", static_cast<std::size_t>(run.world()), 0);
        }
        return [&progress, shown = run.world() >= many_ranks] {
            if (shown) {
                progress.step(false);
            }
        };
    };
    TrainingRun run;
    ConversionTotals totals;
    if (options.logs.empty()) {
        run = options.run.run();
        totals = convert_run(run, conversion, options.output.files(), begin(run));
    } else {
        refuse_plan_options(command);
        const LogFolder folder = generators::megatron::open_log_folder(options.logs);
        run = folder.run;
        totals = convert_logs(folder, conversion, options.output.files(), begin(run));
    }
    if (run.world() >= many_ranks) {
        progress.end();
    }
    options.output.report(as_text(run, totals), as_json(run, totals),
                          static_cast<std::int32_t>(run.world()), totals.losses, context.out);
}

}  // namespace

void add_megatron_convert_command(CLI::App& megatron, CommandContext& context) {
    const auto options = std::make_shared<LogConvertOptions>();
    CLI::App* command = megatron.add_subcommand(
        "convert", "Execution traces of logs, or of a plan without logs, that simulations run");
    command->add_option("LOGDIR", options->logs,
                        "Folder of logs; without it the options of a plan");
    options->output.add_to(*command);
    command
        ->add_option("--compute", options->compute,
                     "Between calls: roofline (FLOPs and bytes), none, or a file (.yml) with the "
                     "times of segments")
        ->capture_default_str();
    command->add_flag("--no-set-up", options->no_set_up,
                      "Leave out what is called before the first micro-batch");
    command->add_flag("--no-barriers", options->no_barriers, "Leave out barriers");
    command
        ->add_option("--micro-batch", options->micro_batch,
                     "Write the run with micro-batches of N sequences")
        ->check(whole_number(1, generators::most_sequences_of_micro_batch));
    command->add_option("--scale", options->scale, "Multiply all sizes, FLOPs and times by this")
        ->check(number(1e-9, 1e3))
        ->capture_default_str();
    options->run.add_to(*command);
    command->footer(
        "Example:\n"
        "  npunet megatron trace --model small --dp 2 --tp 2 --pp 2 --batch 32 \\\n"
        "      --timestamp 20250810_184348 --output-dir comm_logs\n"
        "  npunet megatron convert comm_logs/small_dp2_tp2_pp2_20250810_184348 --output-dir "
        "traces\n"
        "  npunet megatron convert --model 175b --tp 8 --pp 8 --sequence-parallel "
        "--output-dir traces");
    HelpSection run = MegatronRunOptions::short_help();
    run.title = "Run, without LOGDIR";
    add_short_help(*command, {{"Conversion",
                               {{"LOGDIR", "", ""},
                                {"--compute", "NAME|FILE", ""},
                                {"--micro-batch", "N", ""},
                                {"--scale", "X", ""},
                                {"--output-dir", "DIR", ""},
                                {"--json", "", ""}}},
                              std::move(run)});
    command->callback([options, command, &context] { run_convert(*options, *command, context); });
}

}  // namespace npunet::cli
