#include "report/comparison/results_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/json_object.h"
#include "base/printable.h"
#include "base/units.h"
#include "engine/results/parallelism.h"
#include "report/html/data_table.h"
#include "report/results/step_rates.h"
#include "report/results/step_summary.h"
#include "report/text_table.h"

namespace npunet::report {

namespace {

using Json = nlohmann::ordered_json;
using Object = JsonObject<Json>;
using Unit = ResultsFigure::Unit;

constexpr double most_value = 9e18;  ///< of any figure
constexpr const char* by_dimension = "summary.by_dimension.";

/// Of what most runs do not have.
bool is_shown_above_zero(const std::string& key) {
    return key == "summary.exposed_memory_ns" || key.rfind(by_dimension, 0) == 0;
}

[[noreturn]] void refuse(const std::string& file, const std::string& found) {
    throw InputError({file, "", found, "the results.json of one run of npunet simulate",
                      "It is in the folder of --output-dir; --json prints the same"});
}

/// What else the document may be.
std::string kind_of(const Json& document) {
    if (document.contains("points")) {
        return "the results of a sweep";
    }
    if (document.contains("runs")) {
        return "the results of a comparison";
    }
    std::string keys;
    constexpr std::size_t most_named = 4;
    std::size_t named = 0;
    for (const auto& [key, value] : document.items()) {
        if (named++ == most_named) {
            keys += ", ...";
            break;
        }
        keys += fmt::format("{}'{}'", keys.empty() ? "" : ", ", key);
    }
    return keys.empty() ? "an empty object" : fmt::format("JSON with the keys {}", keys);
}

/// The figures of one file, in the order in which they are shown.
class FiguresReader {
public:
    FiguresReader(const std::string& file, const Json& document) : root_(file, document) {
        if (!document.contains("finish_ns") || !document.contains("npus")) {
            refuse(file, kind_of(document));
        }
        if (const std::int64_t schema = root_.integer("schema", 0, 0); schema != 1) {
            throw InputError({file, "schema", fmt::format("schema {}", schema),
                              "schema 1, which this version of npunet reads",
                              "Run the simulation again"});
        }
    }

    SavedFigures read() {
        figures_.fidelity = root_.text("fidelity");
        if (root_.contains("partial")) {
            figures_.partial = root_.object("partial").text("reason");
        }
        add(root_, "", "finish_ns", "step time", Unit::Nanoseconds);
        add(root_, "", "tokens_per_s", "tokens/s", Unit::Number);
        add(root_, "", "model_tflops_per_npu", "model TFLOP/s per NPU", Unit::Number);
        add(root_, "", "mfu_percent", "MFU", Unit::Percent);
        if (root_.contains("summary")) {
            add_summary(root_.object("summary"));
        }
        if (root_.contains("link_classes")) {
            add_links(root_.at("link_classes", "a list"));
        }
        return std::move(figures_);
    }

private:
    /// null is a number that JSON cannot have: a rate over no time.
    void add(const Object& object, const std::string& path, const std::string& key,
             const std::string& name, Unit unit) {
        if (object.contains(key) && !object[key].is_null()) {
            figures_.figures.push_back(
                {path + key, name, unit, object.number(key, {0, most_value})});
        }
    }

    void add_summary(const Object& summary) {
        const std::string path = "summary.";
        add(summary, path, "compute_ns", "compute", Unit::Nanoseconds);
        add(summary, path, "exposed_comm_ns", "exposed communication", Unit::Nanoseconds);
        if (summary.contains("by_dimension")) {
            const Object dimensions = summary.object("by_dimension");
            for (const engine::Parallelism dimension : engine::parallelism_by_precedence) {
                add_dimension(dimensions, key_of(dimension),
                              fmt::format("  of {}", name_of(dimension)));
            }
        }
        add(summary, path, "exposed_memory_ns", "exposed remote memory", Unit::Nanoseconds);
        add(summary, path, "idle_ns", "idle", Unit::Nanoseconds);
        add(summary, path, "bubble_of_step_percent", "bubble", Unit::Percent);
        add(summary, path, "peak_memory_bytes", "peak memory", Unit::Bytes);
        add(summary, path, "memory_capacity_bytes", "memory capacity", Unit::Bytes);
    }

    /// One that does not communicate is not in the file; earlier files have no waiting.
    void add_dimension(const Object& dimensions, const std::string& key, const std::string& name) {
        for (const auto& [figure, of_it] : {std::pair("exposed_comm_ns", ""),
                                            std::pair("waiting_ns", ", waiting for late ranks")}) {
            const bool known = dimensions.contains(key) && dimensions.object(key).contains(figure);
            figures_.figures.push_back(
                {fmt::format("{}{}.{}", by_dimension, key, figure), name + of_it, Unit::Nanoseconds,
                 known ? dimensions.object(key).number(figure, {0, most_value}) : 0});
        }
    }

    void add_links(const Json& classes) {
        for (std::size_t i = 0; classes.is_array() && i < classes.size(); ++i) {
            if (!classes[i].is_object()) {
                refuse(root_.file(),
                       fmt::format("link_classes with {}", describe_json(classes[i])));
            }
            const Object one(root_.file(), classes[i],
                             fmt::format("link_classes, entry {}", i + 1));
            const std::string name = one.text("class");
            const std::string path = "link_classes." + name + ".";
            add(one, path, "max_utilization_percent", name + ", busiest link", Unit::Percent);
            add(one, path, "mean_utilization_percent", name + ", mean link", Unit::Percent);
        }
    }

