#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "base/staged_folder.h"
#include "cli/command/commands.h"
#include "cli/command/help_text.h"
#include "cli/command/machine_option.h"
#include "cli/command/messages.h"
#include "cli/command/option_values.h"
#include "cli/generate/generate_output.h"
#include "cli/record/record_plan.h"
#include "cli/record/record_report.h"
#include "cli/record/recorder_process.h"
#include "cli/record/simulated_times.h"
#include "generators/recorded/megatron_logs.h"
#include "generators/recorded/recorded_conversion.h"
#include "profiles/profile_reader.h"
#include "study/simulation_run.h"

namespace npunet::cli {

namespace {

using generators::WorkloadFiles;
using generators::megatron::TrainingRun;
using generators::profiler::OperatorNest;
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
    std::string kernels;
    RecordPlanOptions plan;
    bool simulated_time = false;
    std::string machine;
    std::string network;
    std::string system;
    std::int64_t timeout_s = 600;
    std::size_t jobs = 0;
    std::vector<std::string> command;
    GenerateOutput output;

    /// What is to be recorded. Throws InputError for options that do not go together.
    [[nodiscard]] RecorderJob job() const;
    /// That of --answer-with-simulated-time; nothing without it. Throws InputError.
    [[nodiscard]] std::optional<study::Machine> simulated_machine() const;

private:
    void require_all_ranks(const RecorderJob& job) const;
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
    job.inputs = !kernels.empty();
    require_all_ranks(job);
    const auto told = plan.plan(ranks);
    if (told && distinct) {
        plan.require_sizes();
        ToldRanks of_plan = told_ranks(*told);
        job.as_rank = std::move(of_plan.as_rank);
        job.probes = std::move(of_plan.probes);
    } else if (told && !plan.writes_logs()) {
        throw InputError({"npunet record", "", "the plan of the program",
                          "--distinct or --megatron-logs with it", "Nothing else needs it"});
    }
    return job;
}

void RecordOptions::require_all_ranks(const RecorderJob& job) const {
    if (job.recorded.empty() || static_cast<std::int64_t>(job.recorded.size()) == ranks ||
        (!simulated_time && !plan.writes_logs())) {
        return;
    }
    throw InputError({simulated_time ? "--answer-with-simulated-time" : "--megatron-logs", "",
                      "a recording of some ranks", "one of all ranks",
                      "Leave out --rank, or use --distinct"});
}

std::optional<study::Machine> RecordOptions::simulated_machine() const {
    if (!simulated_time) {
        for (const auto& [option, value] :
             {std::pair{"--machine", &machine}, {"--network", &network}, {"--system", &system}}) {
            if (!value->empty()) {
                throw InputError({option, "", "no --answer-with-simulated-time",
                                  "both: it is for that simulation alone", ""});
            }
        }
        return std::nullopt;
    }
    const MachineFiles files = files_of_machine(machine, network, system);
    if (files.network.empty()) {
        throw InputError({"--answer-with-simulated-time", "", "no --network and no --machine",
                          "one of them: the network of the simulation", ""});
    }
    study::Machine loaded = study::load_machine(files.network, files.system, "npunet");
    const std::size_t npus = loaded.network.graph.npus();
    if (static_cast<std::int64_t>(npus) != ranks) {
        throw InputError({"--npus", "", fmt::format("{} ranks", ranks),
                          fmt::format("{}, the NPUs of {}", npus, loaded.network.file),
                          "The simulation has one NPU for each rank"});
    }
    return loaded;
}

/// The logs of an earlier recording, which may have been of other ranks and other options.
void discard_earlier(StagedFolder& staged, const std::filesystem::path& folder) {
    std::error_code missing;
    for (const auto& entry : std::filesystem::directory_iterator(folder / logs_folder, missing)) {
        const std::string name = entry.path().filename().string();
        const std::filesystem::path within = std::filesystem::path(logs_folder) / name;
        if (name.rfind("rank.", 0) == 0 && !std::filesystem::exists(staged.path() / within)) {
            staged.discard(within);
        }
    }
    const std::filesystem::path megatron = generators::recorded::megatron_logs_folder;
    for (const auto& entry : std::filesystem::directory_iterator(folder / megatron, missing)) {
        const std::filesystem::path within = megatron / entry.path().filename();
        if (generators::recorded::is_of_megatron_logs(within.filename().string()) &&
            !std::filesystem::exists(staged.path() / within)) {
            staged.discard(within);
        }
    }
}

/// Records again, with a clock that shows the times of a simulation: what the program prints then
/// stands in the place of what it printed before.
void record_with_simulated_times(RecorderJob job, const Recording& recording,
                                 const OperatorNest* kernels, const study::Machine& machine,
                                 const std::filesystem::path& folder) {
    // Whatever names and form the traces are to have: those that simulations read.
    WorkloadFiles files;
    files.folder = folder / "traces";
    std::filesystem::create_directories(files.folder);
    static_cast<void>(generators::recorded::convert_recording(recording, files, kernels));
    const std::filesystem::path logs = folder / "recording";
    write_simulated_times(recording, files, machine, folder);
    job.times = folder.string();
    job.distinct = false;
    job.recorded.clear();
    for (const Rank rank : recording.recorded) {
        job.recorded.push_back(rank.value());
    }
    run_recorder(job, logs);
    require_same_logs(recording, logs);
    for (const Rank rank : recording.recorded) {
        const std::string name = fmt::format("rank.{}.output.txt", rank.value());
        std::filesystem::remove(recording.folder / name);
        if (std::filesystem::exists(logs / name)) {
            std::filesystem::rename(logs / name, recording.folder / name);
        }
    }
    std::filesystem::remove_all(folder);
}

void run_record(const RecordOptions& options, CommandContext& context) {
    const RecorderJob job = options.job();
    const std::optional<study::Machine> machine = options.simulated_machine();
    for (const std::string& warning : machine ? machine->warnings : std::vector<std::string>{}) {
        log_warning(context.log, warning);
    }
    std::optional<OperatorNest> kernels;
    if (!options.kernels.empty()) {
        const profiles::EventTable profile = profiles::read_profile(options.kernels);
        if (profile.damage.any()) {
            log_warning(context.log,
                        fmt::format("{}: damaged{}", profile.file, profile.damage.first_text()));
        }
        kernels.emplace(profile);
    }
    std::optional<TrainingRun> run;
    if (options.plan.writes_logs()) {
        run = options.plan.run(options.ranks);
    }
    const WorkloadFiles files = options.output.files();
    StagedFolder staged(files.folder);
    const std::filesystem::path logs = staged.path() / logs_folder;
    run_recorder(job, logs);
    const Recording recording = generators::recorded::open_recording(logs);
    WorkloadFiles staging = files;
    staging.folder = staged.path();
    const RecordedSummary summary =
        generators::recorded::convert_recording(recording, staging, kernels ? &*kernels : nullptr);
    if (machine) {
        record_with_simulated_times(job, recording, kernels ? &*kernels : nullptr, *machine,
                                    staged.path() / "again");
    }
    if (run) {
        generators::recorded::write_megatron_logs(
            recording, *run, staged.path() / generators::recorded::megatron_logs_folder);
    }
    discard_earlier(staged, files.folder);
    staged.commit({"summary.json"});
    generators::remove_further_traces(files, recording.ranks);
    for (const auto& warning : summary.warnings) {
        log_warning(context.log, fmt::format("{}: {}", warning.place, warning.message));
    }
    const std::string megatron =
        run ? (files.folder / generators::recorded::megatron_logs_folder).string() : "";
    options.output.report(record_text(recording, summary, options.kernels, megatron),
                          record_document(recording, summary, options.kernels, megatron),
                          recording.ranks, summary.losses, context.out);
}

void add_options(CLI::App& command, RecordOptions& options) {
    command.add_option("--npus,--ranks", options.ranks, "Ranks of the run (WORLD_SIZE)")
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
    command.add_option(
        "--kernels", options.kernels,
        "Profile of PyTorch on a GPU, with shapes (record_shapes): operations that it "
        "has take their times from there");
    options.plan.add_to(command);
    command.add_flag("--answer-with-simulated-time", options.simulated_time,
                     "Record twice, the second time with a clock that shows the times of a "
                     "simulation of the first: the program's timers print those");
    add_machine_option(command, options.machine,
                       "For --answer-with-simulated-time: --network and --system of a ready "
                       "machine, NAME:COUNT such as dgx-h100:4");
    command.add_option("--network", options.network,
                       "network.yml, for --answer-with-simulated-time");
    command.add_option("--system", options.system, "system.json, for --answer-with-simulated-time");
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
        "  npunet record --npus 8 --output-dir traces -- /usr/bin/python3 "
        "examples/record/ddp_gpt.py");
    add_short_help(
        *command,
        {{"Run",
          {{"COMMAND", "", ""},
           {"--npus", "N", ""},
           {"--rank", "LIST", ""},
           {"--distinct", "", ""},
           {"--dp,--tp,--cp,--pp,--ep", "N", "The program's plan, for --distinct"},
           {"--value", "X", "What .item() of a value that does not exist gives (default: 0)"},
           {"--kernels", "FILE", ""},
           {"--jobs", "N", ""}}},
         {"Output",
          {{"--output-dir", "DIR", ""},
           {"--megatron-logs", "NAME|FILE", "Also logs for npunet megatron, of this model; with"},
           {"--batch,--micro-batches", "N", "Sequences of a step; micro-batches of a replica"},
           {"--json", "", ""}}},
         {"Simulated times",
          {{"--answer-with-simulated-time", "", ""},
           {"--machine", "NAME:COUNT", "A ready machine for that simulation, such as dgx-h100:4"},
           {"--network,--system", "FILE", "Or network.yml and system.json"}}}});
    command->callback([options, &context] { run_record(*options, context); });
}

}  // namespace npunet::cli
