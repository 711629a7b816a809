// Writes docs/validation-steps.md and its figure: scripts/validate --write.
//
//     steps_page DOCS_FOLDER
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/atomic_file.h"
#include "study/steps/step_ledger.h"

namespace npunet {
namespace {

using study::Ingredient;
using study::MeasuredStep;
using study::StepLedger;
using study::StepLedgerRow;
using study::StepSummary;

constexpr const char* introduction =
    "# Training steps beside measurements\n"
    "\n"
    "Published training steps (`validation/steps.csv`) beside predictions with\n"
    "[device and stack profiles](devices.md#measured-training-steps), as `npunet validate steps` "
    "has them; written by\n"
    "`scripts/validate --write`. Errors are those of the time of a step, positive where the "
    "prediction is longer.\n"
    "\n"
    "![Errors over measured times](figures/validation-steps.svg)\n";

/// Of the steps of the ablation.
constexpr std::int64_t most_gpus = 128;
const std::vector<std::pair<Ingredient, const char*>> ingredients{
    {Ingredient::KernelRates, "kernel rates (peaks of the data sheet in their place)"},
    {Ingredient::LibraryCosts, "costs of NCCL (collectives as fast as the links)"},
    {Ingredient::StepOperations, "step operations beside products, attention and norms"},
    {Ingredient::LoadedRates, "clocks under load (those of rested GPUs)"},
    {Ingredient::ComputeRate, "the scalar compute-rate"},
    {Ingredient::MemoryTime, "the scalar memory-time"},
    {Ingredient::TensorOverlap, "the scalar tensor-overlap"},
    {Ingredient::GradientOverlap, "overlap of data-parallel communication"}};

std::string summary_cells(const StepSummary& summary) {
    if (summary.answered == 0) {
        return fmt::format("0 of {} | | | |", summary.rows);
    }
    return fmt::format("{} of {} | {:.1f} % | {:.1f} % | {:+.1f} % | {} |", summary.answered,
                       summary.rows, summary.mean, summary.most, summary.bias,
                       summary.tau ? fmt::format("{:.2f}", *summary.tau) : "");
}

std::string summary_table(const StepLedger& ledger) {
    std::string page =
        "\n## By stack and device\n\n"
        "| | answered | mean | max | mean with sign | Kendall's tau |\n"
        "|---|---|---|---|---|---|\n";
    for (const StepSummary& part : ledger.parts) {
        page += fmt::format("| {} | {}\n", part.name, summary_cells(part));
    }
    return page;
}

std::string group_table(const StepLedger& ledger) {
    struct Group {
        std::size_t rows = 0;
        double sum = 0;
        double most = 0;
        bool calibrated = false;
    };
    std::vector<std::pair<std::string, Group>> groups;
    for (const StepLedgerRow& row : ledger.rows) {
        if (!row.step.skipped.empty()) {
            continue;
        }
        const std::string name = fmt::format("{} | {}", row.step.group, row.step.device);
        const auto found = std::find_if(groups.begin(), groups.end(),
                                        [&](const auto& group) { return group.first == name; });
        Group& group =
            found == groups.end() ? groups.emplace_back(name, Group{}).second : found->second;
        ++group.rows;
        group.sum += row.error_percent;
        group.most = std::max(group.most, std::abs(row.error_percent));
        group.calibrated = group.calibrated || row.calibrated;
    }
    std::string page =
        "\n## By group\n\n"
        "| group | device | rows | mean with sign | max | calibrated on |\n"
        "|---|---|---|---|---|---|\n";
    for (const auto& [name, group] : groups) {
        page += fmt::format("| {} | {} | {:+.1f} % | {:.1f} % | {} |\n", name, group.rows,
                            group.sum / static_cast<double>(group.rows), group.most,
                            group.calibrated ? "yes" : "no");
    }
    return page;
}

std::string ablation_table(const StepLedger& ledger) {
    std::vector<MeasuredStep> used;
    for (const StepLedgerRow& row : ledger.rows) {
        if (row.calibrated && row.step.gpus <= most_gpus && row.step.stack != "fsdp-eager") {
            used.push_back(row.step);
        }
    }
    std::string page = fmt::format(
        "\n## What matters\n\n"
        "Rows of Megatron-LM and NeMo that were calibrated on, up to {} GPUs, each line without "
        "one "
        "ingredient. The\n"
        "scalars are not fitted again, so that they hold for the other ingredients together.\n\n"
        "| without | bf16: mean | max | mean with sign | FP8: mean | max | mean with sign |\n"
        "|---|---|---|---|---|---|---|\n",
        most_gpus);
    const auto add = [&](const char* name, const study::StepOptions& options) {
        page += fmt::format("| {} |", name);
        for (const bool fp8 : {false, true}) {
            std::vector<MeasuredStep> of_type;
            std::copy_if(used.begin(), used.end(), std::back_inserter(of_type),
                         [fp8](const MeasuredStep& step) { return step.fp8 == fp8; });
            const StepSummary all = step_ledger(std::move(of_type), options).all;
            page += fmt::format(" {:.1f} % | {:.1f} % | {:+.1f} % |", all.mean, all.most, all.bias);
        }
        page += '\n';
    };
    study::StepOptions options;
    add("nothing", options);
    for (const auto& [ingredient, name] : ingredients) {
        options.without = ingredient;
        add(name, options);
    }
    return page;
}

std::string skipped_list(const StepLedger& ledger) {
    std::map<std::string, std::size_t> reasons;
    for (const StepLedgerRow& row : ledger.rows) {
        if (!row.step.skipped.empty()) {
            ++reasons[row.step.skipped];
        }
    }
    std::string page =
        "\n## Rows that are not predicted\n\n"
        "| rows | reason |\n"
        "|---|---|\n";
    for (const auto& [reason, rows] : reasons) {
        page += fmt::format("| {} | {} |\n", rows, reason);
    }
    return page;
}

void write(const std::string& path, const std::string& text) {
    AtomicFile file(path);
    file.stream() << text;
    file.commit();
}

int run(const std::string& docs) {
    const std::vector<MeasuredStep> steps =
        study::read_measured_steps(study::measured_steps_file());
    const StepLedger ledger = study::step_ledger(steps, {});
    write(docs + "/validation-steps.md", introduction + summary_table(ledger) +
                                             group_table(ledger) + ablation_table(ledger) +
                                             skipped_list(ledger));
    write(docs + "/figures/validation-steps.svg",
          report::ledger_figure("Predicted training steps", study::ledger_points(ledger)).svg);
    return 0;
}

}  // namespace
}  // namespace npunet

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fprintf(stderr, "usage: steps_page DOCS_FOLDER\n");
        return 2;
    }
    return npunet::run(argv[1]);
}
