#include "cli/command/commands.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/atomic_file.h"
#include "base/errors.h"
#include "base/staged_folder.h"
#include "cli/command/option_values.h"
#include "cli/console/stop_request.h"
#include "cli/simulate/run_inputs.h"
#include "cli/simulate/run_watch.h"
#include "report/comparison/compare_table.h"
#include "report/html/report_pages.h"
#include "report/results/results_folder.h"
#include "study/gap.h"

namespace npunet::cli {

namespace {

struct CompareOptions {
    RunInputs inputs;
    std::vector<std::string> fidelities{"analytical,packet"};
};

std::vector<study::Fidelity> distinct_fidelities(const std::vector<std::string>& names) {
    std::vector<study::Fidelity> list;
    for (const std::string& name : names) {
        const study::Fidelity fidelity = study::fidelity_named(name, "--fidelities");
        if (std::find(list.begin(), list.end(), fidelity) != list.end()) {
            throw InputError(
                {"--fidelities", "", "'" + name + "' twice", "different fidelities", ""});
        }
        list.push_back(fidelity);
    }
    if (list.size() < 2) {
        throw InputError({"--fidelities", "", fmt::format("{} of them", list.size()),
                          "at least two, such as analytical,packet", ""});
    }
    return list;
}

void write_file(const std::filesystem::path& path, const std::string& text) {
    AtomicFile file(path);
    file.stream() << text;
    file.commit();
}

const std::vector<std::string> comparison_files{"compare.txt", "compare.json", "report.html"};

/// The runs, and the explanation of their difference once it is known.
class Comparison {
public:
    Comparison(const CommandContext& context, const CompareOptions& options,
               const std::vector<study::Fidelity>& fidelities, const report::ResultsOwner& owner)
        : context_(context),
          options_(options),
          fidelities_(fidelities),
          owner_(owner),
          watch_(context.log, {}, options.inputs.quiet || options.inputs.log_lines_only) {}

    void run(const engine::Workload& workload, const study::Machine& machine) {
        for (const study::Fidelity fidelity : fidelities_) {
            try {
                run(fidelity, workload, machine);
            } catch (const StallError&) {
                show();
                throw;
            }
        }
        explain(workload, machine);
        show();
    }

private:
    void run(study::Fidelity fidelity, const engine::Workload& workload,
             const study::Machine& machine) {
        const std::string name = study::name_of(fidelity);
        RunInputs inputs = options_.inputs;
        inputs.run_options.watch = watch_.function(", " + name);
        engine::Results results = inputs.run(context_, workload, machine, fidelity);
        if (results.partial) {
            stop(name + " has not been simulated");
        }
        runs_.push_back(std::move(results));
    }

    void explain(const engine::Workload& workload, const study::Machine& machine) {
        options_.inputs.progress(context_, "explaining the difference");
        study::GapOptions gap_options;
        gap_options.packet = options_.inputs.run_options.packet;
        gap_options.watch = [this](const std::string& what, std::uint64_t done,
                                   std::uint64_t total) {
            return watch_.goes_on(what, done, total);
        };
        try {
            why_ = study::explain_gap(runs_, workload, machine, gap_options);
        } catch (const study::GapStopped&) {
            stop("the difference has not been explained");
        }
    }

    /// Shows the finished runs and throws Stopped.
    [[noreturn]] void stop(const std::string& missing) {
        show();
        std::string kept = "nothing is kept";
        if (!runs_.empty()) {
            std::vector<std::string> names;
            for (const engine::Results& results : runs_) {
                names.push_back(results.fidelity);
            }
            kept = fmt::format("{} {} finished", fmt::join(names, " and "),
                               names.size() == 1 ? "is" : "are");
            if (!options_.inputs.output_dir.empty()) {
                kept += ", with results in " + options_.inputs.output_dir;
            }
        }
        throw Stopped(watch_.signal(), fmt::format("interrupted by signal {}, and {}; {}",
                                                   watch_.signal(), missing, kept));
    }

