#include "cli/command/commands.h"
#include "cli/command/output_options.h"

#include <fmt/format.h>

#include <map>
#include <memory>
#include <string>

#include "base/printable.h"
#include "cli/validate/kernel_table_options.h"
#include "study/kernels/kernel_ledger.h"

namespace npunet::cli {

namespace {

using Json = nlohmann::ordered_json;

struct KernelsOptions {
    std::string file;
    KernelTableArguments table;
    bool json = false;
};

void print_json(const study::KernelLedger& ledger, std::ostream& out) {
    Json rows = Json::array();
    for (const study::KernelLedgerRow& one : ledger.rows) {
        const engine::KernelRow& row = *one.row.row;
        Json entry{{"id", row.line},
                   {"device", one.device},
                   {"measured", row.measured_us},
                   {"predicted", nullptr},
                   {"unit", "us"},
                   {"error_percent", nullptr},
                   {"calibrated", one.calibrated},
                   {"assumed", Json::array()}};
        if (one.skipped.empty()) {
            entry["predicted"] = one.row.predicted_us;
            entry["error_percent"] = one.row.error_percent();
        } else {
            entry["skipped"] = one.skipped;
        }
        rows.push_back(std::move(entry));
    }
    const auto errors_of = [](const study::KernelErrors& errors) {
        Json list = Json::array();
        for (const study::NamedSummary& one : errors) {
            list.push_back(summary_as_json(one));
        }
        return list;
    };
    Json parts = Json::array();
    for (const study::KernelLedgerPart& part : ledger.parts) {
        parts.push_back({{"name", part.name},
                         {"calibrated", part.calibrated},
                         {"errors", errors_of(part.errors)}});
    }
    print_document({{"rows", std::move(rows)},
                    {"summary", {{"errors", errors_of(ledger.all)}, {"parts", std::move(parts)}}}},
                   out);
}

void print_errors(const std::string& name, const study::KernelErrors& errors, std::ostream& out) {
    out << printable(name) << '\n';
    for (const study::NamedSummary& one : errors) {
        const study::ErrorSummary& summary = one.summary;
        if (summary.answered == 0) {
            continue;
        }
        out << fmt::format("  {:<34}{:>7} of {:<7}{:>7.1f} %{:>7.1f} %{:>7.0f} %{:>+8.1f} %\n",
                           name_of(one.which), summary.answered, summary.rows, summary.mean,
                           summary.percentile, summary.most, summary.bias);
    }
}

void print(const study::KernelLedger& ledger, std::ostream& out) {
    out << fmt::format("  {:<34}{:>7}{:<11}{:>9}{:>9}{:>9}{:>10}\n", "rows", "", "", "mean", "95th",
                       "max", "bias");
    for (const study::KernelLedgerPart& part : ledger.parts) {
        print_errors(part.name + (part.calibrated ? " (calibrated on)" : ""), part.errors, out);
    }
    if (ledger.parts.size() != 1) {
        print_errors("all", ledger.all, out);
    }
    std::map<std::string, std::size_t> reasons;
    for (const study::KernelLedgerRow& row : ledger.rows) {
        reasons[row.skipped] += row.skipped.empty() ? 0 : 1;
    }
    for (const auto& [reason, count] : reasons) {
        if (count > 0) {
            out << printable(fmt::format("skipped: {}: {}", count, reason)) << '\n';
        }
    }
}

void run(const KernelsOptions& options, CommandContext& context) {
    const engine::KernelTable table =
        engine::read_kernel_table(options.file, options.table.options());
    const study::KernelLedger ledger = study::kernel_ledger(table, options.table.device);
    options.json ? print_json(ledger, context.out) : print(ledger, context.out);
}

}  // namespace

void add_validate_kernels_command(CLI::App& validate, CommandContext& context) {
    const auto options = std::make_shared<KernelsOptions>();
    CLI::App* command = validate.add_subcommand(
        "kernels", "Predicted beside measured times of kernels, row by row");
    command
        ->add_option("FILE", options->file,
                     "Kernel times, .csv: columns time_us and m,n,k, or batch,seq,heads, or "
                     "operation,bytes; gpu, dtype, causal, direction and others if known")
        ->type_name("FILE")
        ->required();
    options->table.add_to(*command, "Device profile, where the file has no column gpu");
    add_json_flag(*command, options->json);
    command->footer(
        "Example:\n"
        "  npunet validate kernels validation/kernels-h100-gemm.csv --where state=rested");
    command->callback([options, &context] { run(*options, context); });
}

}  // namespace npunet::cli
