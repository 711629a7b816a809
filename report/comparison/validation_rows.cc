#include "report/comparison/validation_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/json_writer.h"
#include "base/printable.h"
#include "report/text_table.h"

namespace npunet::report {

namespace {

using Rows = std::vector<const ValidationRow*>;

/// Rows by what a text of theirs says, in the order in which the texts first come.
std::vector<std::pair<std::string, Rows>> rows_by(const ValidationRows& all,
                                                  std::string ValidationRow::*text) {
    std::vector<std::pair<std::string, Rows>> parts;
    for (const ValidationRow& row : all.rows) {
        if ((row.*text).empty()) {
            continue;
        }
        const auto found = std::find_if(parts.begin(), parts.end(),
                                        [&](const auto& part) { return part.first == row.*text; });
        if (found == parts.end()) {
            parts.push_back({row.*text, {&row}});
        } else {
            found->second.push_back(&row);
        }
    }
    return parts;
}

Rows calibrated_rows(const ValidationRows& all, bool calibrated) {
    Rows rows;
    for (const ValidationRow& row : all.rows) {
        if (row.skipped.empty() && row.calibrated == calibrated) {
            rows.push_back(&row);
        }
    }
    return rows;
}

Rows every_row(const ValidationRows& all) {
    Rows rows;
    for (const ValidationRow& row : all.rows) {
        rows.push_back(&row);
    }
    return rows;
}

std::string percent(double error) {
    return fmt::format("{:.1f} %", 100 * error);
}

void add_mean(TextTable& table, const std::string& name, const ValidationMean& mean) {
    table.add({printable(name), fmt::format("{} of {}", mean.answered, mean.rows),
               mean.answered > 0 ? percent(mean.mean) : "-",
               mean.answered > 0 ? percent(mean.percentile) : "-",
               mean.answered > 0 ? fmt::format("{:+.1f} %", 100 * mean.bias) : "-"});
}

void write_mean(JsonWriter& json, const ValidationMean& mean) {
    json.begin_object()
        .member("rows", static_cast<std::int64_t>(mean.rows))
        .member("answered", static_cast<std::int64_t>(mean.answered))
        .member("mean_abs_log_error", mean.mean)
        .member("p90_abs_log_error", mean.percentile)
        .member("mean_log_error", mean.bias)
        .end_object();
}

void write_row(JsonWriter& json, const ValidationRow& row) {
    json.begin_object().member("id", row.id);
    if (!row.skipped.empty()) {
        json.member("skipped", row.skipped).end_object();
        return;
    }
    json.member("measured", row.measured)
        .member("simulated", row.simulated)
        .member("unit", row.unit)
        .member("log_error", row.log_error())
        .key("calibrated")
        .boolean(row.calibrated)
        .member("group", row.group)
        .member("device", row.device)
        .member("operation", row.operation)
        .member("band", row.band)
        .member("how", row.how)
        .end_object();
}

struct Division {
    const char* name;  ///< in JSON
    const char* title;
    std::string ValidationRow::*text;
};

constexpr Division divisions[] = {{"by_device", "device", &ValidationRow::device},
                                  {"by_operation", "operation", &ValidationRow::operation},
                                  {"by_band", "size", &ValidationRow::band}};

}  // namespace

double ValidationRow::log_error() const {
    return std::log(simulated / measured);
}

ValidationMean mean_of(const std::vector<const ValidationRow*>& rows) {
    ValidationMean mean;
    std::vector<double> errors;
    for (const ValidationRow* row : rows) {
        ++mean.rows;
        if (row->skipped.empty()) {
            errors.push_back(std::abs(row->log_error()));
            mean.mean += errors.back();
            mean.bias += row->log_error();
        }
    }
    mean.answered = errors.size();
    if (!errors.empty()) {
        std::sort(errors.begin(), errors.end());
        mean.mean /= static_cast<double>(errors.size());
        mean.bias /= static_cast<double>(errors.size());
        mean.percentile = errors[(errors.size() * 9 + 9) / 10 - 1];
    }
    return mean;
}

std::string validation_table(const ValidationRows& all) {
    std::string text = fmt::format("# {}\n\n", printable(all.title));
    TextTable table({"row", "measured", "simulated", "unit", "error", "calibrated", "simulated as"},
                    1);
    for (const ValidationRow& row : all.rows) {
        if (row.skipped.empty()) {
            table.add({printable(row.id), fmt::format("{:.5g}", row.measured),
                       fmt::format("{:.5g}", row.simulated), row.unit,
                       fmt::format("{:+.1f} %", 100 * row.log_error()),
                       row.calibrated ? "yes" : "no", row.how});
        }
    }
    text += table.text() + "\n";
    std::map<std::string, std::size_t> reasons;
    for (const ValidationRow& row : all.rows) {
        if (!row.skipped.empty()) {
            ++reasons[row.skipped];
        }
    }
    for (const auto& [reason, count] : reasons) {
        text += fmt::format("skipped: {} {}: {}\n", count, count == 1 ? "row" : "rows",
                            printable(reason));
    }
    text += reasons.empty() ? "" : "\n";
    TextTable means({"rows", "answered", "mean |ln error|", "90th percentile", "mean ln error"}, 1);
    add_mean(means, "all", mean_of(every_row(all)));
    add_mean(means, "calibrated on", mean_of(calibrated_rows(all, true)));
    add_mean(means, "not calibrated on", mean_of(calibrated_rows(all, false)));
    for (const Division& division : divisions) {
        for (const auto& [name, rows] : rows_by(all, division.text)) {
            add_mean(means, fmt::format("{} {}", division.title, name), mean_of(rows));
        }
    }
    return text + means.text();
}

std::string validation_json(const ValidationRows& all) {
    using Layout = JsonWriter::Layout;
    JsonWriter json;
    json.begin_object(Layout::Lines).key("rows").begin_array(Layout::Lines);
    for (const ValidationRow& row : all.rows) {
        write_row(json, row);
    }
    json.end_array().key("summary").begin_object(Layout::Lines).member("title", all.title);
    json.key("all");
    write_mean(json, mean_of(every_row(all)));
    json.key("calibrated");
    write_mean(json, mean_of(calibrated_rows(all, true)));
    json.key("not_calibrated");
    write_mean(json, mean_of(calibrated_rows(all, false)));
    for (const Division& division : divisions) {
        json.key(division.name).begin_object(Layout::Lines);
        for (const auto& [name, rows] : rows_by(all, division.text)) {
            json.key(name);
            write_mean(json, mean_of(rows));
        }
        json.end_object();
    }
    json.end_object().end_object();
    return json.text() + "\n";
}

}  // namespace npunet::report
