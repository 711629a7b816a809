#include "cli/command/commands.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/atomic_file.h"
#include "base/errors.h"
#include "base/staged_folder.h"
#include "base/units.h"
#include "cli/command/command_text.h"
#include "cli/command/output_options.h"
#include "report/comparison/results_comparison.h"
#include "report/comparison/side_by_side.h"
#include "report/html/report_pages.h"
#include "report/results/results_owner.h"
#include "report/timeline/perfetto_trace.h"
#include "report/timeline/timeline_excerpt.h"
#include "report/timeline/timeline_file.h"
#include "report/timeline/timeline_pictures.h"

namespace npunet::cli {

namespace {

struct ReportOptions {
    std::vector<std::string> folders;
    std::string output_dir;
    bool json = false;
    bool quiet = false;
    bool force = false;
    std::string command;  ///< command line to run again; empty without output_dir
};

std::filesystem::path timeline_of(const std::string& folder) {
    const std::filesystem::path path = std::filesystem::path(folder) / "timeline.pb";
    if (!std::filesystem::exists(path) &&
        std::filesystem::is_directory(std::filesystem::path(folder) / "jobs")) {
        throw InputError({folder, "", "the folder of several jobs", "the folder of one run",
                          fmt::format("Give that of a job: {}/jobs/NAME", folder)});
    }
    return path;
}

void write_whole(const std::filesystem::path& path, const std::string& text) {
    AtomicFile file(path);
    file.stream() << text;
    file.commit();
}

void print_files(const ReportOptions& options, const std::filesystem::path& folder,
                 const std::vector<std::string>& files, CommandContext& context) {
    if (options.json) {
        nlohmann::ordered_json list = nlohmann::ordered_json::array();
        for (const std::string& file : files) {
            list.push_back((folder / file).string());
        }
        print_document({{"files", list}}, context.out);
    } else if (!options.quiet) {
        for (const std::string& file : files) {
            context.out << (folder / file).string() << '\n';
        }
    }
}

std::vector<std::string> in_figures(const std::vector<std::string>& pictures) {
    std::vector<std::string> files;
    for (const std::string& picture : pictures) {
        files.push_back("figures/" + picture);
    }
    return files;
}

void redraw(const ReportOptions& options, CommandContext& context) {
    const report::SavedTimeline saved =
        report::read_timeline_file(timeline_of(options.folders.front()));
    const std::filesystem::path folder =
        options.output_dir.empty() ? options.folders.front() : options.output_dir;
    std::error_code ignored;
    const bool in_place = std::filesystem::equivalent(folder, options.folders.front(), ignored);
    if (!in_place) {
        report::ResultsOwner{options.command, "", options.force}.check(folder);
    }
    StagedFolder staged(folder);
    std::vector<std::string> files =
        in_figures(report::write_pictures(saved.timeline, staged.path() / "figures"));
    report::write_perfetto_trace(saved.timeline, staged.path() / "timeline.perfetto-trace");
    files.emplace_back("timeline.perfetto-trace");
    const std::string* const excerpt = report::note_of_excerpt(saved.timeline);
    if (excerpt != nullptr && in_place && std::filesystem::exists(folder / "report.html")) {
        context.log << "npunet: report.html stays as the simulation drew it, of all NPUs: here "
                    << *excerpt << '\n';
    } else {
        write_whole(staged.path() / "report.html",
                    saved.results
                        ? report::results_page(*saved.results, saved.timeline, saved.inputs)
                        : report::timeline_page(saved.timeline, saved.inputs));
        files.emplace_back("report.html");
    }
    staged.commit();
    print_files(options, folder, files, context);
}

/// The results.json of an argument.
std::filesystem::path results_of(const std::string& argument) {
    const std::filesystem::path path = argument;
    return std::filesystem::is_directory(path) ? path / "results.json" : path;
}

report::ResultsPair results_of_both(const ReportOptions& options) {
    return {report::read_figures(results_of(options.folders[0])),
            report::read_figures(results_of(options.folders[1]))};
}

/// Two arguments of which one is a file.
void compare_results(const ReportOptions& options, CommandContext& context) {
    if (!options.output_dir.empty()) {
        throw InputError({"--output-dir", "", "two results.json", "two folders with timeline.pb",
                          "Of results alone there is nothing to draw; --json prints them"});
    }
    const report::ResultsPair both = results_of_both(options);
    if (options.json) {
        context.out << report::results_pair_json(both);
    } else if (!options.quiet) {
        context.out << report::results_pair_table(both);
    }
}

/// Of two folders that both have results.json; those of profiles and of runs by other programs may
/// not.
std::optional<report::ResultsPair> results_beside_timelines(const ReportOptions& options) {
    for (const std::string& folder : options.folders) {
        if (!std::filesystem::exists(results_of(folder))) {
            return std::nullopt;
        }
    }
    return results_of_both(options);
}

void compare(const ReportOptions& options, CommandContext& context) {
    const report::ResultsOwner owner{options.command, "side-by-side.json", options.force};
    if (!options.output_dir.empty()) {
        owner.check(options.output_dir);
    }
    report::SavedTimeline first = report::read_timeline_file(timeline_of(options.folders[0]));
    report::SavedTimeline second = report::read_timeline_file(timeline_of(options.folders[1]));
    const report::SideBySide both(std::move(first.timeline), std::move(second.timeline));
    if (both.comparison.ranks == 0) {
        throw InputError(
            {options.folders[1], "", "no rank of " + options.folders[0], "two runs of one workload",
             "Give two folders of the same ranks; simulate --timeline full keeps all"});
    }
    const std::optional<report::ResultsPair> pair = results_beside_timelines(options);
    const report::ResultsPair* const results = pair ? &*pair : nullptr;
    const std::string json = report::side_by_side_json(both, owner.command, results);
    if (!options.output_dir.empty()) {
        StagedFolder staged(options.output_dir);
        (void)report::write_pictures(both.first, both.second, staged.path() / "figures");
        write_whole(staged.path() / "report.html", report::side_by_side_page(both, results));
        write_whole(staged.path() / owner.document, json);
        owner.discard_others(staged, options.output_dir);
        staged.commit({owner.document});
    }
    if (options.json) {
        context.out << json;
    } else if (!options.quiet) {
        if (results != nullptr) {
            context.out << report::results_pair_table(*results) << '\n';
        }
        context.out << report::side_by_side_table(both);
    }
}

}  // namespace

void add_report_command(CLI::App& program, CommandContext& context) {
    const auto options = std::make_shared<ReportOptions>();
    CLI::App* command = program.add_subcommand(
        "report", "Redraw the report of a results folder, or compare two of them");
    command
        ->add_option("DIR", options->folders,
                     "A results folder with timeline.pb; with a second one, both are compared, "
                     "and so are two files results.json")
        ->required()
        ->expected(1, 2);
    command->add_option("--output-dir", options->output_dir,
                        "Where to write; by default into the folder itself, and of two nowhere");
    add_json_flag(*command, options->json);
    command->add_flag("--quiet", options->quiet, "Print no text");
    add_force_flag(*command, options->force);
    command->footer(
        "Example:\n"
        "  npunet simulate --model llama2-4layer --batch 4 --seq 256 --dp 2 --tp 4 --pp 2 \\\n"
        "      --network configs/networks/mesh-4x4.yml --system configs/systems/a100.json \\\n"
        "      --fidelity packet --output-dir out/step\n"
        "  npunet report out/step");
    command->callback([options, command, &context] {
        options->command = options->output_dir.empty() ? "" : command_text(*command);
        if (options->folders.size() == 1) {
            redraw(*options, context);
        } else if (std::filesystem::is_regular_file(options->folders[0]) ||
                   std::filesystem::is_regular_file(options->folders[1])) {
            compare_results(*options, context);
        } else {
            compare(*options, context);
        }
    });
}

}  // namespace npunet::cli
