// Writes docs/validation-collectives.md and its figure: scripts/validate --write.
//
//     collectives_page DOCS_FOLDER
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "base/atomic_file.h"
#include "engine/collective_library/library_profile.h"
#include "report/comparison/validation_rows.h"
#include "report/figures/validation_figure.h"
#include "study/validation/collective_validation.h"

namespace npunet {
namespace {

using report::ValidationRow;
using Rows = std::vector<const ValidationRow*>;

constexpr const char* introduction =
    "# Collectives beside measurements\n"
    "\n"
    "Measured collectives (`validation/collectives.csv`) beside the closed forms of\n"
    "[communication libraries](communication-libraries.md), as `npunet validate collectives` has "
    "them; written by\n"
    "`scripts/validate --write`. Errors are ln(simulated / measured). Rows of groups that the "
    "profile was calibrated on are\n"
    "marked; how well rows are predicted that a fit has not seen, `scripts/calibrate-collectives` "
    "prints.\n"
    "\n"
    "![Curves, measured and simulated](figures/validation-collectives.svg)\n"
    "\n";

constexpr const char* conclusion =
    "\n"
    "Rows of vidur and of the nodes that nccl-tests issue #309 is about are from harnesses and "
    "machines of their own, with\n"
    "overheads that the profile does not have: small sizes there take longer. Where a group is not "
    "calibrated on, nothing of\n"
    "it was used.\n";

std::string percent(double error) {
    return fmt::format("{:.1f} %", 100 * error);
}

void add_line(std::string& page, const std::string& name, const Rows& rows) {
    const report::ValidationMean mean = report::mean_of(rows);
    std::string skipped;
    bool calibrated = false;
    for (const ValidationRow* row : rows) {
        skipped = row->skipped.empty() ? skipped : row->skipped;
        calibrated = calibrated || row->calibrated;
    }
    page += mean.answered == 0
                ? fmt::format("| {} | 0 of {} | {} | | | |\n", name, mean.rows, skipped)
                : fmt::format("| {} | {} of {} | {} | {} | {:+.1f} % | {} |\n", name, mean.answered,
                              mean.rows, percent(mean.mean), percent(mean.percentile),
                              100 * mean.bias, calibrated ? "yes" : "no");
}

void add_table(std::string& page, const char* title, const report::ValidationRows& all,
               std::string ValidationRow::*text) {
    page += fmt::format("## {}\n\n", title);
    page += "| | answered | mean error | 90th percentile | mean with sign | calibrated on |\n";
    page += "|---|---|---|---|---|---|\n";
    std::vector<std::pair<std::string, Rows>> parts;
    for (const ValidationRow& row : all.rows) {
        const auto found = std::find_if(parts.begin(), parts.end(),
                                        [&](const auto& part) { return part.first == row.*text; });
        if (found == parts.end()) {
            parts.push_back({row.*text, {&row}});
        } else {
            found->second.push_back(&row);
        }
    }
    for (const auto& [name, rows] : parts) {
        add_line(page, name, rows);
    }
    page += '\n';
}

std::string page_of(const report::ValidationRows& rows) {
    std::string page = introduction;
    add_table(page, "By device", rows, &ValidationRow::device);
    add_table(page, "By operation", rows, &ValidationRow::operation);
    add_table(page, "By size", rows, &ValidationRow::band);
    add_table(page, "By group", rows, &ValidationRow::group);
    page.pop_back();
    return page + conclusion;
}

void write(const std::string& path, const std::string& text) {
    AtomicFile file(path);
    file.stream() << text;
    file.commit();
}

int run(const std::string& docs) {
    std::vector<std::string> warnings;
    const report::ValidationRows rows = study::validate_collectives(
        engine::find_library_profile("nccl-2.29", "", warnings),
        study::read_measured_collectives(study::measured_collectives_file()));
    write(docs + "/validation-collectives.md", page_of(rows));
    write(docs + "/figures/validation-collectives.svg", report::validation_figure(rows).svg);
    return 0;
}

}  // namespace
}  // namespace npunet

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fprintf(stderr, "usage: collectives_page DOCS_FOLDER\n");
        return 2;
    }
    return npunet::run(argv[1]);
}