    void show() {
        if (!options_.inputs.output_dir.empty() && !runs_.empty()) {
            write_folder();
        }
        // A comparison needs at least two runs.
        if (runs_.size() < 2) {
            return;
        }
        if (options_.inputs.json) {
            context_.out << json();
        } else if (!options_.inputs.quiet) {
            context_.out << table();
        }
    }

    void write_folder() {
        const std::filesystem::path folder = options_.inputs.output_dir;
        const report::RunOrigin origin = options_.inputs.origin();
        StagedFolder staged(folder);
        for (const engine::Results& results : runs_) {
            report::write_results(results, staged, results.fidelity, origin,
                                  options_.inputs.scope());
        }
        for (std::size_t i = runs_.size(); i < fidelities_.size(); ++i) {
            report::discard_results(staged, study::name_of(fidelities_[i]));
        }
        // Files of an earlier comparison would not match these results.
        for (const std::string& name : comparison_files) {
            if (runs_.size() < 2 || (!why_ && name == "report.html")) {
                staged.discard(name);
            }
        }
        if (runs_.size() > 1) {
            write_file(staged.path() / "compare.txt", table());
            write_file(staged.path() / "compare.json", json());
        }
        if (why_) {
            write_file(staged.path() / "report.html",
                       report::comparison_page(runs_, *why_, origin.inputs));
        }
        std::vector<std::string> marks = report::completeness_marks;
        marks.emplace_back(owner_.document);
        owner_.discard_others(staged, folder);
        staged.commit(marks);
        options_.inputs.progress(context_, "results in " + folder.string());
    }

    [[nodiscard]] const report::GapExplanation* why() const { return why_ ? &*why_ : nullptr; }
    [[nodiscard]] std::string table() const { return report::compare_table(runs_, 16, why()); }
    [[nodiscard]] std::string json() const {
        return report::compare_json(runs_, report::peak_resident_memory(), why(), owner_.command,
                                    options_.inputs.scope());
    }

    const CommandContext& context_;
    const CompareOptions& options_;
    const std::vector<study::Fidelity>& fidelities_;  ///< all that were requested
    const report::ResultsOwner& owner_;
    RunWatch watch_;
    std::vector<engine::Results> runs_;
    std::optional<report::GapExplanation> why_;
};

/// Checks the folder of the comparison and those of its runs.
void check_folders(const RunInputs& inputs, const report::ResultsOwner& owner,
                   const std::vector<study::Fidelity>& fidelities) {
    const std::filesystem::path folder = inputs.output_dir;
    inputs.check_results_of_others(owner, folder);
    for (const study::Fidelity fidelity : fidelities) {
        inputs.check_results_of_others(inputs.owner("results.json"),
                                       folder / study::name_of(fidelity));
    }
}

void run(const CommandContext& context, const CompareOptions& options) {
    const std::vector<study::Fidelity> fidelities =
        distinct_fidelities(list_items(options.fidelities));
    const report::ResultsOwner owner = options.inputs.owner("compare.json");
    check_folders(options.inputs, owner, fidelities);
    const study::Machine machine = options.inputs.machine(context);
    for (const study::Fidelity fidelity : fidelities) {
        study::check_fidelity(machine, fidelity);
    }
    const engine::Workload workload = options.inputs.workload(machine);
    Comparison(context, options, fidelities, owner).run(workload, machine);
}

}  // namespace

void add_compare_command(CLI::App& program, CommandContext& context) {
    auto options = std::make_shared<CompareOptions>();
    CLI::App* command =
        program.add_subcommand("compare", "Run the same inputs at several fidelities");
    options->inputs.add_to(*command);
    command->add_option("--fidelities", options->fidelities, "Which, separated by commas")
        ->capture_default_str();
    command->footer(
        "Example:\n"
        "  npunet compare --model llama2-4layer --batch 4 --seq 256 --dp 2 --tp 4 --pp 2 \\\n"
        "      --network configs/networks/mesh-4x4.yml --system configs/systems/a100.json");
    add_short_help(*command, RunInputs::short_help({"--fidelities", "LIST",
                                                    "Of analytical, fluid and packet (default: "
                                                    "analytical,packet)"}));
    command->callback([options, &context] { run(context, *options); });
}

}  // namespace npunet::cli