    Object root_;
    SavedFigures figures_;
};

Time time_of(double nanoseconds) {
    return Time::ps(std::llround(std::min(nanoseconds, 9e15) * 1000));
}

std::string change_of(const ComparedFigure& row) {
    if (row.figure.unit == Unit::Percent || !row.values[0] || !row.values[1] ||
        *row.values[0] <= 0) {
        return "-";
    }
    return fmt::format("{:+.1f}%", 100.0 * (*row.values[1] - *row.values[0]) / *row.values[0]);
}

std::string cell(const ComparedFigure& row, std::size_t run) {
    return row.values[run] ? format_figure(row.figure.unit, *row.values[run]) : "-";
}

std::string difference_cell(const ComparedFigure& row) {
    return row.values[0] && row.values[1]
               ? format_difference(row.figure.unit, *row.values[1] - *row.values[0])
               : "-";
}

std::vector<ComparedFigure> rows_of(const SavedFigures& first, const SavedFigures& second) {
    std::vector<ComparedFigure> rows;
    for (const ResultsFigure& figure : first.figures) {
        rows.push_back({figure, {figure.value, std::nullopt}});
    }
    // What the first one does not have follows what it follows in the second.
    auto place = rows.begin();
    for (const ResultsFigure& figure : second.figures) {
        auto found = std::find_if(rows.begin(), rows.end(), [&](const ComparedFigure& row) {
            return row.figure.key == figure.key;
        });
        if (found == rows.end()) {
            found = rows.insert(place, {figure, {}});
        }
        found->values[1] = figure.value;
        place = found + 1;
    }
    rows.erase(std::remove_if(rows.begin(), rows.end(),
                              [](const ComparedFigure& row) {
                                  return is_shown_above_zero(row.figure.key) &&
                                         row.values[0].value_or(0) <= 0 &&
                                         row.values[1].value_or(0) <= 0;
                              }),
               rows.end());
    return rows;
}

}  // namespace

SavedFigures read_figures(const std::filesystem::path& file) {
    const JsonKind kind{"the results.json of one run of npunet simulate",
                        "It is in the folder of --output-dir; --json prints the same"};
    const Json document = read_json<Json>(file, kind);
    if (!document.is_object()) {
        refuse(file.string(), "JSON that is not an object");
    }
    SavedFigures figures = FiguresReader(file.string(), document).read();
    figures.label =
        (file.filename() == "results.json" && file.has_parent_path() ? file.parent_path() : file)
            .string();
    return figures;
}

ResultsPair::ResultsPair(SavedFigures first, SavedFigures second)
    : runs{std::move(first), std::move(second)}, rows(rows_of(runs[0], runs[1])) {
    if (runs[0].label == runs[1].label) {
        runs[0].label += " (1)";
        runs[1].label += " (2)";
    }
}

std::string format_figure(Unit unit, double value) {
    switch (unit) {
        case Unit::Nanoseconds:
            return format_time(time_of(value));
        case Unit::Bytes:
            return format_bytes(Bytes(std::llround(value)));
        case Unit::Percent:
            return fmt::format("{:.1f}%", value);
        case Unit::Number:
            break;
    }
    return format_rate(value);
}

std::string format_difference(Unit unit, double difference) {
    const char* const sign = difference < 0 ? "-" : "+";
    const double size = std::abs(difference);
    return unit == Unit::Percent ? fmt::format("{}{:.1f} points", sign, size)
                                 : fmt::format("{}{}", sign, format_figure(unit, size));
}

std::string results_pair_table(const ResultsPair& both) {
    TextTable table({"", both.runs[0].label, both.runs[1].label, "difference", "change"});
    table.add({"fidelity", both.runs[0].fidelity, both.runs[1].fidelity, "", ""});
    for (const ComparedFigure& row : both.rows) {
        table.add(
            {row.figure.name, cell(row, 0), cell(row, 1), difference_cell(row), change_of(row)});
    }
    std::string text = table.text();
    for (const SavedFigures& run : both.runs) {
        if (!run.partial.empty()) {
            text += fmt::format("note: the results of {} are partial: {}\n", printable(run.label),
                                printable(run.partial));
        }
    }
    return text;
}

void write_results_pair(JsonWriter& json, const ResultsPair& both) {
    json.begin_object(JsonWriter::Layout::Lines)
        .key("files")
        .begin_array(JsonWriter::Layout::Lines);
    for (const SavedFigures& run : both.runs) {
        json.begin_object().member("file", run.label).member("fidelity", run.fidelity);
        if (!run.partial.empty()) {
            json.member("partial", run.partial);
        }
        json.end_object();
    }
    json.end_array().key("rows").begin_array(JsonWriter::Layout::Lines);
    for (const ComparedFigure& row : both.rows) {
        json.begin_object().member("key", row.figure.key).key("values").begin_array();
        for (const std::optional<double>& value : row.values) {
            if (value) {
                json.value(*value);
            } else {
                json.null();
            }
        }
        json.end_array();
        if (const auto [a, b] = row.values; a && b) {
            json.key("difference");
            // Exact in picoseconds.
            row.figure.unit == Unit::Nanoseconds ? json.value(time_of(*b) - time_of(*a))
                                                 : json.value(*b - *a);
        }
        json.end_object();
    }
    json.end_array().end_object();
}

std::string results_pair_json(const ResultsPair& both) {
    JsonWriter json;
    write_results_pair(json, both);
    return json.text() + '\n';
}

std::string results_pair_html(const ResultsPair& both) {
    DataTable table(
        "results-table", "What the two results say",
        {{"figure"}, {both.runs[0].label}, {both.runs[1].label}, {"difference"}, {"change"}});
    for (const ComparedFigure& row : both.rows) {
        table.add(
            {row.figure.name, cell(row, 0), cell(row, 1), difference_cell(row), change_of(row)});
    }
    return table.html();
}

}  // namespace npunet::report
