#include "report/comparison/compare_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "base/printable.h"
#include "base/units.h"
#include "report/comparison/comparison.h"
#include "report/comparison/gap_table.h"
#include "report/comparison/neighbour_gaps.h"
#include "report/results/npu_summary.h"
#include "report/results/step_summary.h"
#include "report/text_table.h"

namespace npunet::report {

namespace {

using engine::Results;

std::string format_ratio(double ratio) {
    return std::isfinite(ratio) ? fmt::format("{:.4f}", ratio) : "-";
}

std::string class_table(const std::vector<Results>& runs, const Comparison& comparison,
                        std::size_t most_classes) {
    std::vector<const ClassComparison*> shown;
    for (const ClassComparison& compared : comparison.classes) {
        shown.push_back(&compared);
    }
    if (shown.size() > most_classes) {
        const std::size_t run = comparison.most_detailed;
        std::stable_sort(shown.begin(), shown.end(), [run](const auto* a, const auto* b) {
            return a->slowest[run]->finish > b->slowest[run]->finish;
        });
        shown.resize(most_classes);
        std::sort(shown.begin(), shown.end());
    }
    TextTable table({"ranks", "fidelity", "finish", "compute", "communication",
                     "exposed communication", "ratio"},
                    2);
    for (const ClassComparison* compared : shown) {
        for (std::size_t run = 0; run < runs.size(); ++run) {
            const engine::NpuResult& npu = *compared->slowest[run];
            table.add({run == 0 ? format_ranks(compared->ranks) : "", runs[run].fidelity,
                       format_time(npu.finish), format_time(npu.compute),
                       format_time(npu.communication), format_time(npu.exposed_communication),
                       run == comparison.most_detailed ? format_ratio(compared->ratio) : ""});
        }
    }
    std::string text = table.text();
    if (shown.size() < comparison.classes.size()) {
        text += fmt::format("(classes of NPUs that finish earlier: {})\n",
                            comparison.classes.size() - shown.size());
    }
    return text;
}

std::string collective_table(const std::vector<Results>& runs, const Comparison& comparison) {
    std::vector<std::string> heading{"collectives", "count"};
    for (const Results& results : runs) {
        heading.push_back(results.fidelity + ", mean");
    }
    heading.emplace_back("ratio");
    TextTable table(std::move(heading));
    for (const CollectiveComparison& compared : comparison.collectives) {
        std::vector<std::string> row{
            compared.type, fmt::format("{}", compared.runs[comparison.most_detailed].count)};
        for (const CollectiveTotal& total : compared.runs) {
            const auto mean = total.count == 0
                                  ? 0
                                  : std::llround(total.total_ps / static_cast<double>(total.count));
            row.push_back(total.count == 0 ? "-" : format_time(Time::ps(mean)));
        }
        row.push_back(format_ratio(compared.ratio));
        table.add(std::move(row));
    }
    return table.text();
}

std::string link_table(const std::vector<Results>& runs, const Comparison& comparison) {
    std::vector<std::string> heading{"most loaded links"};
    for (const Results& results : runs) {
        heading.push_back(results.fidelity + ", on the wire");
    }
    heading.emplace_back("utilization");
    heading.emplace_back("max queue");
    heading.emplace_back("credit stall");
    TextTable table(std::move(heading));
    for (const LinkComparison& compared : comparison.hot_links) {
        const engine::LinkResult& link = *compared.runs[comparison.most_detailed];
        std::vector<std::string> row{link.from + " -> " + link.to};
        for (const engine::LinkResult* in_run : compared.runs) {
            row.push_back(in_run == nullptr ? "-" : format_bytes(in_run->wire));
        }
        row.push_back(fmt::format("{:.1f}%", link.utilization_percent));
        row.push_back(format_bytes(link.max_queue));
        row.push_back(format_time(link.credit_stall));
        table.add(std::move(row));
    }
    return table.text();
}

void write_classes(JsonWriter& json, const std::vector<Results>& runs,
                   const Comparison& comparison) {
    json.key("by_class").begin_array(JsonWriter::Layout::Lines);
    for (const ClassComparison& compared : comparison.classes) {
        json.begin_object().member("class", compared.number).key("ranks").begin_array();
        for (const Rank rank : compared.ranks) {
            json.value(rank.value());
        }
        json.end_array().key("runs").begin_object();
        for (std::size_t run = 0; run < runs.size(); ++run) {
            const engine::NpuResult& npu = *compared.slowest[run];
            json.key(runs[run].fidelity)
                .begin_object()
                .member("finish_ns", npu.finish)
                .member("compute_ns", npu.compute)
                .member("comm_ns", npu.communication)
                .member("exposed_comm_ns", npu.exposed_communication)
                .end_object();
        }
        json.end_object().member("ratio", compared.ratio).end_object();
    }
    json.end_array();
}

void write_links(JsonWriter& json, const std::vector<Results>& runs, const Comparison& comparison) {
    json.key("hot_links").begin_array(JsonWriter::Layout::Lines);
    for (const LinkComparison& compared : comparison.hot_links) {
        const engine::LinkResult& link = *compared.runs[comparison.most_detailed];
        json.begin_object().member("from", link.from).member("to", link.to).key("runs");
        json.begin_object();
        for (std::size_t run = 0; run < runs.size(); ++run) {
            if (const engine::LinkResult* in_run = compared.runs[run]; in_run != nullptr) {
                json.key(runs[run].fidelity)
                    .begin_object()
                    .member("payload_bytes", in_run->payload)
                    .member("wire_bytes", in_run->wire)
                    .member("utilization_percent", in_run->utilization_percent)
                    .member("max_queue_bytes", in_run->max_queue)
                    .member("credit_stall_ns", in_run->credit_stall)
                    .end_object();
            }
        }
        json.end_object().end_object();
    }
    json.end_array();
}

/// The notes of all runs without duplicates, with their fidelities unless all runs have them.
std::string notes_of(const std::vector<Results>& runs) {
    const auto says = [](const Results& results, const std::string& note) {
        return std::find(results.notes.begin(), results.notes.end(), note) != results.notes.end();
    };
    std::string text;
    for (std::size_t first = 0; first < runs.size(); ++first) {
        for (const std::string& note : runs[first].notes) {
            std::vector<std::string> fidelities;
            for (const Results& results : runs) {
                if (says(results, note)) {
                    fidelities.push_back(results.fidelity);
                }
            }
            if (fidelities.front() != runs[first].fidelity) {
                continue;  // already listed for an earlier run
            }
            text += fidelities.size() == runs.size()
                        ? "note: "
                        : fmt::format("note ({}): ", fmt::join(fidelities, ", "));
            text += printable(note) + '\n';
        }
    }
    return text;
}

}  // namespace

std::string compare_table(const std::vector<Results>& runs, std::size_t most_classes,
                          const GapExplanation* why) {
    const Comparison comparison = compare(runs);
    const Results& least = runs[comparison.least_detailed];
    const Results& most = runs[comparison.most_detailed];
    std::string text =
        fmt::format("{}: {}, {}: {}, ratio {}\n", least.fidelity, format_time(least.finish),
                    most.fidelity, format_time(most.finish), format_ratio(comparison.ratio));
    if (why != nullptr) {
        text += gap_lines(*why);
    }
    text += neighbour_lines(runs, comparison, why);
    text += fmt::format("every ratio is {} / {}\n\n", most.fidelity, least.fidelity);
    text += class_table(runs, comparison, most_classes);
    for (const Results& results : runs) {
        for (const std::string& line : step_summary_lines(results)) {
            text += fmt::format("{} {}\n", results.fidelity, line);
        }
    }
    text += notes_of(runs);
    if (!comparison.collectives.empty()) {
        text += '\n' + collective_table(runs, comparison);
    }
    if (const std::string tables = why == nullptr ? "" : gap_tables(*why); !tables.empty()) {
        text += '\n' + tables;
    }
    if (!comparison.hot_links.empty()) {
        text += '\n' + link_table(runs, comparison);
    }
    return text;
}

std::string compare_json(const std::vector<Results>& runs, Bytes peak_memory,
                         const GapExplanation* why, const std::string& command,
                         const OutputScope& scope) {
    const Comparison comparison = compare(runs);
    JsonWriter json;
    json.begin_object(JsonWriter::Layout::Lines);
    if (!command.empty()) {
        json.member("command", command);
    }
    json.key("runs");
    json.begin_object(JsonWriter::Layout::Lines);
    for (const Results& results : runs) {
        json.key(results.fidelity);
        write_results(json, results, peak_memory, scope);
    }
    json.end_object().member("ratio", comparison.ratio).key("ratio_of");
    json.begin_array()
        .value(runs[comparison.most_detailed].fidelity)
        .value(runs[comparison.least_detailed].fidelity)
        .end_array();
    if (why != nullptr) {
        write_gap(json, *why);
    }
    write_neighbour_gaps(json, runs, comparison, why);
    write_classes(json, runs, comparison);
    json.key("collective_ratio").begin_object();
    for (const CollectiveComparison& compared : comparison.collectives) {
        json.member(compared.type, compared.ratio);
    }
    json.end_object();
    write_links(json, runs, comparison);
    json.end_object();
    return json.text() + '\n';
}

}  // namespace npunet::report
