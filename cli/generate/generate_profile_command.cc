#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "base/quantities.h"
#include "base/units.h"
#include "cli/command/commands.h"
#include "cli/command/messages.h"
#include "cli/command/option_values.h"
#include "cli/console/progress_line.h"
#include "cli/generate/generate_output.h"
#include "generators/profiler/profile_conversion.h"

namespace npunet::cli {

namespace {

using generators::profiler::BeginModel;
using generators::profiler::ConversionSummary;
using generators::profiler::CpuModel;
using generators::profiler::ProfileConversion;
using generators::profiler::ProfileFolder;

struct ProfileOptions {
    std::string folder;
    std::string execution_traces;
    std::string cpu = "gap";
    std::string begin = "measured";
    std::string missing_ranks = "refuse";
    std::string unknown_communication = "refuse";
    std::size_t jobs = 0;
    GenerateOutput output;

    [[nodiscard]] ProfileConversion conversion() const {
        ProfileConversion conversion;
        conversion.cpu = cpu == "gap" ? CpuModel::Gap : CpuModel::None;
        conversion.begin = begin == "measured" ? BeginModel::Measured : BeginModel::Together;
        conversion.matching.missing_left_out = missing_ranks == "leave-out";
        conversion.matching.unknown_as_compute = unknown_communication == "compute";
        conversion.files = output.files();
        conversion.threads = jobs;
        return conversion;
    }
};

void add_options(CLI::App& command, ProfileOptions& options) {
    command
        .add_option("DIR", options.folder,
                    "Folder with the profiler's trace of each rank (*.json, *.json.gz, "
                    "*.json.zst), or one such file")
        ->required();
    command.add_option("--execution-traces", options.execution_traces,
                       "Folder with the PyTorch execution traces of the ranks, or one file");
    command
        .add_option("--cpu", options.cpu,
                    "Between launches: the CPU's time as recorded (gap) or nothing (none)")
        ->check(one_of({"gap", "none"}))
        ->capture_default_str();
    command
        .add_option("--begin", options.begin,
                    "The ranks begin when their profiles do (measured) or together")
        ->check(one_of({"measured", "together"}))
        ->capture_default_str();
    command
        .add_option("--missing-ranks", options.missing_ranks,
                    "Ranks without a profile: refuse, or leave-out of their groups")
        ->check(one_of({"refuse", "leave-out"}))
        ->capture_default_str();
    command
        .add_option("--unknown-communication", options.unknown_communication,
                    "Communication that nothing names: refuse, or take as computation (compute)")
        ->check(one_of({"refuse", "compute"}))
        ->capture_default_str();
    command.add_option("--jobs", options.jobs, "Threads (default: as the machine has cores)")
        ->check(whole_number(1, 1024));
}

std::string time_text(std::int64_t ns) {
    return format_time(Time::ns(ns));
}

std::string as_text(const ConversionSummary& summary) {
    std::string text = fmt::format("{}: {}, {} of GPUs; computation {}, CPU {} over all ranks\n",
                                   counted(summary.ranks, "rank", "ranks"),
                                   counted(summary.nodes, "node", "nodes"),
                                   counted(summary.operations, "operation", "operations"),
                                   time_text(summary.compute_ns), time_text(summary.cpu_ns));
    if (!summary.communication.empty()) {
        text += fmt::format("{:<24}{:>12}  {}\n", "communication", "nodes",
                            "bytes (comm_size over all ranks)");
    }
    for (const auto& [name, kind] : summary.communication) {
        text += fmt::format("{:<24}{:>12}  {}\n", name, kind.nodes, kind.bytes);
    }
    text += fmt::format(
        "Measured {}; the traces with the transfer times measured: {} ({:+.2f} %), no operation "
        "more than {} off\n",
        time_text(summary.replay.measured_ns), time_text(summary.replay.replayed_ns),
        summary.replay.difference_percent(), time_text(summary.replay.largest_ns));
    return text;
}

nlohmann::ordered_json as_json(const ConversionSummary& summary) {
    nlohmann::ordered_json kinds = nlohmann::ordered_json::object();
    for (const auto& [name, kind] : summary.communication) {
        kinds[name] = {{"nodes", kind.nodes}, {"bytes", kind.bytes}};
    }
    return {{"ranks", summary.ranks},
            {"nodes", summary.nodes},
            {"operations", summary.operations},
            {"compute_ns", summary.compute_ns},
            {"cpu_ns", summary.cpu_ns},
            {"groups", summary.groups},
            {"traffic", kinds},
            {"joined", summary.joined},
            {"measured_ns", summary.replay.measured_ns},
            {"replayed_ns", summary.replay.replayed_ns},
            {"largest_difference_ns", summary.replay.largest_ns},
            {"warnings", summary.warnings}};
}

void run_conversion(const ProfileOptions& options, CommandContext& context) {
    const ProfileFolder folder =
        generators::profiler::open_profile_folder(options.folder, options.execution_traces);
    ProgressLine progress(context.log, options.output.quiet());
    const bool shown = folder.profiles.size() > 1;
    if (shown) {
        progress.start("profiles", folder.profiles.size(), 0);
    }
    const ConversionSummary summary =
        generators::profiler::convert_profiles(folder, options.conversion(), [&progress, shown] {
            if (shown) {
                progress.step(false);
            }
        });
    if (shown) {
        progress.end();
    }
    for (const std::string& warning : summary.warnings) {
        log_warning(context.log, warning);
    }
    options.output.report(as_text(summary), as_json(summary), summary.ranks, summary.losses,
                          context.out);
}

}  // namespace

void add_generate_profile_command(CLI::App& generate, CommandContext& context) {
    CLI::App* command = generate.add_subcommand(
        "profile", "Profiles of a run by PyTorch's profiler, as traces that simulations run");
    auto options = std::make_shared<ProfileOptions>();
    add_options(*command, *options);
    options->output.add_to(*command);
    command->footer(
        "Example:\n"
        "  npunet generate profile examples/profile-replay --output-dir traces");
    command->callback([options, &context] { run_conversion(*options, context); });
}

}  // namespace npunet::cli
