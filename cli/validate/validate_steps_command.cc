#include "cli/command/commands.h"
#include "cli/command/figure_file.h"
#include "cli/command/output_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/printable.h"
#include "report/text_table.h"
#include "study/steps/step_ledger.h"

namespace npunet::cli {

namespace {

using Json = nlohmann::ordered_json;

struct StepsOptions {
    std::string file;
    std::string id;
    std::string stack;
    std::string fidelity = "analytical";
    std::string figure;
    bool kernels_alone = false;
    bool json = false;
};

Json summary_json(const study::StepSummary& summary) {
    Json json{{"name", summary.name},         {"rows", summary.rows},
              {"answered", summary.answered}, {"mean_percent", summary.mean},
              {"max_percent", summary.most},  {"bias_percent", summary.bias},
              {"kendall_tau", nullptr}};
    if (summary.tau) {
        json["kendall_tau"] = *summary.tau;
    }
    return json;
}

void print_json(const study::StepLedger& ledger, std::ostream& out) {
    Json rows = Json::array();
    for (const study::StepLedgerRow& row : ledger.rows) {
        Json entry{{"id", row.step.id},
                   {"group", row.step.group},
                   {"device", row.step.device},
                   {"stack", row.step.stack},
                   {"measured", row.step.value},
                   {"predicted", nullptr},
                   {"unit", row.step.unit},
                   {"error_percent", nullptr},
                   {"uncertainty_percent", nullptr},
                   {"calibrated", row.calibrated},
                   {"assumed", row.step.assumed}};
        if (row.step.skipped.empty()) {
            entry["predicted"] = row.predicted;
            entry["error_percent"] = row.error_percent;
            if (row.uncertainty > 0) {
                entry["uncertainty_percent"] = row.uncertainty;
            }
        } else {
            entry["skipped"] = row.step.skipped;
        }
        if (!row.repeated_by.empty()) {
            entry["same_plan_measured_otherwise"] = row.repeated_by;
        }
        rows.push_back(std::move(entry));
    }
    Json parts = Json::array();
    for (const study::StepSummary& part : ledger.parts) {
        parts.push_back(summary_json(part));
    }
    Json summary = summary_json(ledger.all);
    summary["parts"] = std::move(parts);
    print_document({{"rows", std::move(rows)}, {"summary", std::move(summary)}}, out);
}

void print_rows(const study::StepLedger& ledger, std::ostream& out) {
    report::TextTable table({"id", "plan", "measured", "predicted", "unit", "error", ""}, 2);
    for (const study::StepLedgerRow& row : ledger.rows) {
        if (!row.step.skipped.empty()) {
            continue;
        }
        const generators::Plan& plan = row.step.plan;
        table.add(
            {row.step.id,
             fmt::format("{}, {} GPU{}, dp {} tp {} pp {}{}{}", row.step.model.name, row.step.gpus,
                         row.step.gpus == 1 ? "" : "s", plan.dp, plan.tp, plan.pp,
                         plan.cp > 1 ? fmt::format(" cp {}", plan.cp) : "",
                         plan.vpp > 1 ? fmt::format(" vpp {}", plan.vpp) : ""),
             fmt::format("{:.4g}", row.step.value),
             fmt::format("{:.4g}{}", row.predicted,
                         row.uncertainty > 0 ? fmt::format(" +- {:.0f} %", row.uncertainty) : ""),
             row.step.unit, fmt::format("{:+.1f} %", row.error_percent),
             row.calibrated ? "calibrated on" : ""});
    }
    out << table.text() << '\n';
}

void print_means(const study::StepLedger& ledger, std::ostream& out) {
    report::TextTable means({"stack, device", "answered", "mean", "max", "bias", "Kendall's tau"});
    const auto add = [&means](const study::StepSummary& summary) {
        const auto percent = [&summary](const char* format, double value) {
            return summary.answered > 0 ? fmt::format(fmt::runtime(format), value) : "-";
        };
        means.add({summary.name, fmt::format("{} of {}", summary.answered, summary.rows),
                   percent("{:.1f} %", summary.mean), percent("{:.1f} %", summary.most),
                   percent("{:+.1f} %", summary.bias),
                   summary.tau ? fmt::format("{:.2f}", *summary.tau) : "-"});
    };
    for (const study::StepSummary& part : ledger.parts) {
        add(part);
    }
    add(ledger.all);
    out << means.text();
}

void print(const study::StepLedger& ledger, std::ostream& out) {
    if (ledger.all.answered > 0) {
        print_rows(ledger, out);
    }
    print_means(ledger, out);
    std::map<std::string, std::vector<std::string>> skipped;
    for (const study::StepLedgerRow& row : ledger.rows) {
        if (!row.step.skipped.empty()) {
            skipped[row.step.skipped].push_back(row.step.id);
        }
    }
    for (const auto& [reason, ids] : skipped) {
        out << printable(
                   fmt::format("skipped: {}: {}: {}", ids.size(), reason, fmt::join(ids, ", ")))
            << '\n';
    }
    for (const study::StepLedgerRow& row : ledger.rows) {
        if (!row.repeated_by.empty()) {
            out << printable(fmt::format("{} measured {:.4g} {}, more than 10 % from {} of the "
                                         "same plan",
                                         row.step.id, row.step.value, row.step.unit,
                                         row.repeated_by))
                << '\n';
        }
    }
}

void run(const StepsOptions& options, CommandContext& context) {
    if (!options.figure.empty()) {
        check_figure_file("--figure", options.figure);
    }
    const study::StepOptions how{!options.kernels_alone, study::fidelity_named(options.fidelity)};
    std::vector<study::MeasuredStep> steps = study::read_measured_steps(
        options.file.empty() ? study::measured_steps_file() : options.file);
    steps.erase(std::remove_if(steps.begin(), steps.end(),
                               [&options](const study::MeasuredStep& step) {
                                   return step.id.compare(0, options.id.size(), options.id) != 0;
                               }),
                steps.end());
    const study::StepLedger ledger = study::step_ledger(std::move(steps), how, options.stack);
    if (!options.figure.empty()) {
        write_figure_file(options.figure, report::ledger_figure("Predicted training steps",
                                                                study::ledger_points(ledger)));
    }
    options.json ? print_json(ledger, context.out) : print(ledger, context.out);
}

}  // namespace

void add_validate_steps_command(CLI::App& validate, CommandContext& context) {
    const auto options = std::make_shared<StepsOptions>();
    CLI::App* command = validate.add_subcommand(
        "steps", "Predicted beside measured times of training steps, row by row");
    command
        ->add_option("FILE", options->file,
                     "Measured steps in CSV (default: those that come with npunet)")
        ->type_name("");
    command->add_option("--id", options->id, "Only rows whose id begins so");
    command->add_option("--stack", options->stack,
                        "Stack profile for all rows (default: by the rows' precision and ZeRO)");
    command
        ->add_option("--fidelity", options->fidelity,
                     "analytical, fluid, packet or congestion-aware")
        ->capture_default_str();
    command->add_flag("--kernels-alone", options->kernels_alone,
                      "Kernel times and links alone, without the scalars of the stack");
    command->add_option("--figure", options->figure,
                        "Draw the errors by stack and device into this file (.svg or .png)");
    add_json_flag(*command, options->json);
    command->footer(
        "Example:\n"
        "  npunet validate steps --id DGXC-00 --figure out/steps.svg");
    command->callback([options, &context] { run(*options, context); });
}

}  // namespace npunet::cli
