#include "cli/command/commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/atomic_file.h"
#include "base/errors.h"
#include "base/staged_folder.h"
#include "base/suggest.h"
#include "cli/analyze/analyze_run.h"
#include "cli/command/command_text.h"
#include "cli/command/messages.h"
#include "cli/command/option_values.h"
#include "cli/command/output_options.h"
#include "cli/console/progress_line.h"
#include "report/profile/run_output.h"
#include "report/results/results_owner.h"

namespace npunet::cli {

namespace {

constexpr const char* example =
    "Example:\n"
    "  npunet analyze examples/profiles --time-alignment corrected";

[[noreturn]] void refuse(const char* option, std::string found, std::string expected,
                         std::string remedy) {
    throw InputError({option, "", std::move(found), std::move(expected), std::move(remedy)});
}

/// Names of the reference's tables, without .parquet.
void check_files(AnalyzeOptions& options) {
    if (options.files.empty()) {
        return;
    }
    if (!options.traceviz()) {
        refuse("--files", "with --dialect npunet", "the tables of --dialect traceviz",
               "Add --dialect traceviz, or leave --files out");
    }
    std::vector<std::string> known;
    for (std::size_t i = 0; i < analysis::kernel_table_count; ++i) {
        known.emplace_back(name_of(static_cast<analysis::KernelTable>(i)));
    }
    for (std::string& file : options.files) {
        if (file.ends_with(".parquet")) {
            file.resize(file.size() - std::string_view(".parquet").size());
        }
        if (std::find(known.begin(), known.end(), file) == known.end()) {
            const std::string near = did_you_mean(file, known);
            refuse("--files", fmt::format("'{}'", file),
                   fmt::format("one of {}", fmt::join(known, ", ")),
                   near.empty() ? "Check the name" : near);
        }
    }
}

void check(AnalyzeOptions& options) {
    if (options.folder.empty()) {
        refuse("npunet analyze", "no folder", "a folder of profiles",
               "Give it: npunet analyze DIR");
    }
    options.formats = list_items(options.formats);
    for (const std::string& format : options.formats) {
        if (format != "csv" && format != "parquet" && format != "sqlite") {
            refuse("--format", fmt::format("'{}'", format), "csv, parquet or sqlite",
                   "Give one of them, or several with commas");
        }
    }
    if (!options.formats.empty() && options.output_dir.empty()) {
        refuse("--format", "without --output-dir", "a folder to write to", "Add --output-dir DIR");
    }
    if (options.formats.empty()) {
        options.formats = options.traceviz() ? std::vector<std::string>{"csv", "parquet"}
                                             : std::vector<std::string>{"csv"};
    }
    if (options.kernels && !(options.traceviz() && options.json)) {
        refuse("--kernels", "without --dialect traceviz --json",
               "both: the kernels are in the JSON document", "Add them");
    }
    if (options.arrange && options.output_dir.empty()) {
        refuse("--arrange", "without --output-dir", "a folder for the links",
               "Add --output-dir DIR");
    }
    check_files(options);
}

std::size_t profiles_in(const std::vector<analysis::Iteration>& iterations) {
    std::size_t profiles = 0;
    for (const analysis::Iteration& one : iterations) {
        profiles += one.files.size();
    }
    return profiles;
}

std::string json_of(const AnalyzeOptions& options, const std::vector<analysis::RunProfile>& runs) {
    return report::run_json(runs, options.dialect, options.alignment, options.command) + '\n';
}

void print(const AnalyzeOptions& options, const std::vector<analysis::RunProfile>& runs,
           CommandContext& context) {
    if (options.json) {
        context.out << json_of(options, runs);
    } else if (!options.quiet) {
        const char* separator = "";
        for (const analysis::RunProfile& run : runs) {
            context.out << separator << report::run_text(run);
            separator = "\n";
        }
    }
}

void run_arrange(const AnalyzeOptions& options, const std::vector<analysis::Iteration>& iterations,
                 CommandContext& context) {
    StagedFolder staged(options.output_dir);
    const std::size_t links = arrange(iterations, staged.path());
    staged.commit();
    if (!options.quiet) {
        context.out << fmt::format("{} in {}\n",
                                   counted(static_cast<std::int64_t>(links), "link", "links"),
                                   options.output_dir);
    }
}

void run(AnalyzeOptions options, CommandContext& context) {
    check(options);
    const std::vector<analysis::Iteration> iterations =
        analysis::find_profiles(options.folder, options.choice);
    if (options.arrange) {
        run_arrange(options, iterations, context);
        return;
    }
    const report::ResultsOwner owner{options.command, "analysis.json", options.force};
    if (!options.output_dir.empty()) {
        owner.check(options.output_dir);
    }
    ProgressLine progress(context.log, options.quiet);
    progress.start("profiles", profiles_in(iterations), 0);
    std::unique_ptr<StagedFolder> staged;
    if (!options.output_dir.empty()) {
        staged = std::make_unique<StagedFolder>(options.output_dir);
    }
    const std::vector<analysis::RunProfile> runs =
        analyze(options, iterations, staged ? staged->path() : std::filesystem::path(),
                [&] { progress.step(false); });
    progress.end();
    if (staged) {
        AtomicFile document(staged->path() / owner.document);
        document.stream() << json_of(options, runs);
        document.commit();
        owner.discard_others(*staged, options.output_dir);
        staged->commit({owner.document});
    }
    print(options, runs, context);
}

void add_input_options(CLI::App& command, AnalyzeOptions& options) {
    command.add_option("DIR,--input,-i,--base-folder", options.folder,
                       "Folder of profiles, or of folders of them, an iteration each; or one "
                       "profile");
    command.add_option("--groups", options.groups_file,
                       "File of parallel groups; else unique_parallel_groups_*.txt beside the "
                       "profiles or above");
    command.add_option("--pattern", options.choice.pattern,
                       "Only files of such names, as '*.json'");
    command.add_option("--folders,-f", options.choice.folders,
                       "Only iterations of such names, as 'iteration_1*'");
    command.add_option("--iterations", options.choice.iterations,
                       "Only the iterations of these names");
    command.add_flag("--strict", options.strict, "Refuse profiles that are damaged");
}

void add_measure_options(CLI::App& command, AnalyzeOptions& options) {
    command
        .add_option("--dialect", options.dialect,
                    "npunet: every kernel in one class; traceviz: its nine overlapping tables")
        ->check(one_of({"npunet", "traceviz"}))
        ->capture_default_str();
    command.add_option("--patterns", options.patterns_file,
                       "JSON file of patterns that replace ours, or with KEY+ extend them");
    command
        .add_option("--time-alignment", options.alignment,
                    "Zero of the ranks' times: the wall clock, each rank's own start, or the wall "
                    "clock corrected by the ends of collectives")
        ->check(one_of({"global", "individual", "corrected"}))
        ->capture_default_str();
    command.add_option("--files", options.files,
                       "Of the tables of --dialect traceviz only these, as fwd_computation");
    command
        .add_option("--jobs,-j,--processes,-p", options.threads,
                    "Profiles at a time; 0: as many as the machine has cores")
        ->check(whole_number(0, 1024))
        ->capture_default_str();
}

void add_output_options(CLI::App& command, AnalyzeOptions& options) {
    command
        .add_option("--output-dir", options.output_dir,
                    "Write tables, timeline, page and figures here")
        ->check(output_folder());
    command.add_option("--format", options.formats,
                       "Of the tables: csv, parquet, sqlite, or several with commas");
    add_force_flag(command, options.force);
    command.add_flag("--arrange", options.arrange,
                     "Do nothing but link the profiles into the layout "
                     "iteration_N/rank_RRRR_iter_N.pt.trace.json in --output-dir");
    command.add_flag("--kernels", options.kernels,
                     "With --dialect traceviz --json: every kernel of every table");
    command.add_flag("--json", options.json, "Print one JSON document");
    command.add_flag("--quiet", options.quiet, "No text and no progress");
}

}  // namespace

void add_analyze_command(CLI::App& program, CommandContext& context) {
    CLI::App* command = program.add_subcommand(
        "analyze", "Measure profiles of PyTorch: classes of kernels, overlap, bubbles, speeds.");
    auto options = std::make_shared<AnalyzeOptions>();
    add_input_options(*command, *options);
    add_measure_options(*command, *options);
    add_output_options(*command, *options);
    command->footer(example);
    command->callback([options, command, &context] {
        options->command = options->output_dir.empty() ? "" : command_text(*command);
        run(*options, context);
    });
}

}  // namespace npunet::cli
