#include <fmt/format.h>

#include <cstddef>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "base/quantities.h"
#include "base/units.h"
#include "cli/command/commands.h"
#include "cli/command/messages.h"
#include "cli/command/option_values.h"
#include "cli/command/output_options.h"
#include "cli/console/progress_line.h"
#include "cli/console/stop_request.h"
#include "cli/megatron/megatron_run_options.h"
#include "generators/megatron/logs/log_writer.h"

namespace npunet::cli {

namespace {

using generators::megatron::Dialect;
using generators::megatron::LogWriter;
using generators::megatron::TrainingRun;
using generators::megatron::WrittenLogs;

struct TraceOptions {
    MegatronRunOptions run;
    std::string folder = "comm_logs";
    bool json = false;
    bool quiet = false;
};

/// Ranks from which on the tracer warns too.
constexpr std::int64_t few_ranks = 128;

void warn_of_size(const TrainingRun& run, const LogWriter& writer, std::ostream& log) {
    if (run.dialect == Dialect::Genstack && run.world() > few_ranks) {
        const auto bytes = static_cast<std::int64_t>(writer.log(Rank(0)).size()) * run.world();
        log << fmt::format(
            "npunet: warning: {} ranks become about {}: in the genstack dialect every rank logs "
            "every group\n",
            run.world(), format_bytes(Bytes(bytes)));
    }
}

WrittenLogs write_logs(const TraceOptions& options, const TrainingRun& run,
                       CommandContext& context) {
    const LogWriter writer(run);
    if (!options.quiet) {
        warn_of_size(run, writer, context.log);
    }
    const StopRequest stop;
    ProgressLine progress(context.log, options.quiet);
    progress.start("ranks", static_cast<std::size_t>(run.world()), 0);
    WrittenLogs logs = writer.write(options.folder, [&] {
        progress.step(false);
        if (stop.signal() != 0) {
            throw Stopped(stop.signal(), "nothing has been written; run the same command again");
        }
    });
    progress.end();
    return logs;
}

void run_trace(const TraceOptions& options, CommandContext& context) {
    const TrainingRun run = options.run.run();
    const WrittenLogs logs = write_logs(options, run, context);
    if (options.json) {
        const nlohmann::ordered_json document{
            {"folder", logs.folder.string()}, {"ranks", run.world()},
            {"events", logs.events},          {"bytes", logs.bytes},
            {"micro_batch", run.micro_batch}, {"steps", run.steps}};
        print_document(document, context.out);
    } else if (!options.quiet) {
        context.out << fmt::format("{} with {} ({}) into {}\n", counted(run.world(), "log", "logs"),
                                   counted(logs.events, "event", "events"),
                                   format_bytes(Bytes(logs.bytes)), logs.folder.string());
    }
}

}  // namespace

void add_megatron_trace_command(CLI::App& megatron, CommandContext& context) {
    const auto options = std::make_shared<TraceOptions>();
    CLI::App* command = megatron.add_subcommand(
        "trace", "Logs of what every rank says in one training step, without GPUs");
    options->run.add_to(*command);
    command
        ->add_option("--output-dir", options->folder,
                     "The logs go into its folder MODEL_dpD_tpT_ppP_TIMESTAMP")
        ->check(output_folder())
        ->capture_default_str();
    add_json_flag(*command, options->json);
    command->add_flag("--quiet", options->quiet, "No progress and no text");
    command->footer(
        "Example:\n"
        "  npunet megatron trace --model small --dp 2 --tp 2 --pp 2 --batch 32 "
        "--output-dir comm_logs");
    add_short_help(*command, {MegatronRunOptions::short_help(),
                              {"Output", {{"--output-dir", "DIR", ""}, {"--json", "", ""}}}});
    command->callback([options, &context] { run_trace(*options, context); });
}

}  // namespace npunet::cli
