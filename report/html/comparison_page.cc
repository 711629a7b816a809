#include "report/html/report_pages.h"

#include <fmt/format.h>

#include <cstddef>
#include <utility>

#include "base/json_writer.h"
#include "base/units.h"
#include "report/comparison/comparison.h"
#include "report/html/data_table.h"
#include "report/html/escape.h"
#include "report/html/gap_section.h"
#include "report/html/page.h"
#include "report/html/results_tables.h"
#include "report/results/npu_summary.h"
#include "report/results/step_rates.h"

namespace npunet::report {

namespace {

using engine::Results;
using Kind = DataTable::Kind;

/// "finish, packet" for every run.
void add_columns(std::vector<DataTable::Column>& columns, const std::vector<Results>& runs,
                 const std::string& name, Kind kind, const std::string& unit = "") {
    for (const Results& results : runs) {
        columns.push_back({name + ", " + results.fidelity, unit, kind});
    }
}

DataTable classes_table(const std::vector<Results>& runs, const Comparison& comparison) {
    constexpr std::pair<const char*, Time engine::NpuResult::*> times[] = {
        {"finish", &engine::NpuResult::finish},
        {"compute", &engine::NpuResult::compute},
        {"communication", &engine::NpuResult::communication},
        {"exposed communication", &engine::NpuResult::exposed_communication}};
    std::vector<DataTable::Column> columns{{"ranks"}, {"ratio of finish", "", Kind::Real}};
    for (const auto& [name, time] : times) {
        add_columns(columns, runs, name, Kind::Time);
    }
    DataTable table("classes-table",
                    "Classes of NPUs with equal traces, each by the one that finishes last",
                    std::move(columns));
    for (const ClassComparison& compared : comparison.classes) {
        std::vector<std::string> row{format_ranks(compared.ranks), shortest(compared.ratio)};
        for (const auto& [name, time] : times) {
            for (const engine::NpuResult* npu : compared.slowest) {
                row.push_back(format_ns(npu->*time));
            }
        }
        table.add(row);
    }
    return table;
}

DataTable types_table(const std::vector<Results>& runs, const Comparison& comparison) {
    std::vector<DataTable::Column> columns{
        {"type"}, {"count", "", Kind::Exact}, {"ratio of means", "", Kind::Real}};
    add_columns(columns, runs, "mean duration", Kind::Time);
    DataTable table("types-table", "Collectives by type", std::move(columns));
    for (const CollectiveComparison& compared : comparison.collectives) {
        std::vector<std::string> row{
            compared.type, fmt::format("{}", compared.runs[comparison.most_detailed].count),
            shortest(compared.ratio)};
        for (const CollectiveTotal& total : compared.runs) {
            row.push_back(total.count == 0
                              ? ""
                              : shortest(total.total_ps / static_cast<double>(total.count) / 1000));
        }
        table.add(row);
    }
    return table;
}

DataTable compared_links_table(const std::vector<Results>& runs, const Comparison& comparison) {
    std::vector<DataTable::Column> columns{{"from"}, {"to"}};
    add_columns(columns, runs, "utilization", Kind::Real, "%");
    add_columns(columns, runs, "on the wire", Kind::Bytes);
    add_columns(columns, runs, "longest queue", Kind::Bytes);
    add_columns(columns, runs, "credit stall", Kind::Time);
    DataTable table("links-table", "Links that were busy longest in the most detailed run",
                    std::move(columns));
    for (const LinkComparison& compared : comparison.hot_links) {
        const engine::LinkResult& link = *compared.runs[comparison.most_detailed];
        std::vector<std::string> row{link.from, link.to};
        const auto add = [&](auto&& cell) {
            for (const engine::LinkResult* in_run : compared.runs) {
                row.push_back(in_run == nullptr ? "" : cell(*in_run));
            }
        };
        add([](const engine::LinkResult& run) { return shortest(run.utilization_percent); });
        add([](const engine::LinkResult& run) { return fmt::format("{}", run.wire.value()); });
        add([](const engine::LinkResult& run) { return fmt::format("{}", run.max_queue.value()); });
        add([](const engine::LinkResult& run) { return format_ns(run.credit_stall); });
        table.add(row);
    }
    return table;
}

std::string references(const std::vector<Results>& runs) {
    std::string html = "<ul>\n";
    for (const Results& results : runs) {
        html += fmt::format("<li><a href=\"{0}/report.html\">{0} in detail</a>{1}</li>\n",
                            html_text(results.fidelity),
                            results.rates ? "; " + html_text(step_rates_text(*results.rates)) : "");
    }
    return html + "</ul>\n";
}

}  // namespace

std::string comparison_page(const std::vector<Results>& runs, const GapExplanation& why,
                            const InputList& inputs) {
    const Comparison comparison = compare(runs);
    const Results& least = runs[comparison.least_detailed];
    const Results& most = runs[comparison.most_detailed];
    Page page(fmt::format("Comparison: {} {}, {} {}", least.fidelity, format_time(least.finish),
                          most.fidelity, format_time(most.finish)));
    page.add(gap_section(runs, why));
    page.add(delays_section(why));
    page.add(contention_section(why));
    std::string side_by_side = references(runs) + classes_table(runs, comparison).html();
    if (!comparison.collectives.empty()) {
        side_by_side += types_table(runs, comparison).html();
    }
    if (!comparison.hot_links.empty()) {
        side_by_side += compared_links_table(runs, comparison).html();
    }
    page.add({"fidelities", "The fidelities side by side", std::move(side_by_side)});
    if (!inputs.empty()) {
        page.add({"inputs", "Inputs", inputs_table(inputs)});
    }
    return page.html();
}

}  // namespace npunet::report
