#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "base/errors.h"
#include "base/staged_folder.h"
#include "cli/command/commands.h"
#include "cli/command/messages.h"
#include "cli/command/option_values.h"
#include "cli/generate/generate_output.h"
#include "cli/record/recorder_process.h"
#include "generators/recorded/recorded_conversion.h"

namespace npunet::cli {

namespace {

using generators::WorkloadFiles;
using generators::recorded::RecordedSummary;
using generators::recorded::Recording;

constexpr std::int64_t most_ranks = 1 << 20;
constexpr const char* logs_folder = "recording";

struct RecordOptions {
    std::int64_t ranks = 0;
    std::vector<std::string> recorded;
    bool distinct = false;
    std::vector<std::string> values;
    std::string assume;
    std::int64_t timeout_s = 600;
    std::size_t jobs = 0;
    std::vector<std::string> command;
    GenerateOutput output;

    [[nodiscard]] RecorderJob job() const;
};

/// "0,3,8-11": ranks and ranges of them, sorted.
std::vector<std::int32_t> ranks_from(const std::vector<std::string>& texts, std::int64_t ranks) {
    std::set<std::int32_t> result;
    for (const std::string& item : list_items(texts)) {
        const std::size_t dash = item.find('-');
        const std::string first = item.substr(0, dash);
        const std::string last = dash == std::string::npos ? first : item.substr(dash + 1);
        std::int64_t begin = 0;
        std::int64_t end = -1;
        const auto number = [](const std::string& text, std::int64_t& value) {
            const auto [rest, error] =
                std::from_chars(text.data(), text.data() + text.size(), value);
            return error == std::errc() && rest == text.data() + text.size() && !text.empty();
        };
        if (!number(first, begin) || !number(last, end) || begin < 0 || end < begin ||
            end >= ranks) {
            throw InputError({"--rank", "", fmt::format("'{}'", item),
                              fmt::format("ranks from 0 to {}, such as 0,3,8-11", ranks - 1), ""});
        }
        for (std::int64_t rank = begin; rank <= end; ++rank) {
            result.insert(static_cast<std::int32_t>(rank));
        }
    }
    return {result.begin(), result.end()};
}

/// "1.5", or "train.py:57=1.5".
void add_value(const std::string& text, RecorderJob& job) {
    const std::size_t equals = text.rfind('=');
    const std::string number = equals == std::string::npos ? text : text.substr(equals + 1);
    double value = 0;
    const auto [rest, error] = std::from_chars(number.data(), number.data() + number.size(), value);
    if (error != std::errc() || rest != number.data() + number.size() || !std::isfinite(value)) {
        throw InputError({"--value", "", fmt::format("'{}'", text),
                          "a number, or a line of the program with one: train.py:57=1.5", ""});
    }
    if (equals == std::string::npos) {
        job.scalar = value;
    } else {
        job.values[text.substr(0, equals)] = value;
    }
}

RecorderJob RecordOptions::job() const {
    RecorderJob job;
    job.ranks = static_cast<std::int32_t>(ranks);
    job.recorded = ranks_from(recorded, ranks);
    job.distinct = distinct;
    job.command = command;
    const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
    job.processes = static_cast<std::int32_t>(jobs == 0 ? cores : jobs);
    job.timeout_s = timeout_s;
    for (const std::string& value : values) {
        add_value(value, job);
    }
    job.balanced = assume == "balanced";
    return job;
}

std::string as_text(const Recording& recording, const RecordedSummary& summary) {
    std::string text = fmt::format(
        "{} recorded of {}: {}, {} of them tensor operations; {:.4g} FLOPs in matrix products and "
        "{:.4g} in others over all ranks\n",
        counted(static_cast<std::int64_t>(recording.recorded.size()), "rank", "ranks"),
        recording.ranks, counted(summary.totals.nodes, "node", "nodes"), summary.totals.operations,
        static_cast<double>(summary.totals.product_flops),
        static_cast<double>(summary.totals.other_flops));
    if (!summary.totals.kinds.empty()) {
        text += fmt::format("{:<24}{:>12}  {}\n", "communication", "nodes",
                            "bytes (comm_size over all ranks)");
    }
    for (const auto& [name, kind] : summary.totals.kinds) {
        text += fmt::format("{:<24}{:>12}  {}\n", name, kind.nodes, kind.bytes);
    }
    return text;
}

nlohmann::ordered_json as_json(const Recording& recording, const RecordedSummary& summary) {
    nlohmann::ordered_json kinds = nlohmann::ordered_json::object();
    for (const auto& [name, kind] : summary.totals.kinds) {
        kinds[name] = {{"nodes", kind.nodes}, {"bytes", kind.bytes}};
    }
    nlohmann::ordered_json warnings = nlohmann::ordered_json::array();
    for (const auto& warning : summary.warnings) {
        warnings.push_back({{"at", warning.place}, {"message", warning.message}});
    }
    return {{"ranks", recording.ranks},
            {"recorded", recording.recorded.size()},
            {"traces", summary.traces},
            {"nodes", summary.totals.nodes},
            {"operations", summary.totals.operations},
            {"product_flops", summary.totals.product_flops},
            {"other_flops", summary.totals.other_flops},
            {"groups", summary.groups},
            {"traffic", kinds},
            {"warnings", warnings}};
}

/// The logs of an earlier recording, which may have been of other ranks.
void discard_earlier(StagedFolder& staged, const std::filesystem::path& folder) {
    std::error_code missing;
    for (const auto& entry : std::filesystem::directory_iterator(folder / logs_folder, missing)) {
        const std::string name = entry.path().filename().string();
        const std::filesystem::path within = std::filesystem::path(logs_folder) / name;
        if (name.rfind("rank.", 0) == 0 && !std::filesystem::exists(staged.path() / within)) {
            staged.discard(within);
        }
    }
}

void run_record(const RecordOptions& options, CommandContext& context) {
    const RecorderJob job = options.job();
    const WorkloadFiles files = options.output.files();
    StagedFolder staged(files.folder);
    const std::filesystem::path logs = staged.path() / logs_folder;
    run_recorder(job, logs);
    const Recording recording = generators::recorded::open_recording(logs);
    WorkloadFiles staging = files;
    staging.folder = staged.path();
    const RecordedSummary summary = generators::recorded::convert_recording(recording, staging, {});
    discard_earlier(staged, files.folder);
    staged.commit();
    generators::remove_further_traces(files, recording.ranks);
    for (const auto& warning : summary.warnings) {
        log_warning(context.log, fmt::format("{}: {}", warning.place, warning.message));
    }
    options.output.report(as_text(recording, summary), as_json(recording, summary), recording.ranks,
                          summary.losses, context.out);
}

void add_options(CLI::App& command, RecordOptions& options) {
    command.add_option("--ranks", options.ranks, "Ranks of the run (WORLD_SIZE)")
        ->check(whole_number(1, most_ranks))
        ->required();
    CLI::Option* const some =
        command.add_option("--rank", options.recorded, "Record these only, such as 0,3,8-11");
    command
        .add_flag("--distinct", options.distinct,
                  "Record one of the ranks that do the same work; the others follow from it")
        ->excludes(some);
    options.output.add_to(command);
    command.add_option("--value", options.values,
                       "What .item() of a value that does not exist gives (default 0): a number, "
                       "or train.py:57=1.5 for one line; may be repeated");
    command
        .add_option("--assume", options.assume, "balanced: every expert gets equally many tokens")
        ->check(one_of({"balanced"}));
    command.add_option("--timeout", options.timeout_s, "Seconds of processor time for a rank")
        ->check(whole_number(1, 1'000'000))
        ->capture_default_str();
    command
        .add_option("--jobs", options.jobs, "Ranks at a time (default: as the machine has cores)")
        ->check(whole_number(1, 1024));
    command
        .add_option("COMMAND", options.command,
                    "Behind --: the interpreter, the program and its arguments")
        ->required();
}

}  // namespace

void add_record_command(CLI::App& program, CommandContext& context) {
    CLI::App* command = program.add_subcommand(
        "record", "Run a PyTorch training program as each rank, without GPUs, and make traces");
    const auto options = std::make_shared<RecordOptions>();
    add_options(*command, *options);
    command->footer(
        "Example:\n"
        "  npunet record --ranks 8 --output-dir traces -- /usr/bin/python3 "
        "examples/record/ddp_gpt.py");
    command->callback([options, &context] { run_record(*options, context); });
}

}  // namespace npunet::cli
