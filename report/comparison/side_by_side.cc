#include "report/comparison/side_by_side.h"

#include <fmt/format.h>

#include <utility>

#include "base/json_writer.h"
#include "base/printable.h"
#include "base/units.h"
#include "report/html/data_table.h"
#include "report/html/page.h"
#include "report/html/timeline_charts.h"
#include "report/text_table.h"
#include "report/timeline/timeline_excerpt.h"

namespace npunet::report {

namespace {

using analysis::ComparedRow;
using analysis::RunTimeline;
using analysis::RunTotals;
using Kind = DataTable::Kind;
using Layout = JsonWriter::Layout;

/// What the length of a run consists of, in the order of the tables.
struct Part {
    const char* name;
    const char* key;
    Time RunTotals::*time;
};
constexpr Part parts[] = {
    {"length", "length_ns", &RunTotals::length},
    {"computation", "computation_ns", &RunTotals::computation},
    {"exposed communication", "exposed_comm_ns", &RunTotals::exposed_communication},
    {"other", "other_ns", &RunTotals::other},
    {"idle", "idle_ns", &RunTotals::idle}};

std::string signed_time(Time first, Time second) {
    return first <= second ? fmt::format("+{}", format_time(second - first))
                           : fmt::format("-{}", format_time(first - second));
}

void write_run(JsonWriter& json, const RunTimeline& timeline, const RunTotals& totals) {
    json.begin_object()
        .member("label", timeline.label)
        .member("source",
                timeline.source == analysis::RunSource::Measured ? "measured" : "simulated");
    for (const Part& part : parts) {
        json.member(part.key, totals.*part.time);
    }
    json.end_object();
}

std::string totals_table(const SideBySide& both) {
    DataTable table("totals-table", "Where the time of a rank went, mean over the ranks",
                    {{"part"},
                     {both.first.label, "ns", Kind::Exact},
                     {both.second.label, "ns", Kind::Exact},
                     {"difference", "ns", Kind::Exact}});
    for (const Part& part : parts) {
        const Time a = both.comparison.totals[0].*part.time;
        const Time b = both.comparison.totals[1].*part.time;
        table.add({part.name, format_ns(a), format_ns(b), difference_ns(a, b)});
    }
    return table.html();
}

std::string rows_table(const SideBySide& both) {
    DataTable table("differences-table", "By phase, category and dimension, mean over the ranks",
                    {{"phase"},
                     {"category"},
                     {"dimension"},
                     {both.first.label, "ns", Kind::Exact},
                     {both.second.label, "ns", Kind::Exact},
                     {"difference", "ns", Kind::Exact},
                     {"intervals of " + both.first.label, "", Kind::Exact},
                     {"intervals of " + both.second.label, "", Kind::Exact}});
    for (const ComparedRow& row : both.comparison.rows) {
        table.add({name_of(row.phase), name_of(row.category), dimension_of(row),
                   format_ns(row.time[0]), format_ns(row.time[1]),
                   difference_ns(row.time[0], row.time[1]), fmt::format("{}", row.intervals[0]),
                   fmt::format("{}", row.intervals[1])});
    }
    return table.html();
}

}  // namespace

SideBySide::SideBySide(RunTimeline first_run, RunTimeline second_run)
    : first(std::move(first_run)), second(std::move(second_run)) {
    if (first.label == second.label) {
        first.label += " (1)";
        second.label += " (2)";
    }
    analysis::align(first, second);
    comparison = analysis::compare_timelines(first, second);
    for (const RunTimeline* run : {&first, &second}) {
        if (const std::string* note = note_of_excerpt(*run)) {
            comparison.notes.push_back(fmt::format("{}: {}", run->label, *note));
        }
    }
}

std::string dimension_of(const ComparedRow& row) {
    return row.category == analysis::Category::Communication ? name_of(row.dimension) : "-";
}

std::string difference_ns(Time first, Time second) {
    return first <= second ? format_ns(second - first)
                           : fmt::format("-{}", format_ns(first - second));
}

std::string side_by_side_table(const SideBySide& both) {
    TextTable totals({"", both.first.label, both.second.label, "difference"});
    for (const Part& part : parts) {
        const Time a = both.comparison.totals[0].*part.time;
        const Time b = both.comparison.totals[1].*part.time;
        totals.add({part.name, format_time(a), format_time(b), signed_time(a, b)});
    }
    TextTable rows(
        {"phase", "category", "dimension", both.first.label, both.second.label, "difference"}, 3);
    for (const ComparedRow& row : both.comparison.rows) {
        rows.add({name_of(row.phase), name_of(row.category), dimension_of(row),
                  format_time(row.time[0]), format_time(row.time[1]),
                  signed_time(row.time[0], row.time[1])});
    }
    std::string text = fmt::format("Time of a rank, mean over {} ranks\n\n{}\n{}",
                                   both.comparison.ranks, totals.text(), rows.text());
    for (const std::string& note : both.comparison.notes) {
        text += "\nnote: " + printable(note) + "\n";
    }
    return text;
}

std::string side_by_side_json(const SideBySide& both, const std::string& command,
                              const ResultsPair* results) {
    JsonWriter json;
    json.begin_object(Layout::Lines);
    if (!command.empty()) {
        json.member("command", command);
    }
    if (results != nullptr) {
        json.key("results");
        write_results_pair(json, *results);
    }
    json.key("runs").begin_array(Layout::Lines);
    write_run(json, both.first, both.comparison.totals[0]);
    write_run(json, both.second, both.comparison.totals[1]);
    json.end_array()
        .member("ranks", static_cast<std::int64_t>(both.comparison.ranks))
        .key("rows")
        .begin_array(Layout::Lines);
    for (const ComparedRow& row : both.comparison.rows) {
        json.begin_object()
            .member("phase", name_of(row.phase))
            .member("category", name_of(row.category))
            .member("dimension", dimension_of(row))
            .key("intervals")
            .begin_array()
            .value(static_cast<std::int64_t>(row.intervals[0]))
            .value(static_cast<std::int64_t>(row.intervals[1]))
            .end_array()
            .key("time_ns")
            .begin_array()
            .value(row.time[0])
            .value(row.time[1])
            .end_array()
            .member("difference_ns", row.time[1] - row.time[0])
            .end_object();
    }
    json.end_array().key("notes").begin_array();
    for (const std::string& note : both.comparison.notes) {
        json.value(note);
    }
    json.end_array().end_object();
    return json.text() + '\n';
}

std::string side_by_side_page(const SideBySide& both, const ResultsPair* results) {
    Page page(fmt::format("{} and {} side by side", both.first.label, both.second.label));
    std::string summary =
        (results != nullptr ? results_pair_html(*results) : "") + totals_table(both);
    std::vector<std::string> notes = both.comparison.notes;
    for (const RunTimeline* timeline : {&both.first, &both.second}) {
        for (const std::string& note : timeline->notes) {
            notes.push_back(timeline->label + ": " + note);
        }
    }
    page.add({"summary", "Summary", summary + bullet_list(notes)});
    page.add({"differences", "Where they differ", rows_table(both)});
    const std::string chart =
        chart_html({{both.first.label, &both.first}, {both.second.label, &both.second}});
    if (!chart.empty()) {
        page.add({"timeline", "Timelines", chart});
    }
    return page.html();
}

}  // namespace npunet::report
