#include "cli/compare_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "base/atomic_file.h"
#include "base/errors.h"
#include "base/staged_folder.h"
#include "cli/option_values.h"
#include "cli/run_inputs.h"
#include "report/compare_table.h"
#include "report/html/comparison_page.h"
#include "report/results_folder.h"
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

std::string json_of(const std::vector<engine::Results>& runs, const report::GapExplanation& why) {
    return report::compare_json(runs, report::peak_resident_memory(), &why);
}

void run(const CommandContext& context, const CompareOptions& options) {
    const std::vector<study::Fidelity> fidelities =
        distinct_fidelities(list_items(options.fidelities));
    const study::Machine machine = options.inputs.machine(context);
    for (const study::Fidelity fidelity : fidelities) {
        study::check_fidelity(machine, fidelity);
    }
    const engine::Workload workload = options.inputs.workload(machine);
    std::vector<engine::Results> runs;
    for (const study::Fidelity fidelity : fidelities) {
        runs.push_back(options.inputs.run(context, workload, machine, fidelity));
    }
    options.inputs.progress(context, "explaining the difference");
    study::GapOptions gap_options;
    gap_options.packet = options.inputs.run_options.packet;
    const report::GapExplanation why = study::explain_gap(runs, workload, machine, gap_options);
    const std::string table = report::compare_table(runs, 16, &why);
    if (!options.inputs.output_dir.empty()) {
        const std::filesystem::path folder = options.inputs.output_dir;
        const report::InputList inputs = options.inputs.listed();
        StagedFolder staged(folder);
        for (const engine::Results& results : runs) {
            report::write_results(results, staged, results.fidelity, inputs);
        }
        write_file(staged.path() / "compare.txt", table);
        write_file(staged.path() / "report.html", report::comparison_page(runs, why, inputs));
        write_file(staged.path() / "compare.json", json_of(runs, why));
        std::vector<std::string> marks = report::completeness_marks;
        marks.emplace_back("compare.json");
        staged.commit(marks);
        options.inputs.progress(context, "results in " + folder.string());
    }
    if (options.inputs.json) {
        context.out << json_of(runs, why);
    } else if (!options.inputs.quiet) {
        context.out << table;
    }
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
    command->callback([options, &context] { run(context, *options); });
}

}  // namespace npunet::cli
