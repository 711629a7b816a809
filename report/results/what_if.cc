#include "report/results/what_if.h"

#include <fmt/format.h>

#include <cmath>

#include "base/printable.h"
#include "base/units.h"
#include "report/text_table.h"

namespace npunet::report {

namespace {

std::string words_of(const std::optional<BoundBy>& bound) {
    return bound ? bound->words : "-";
}

constexpr double least_shown = 0.05;  ///< percent; less is 0.0

/// "-50.0%", and "0.0%" without a sign.
std::string format_change(double percent) {
    return std::abs(percent) < least_shown ? "0.0%" : fmt::format("{:+.1f}%", percent);
}

}  // namespace

std::optional<double> change_percent(const WhatIf& answers, const WhatIfLine& line) {
    if (!line.finish || answers.finish <= Time()) {
        return std::nullopt;
    }
    const double percent = 100.0 * static_cast<double>((*line.finish - answers.finish).ps()) /
                           static_cast<double>(answers.finish.ps());
    return line.note.empty() || std::abs(percent) >= least_shown ? std::optional(percent)
                                                                 : std::nullopt;
}

std::string what_if_table(const WhatIf& answers) {
    TextTable table({"what if", "then bound by", "step time", "change"}, 2);
    table.add({"as it is", words_of(answers.bound), format_time(answers.finish), "-"});
    std::string notes;
    for (const WhatIfLine& line : answers.lines) {
        const std::optional<double> change = change_percent(answers, line);
        table.add({line.name, words_of(line.bound), line.finish ? format_time(*line.finish) : "-",
                   change ? format_change(*change) : "-"});
        if (!line.note.empty()) {
            notes += fmt::format("note: {}: {}\n", printable(line.name), printable(line.note));
        }
    }
    return table.text() + notes;
}

void write_what_if(JsonWriter& json, const WhatIf& answers) {
    json.begin_array(JsonWriter::Layout::Lines);
    for (const WhatIfLine& line : answers.lines) {
        json.begin_object().member("part", line.part).member("factor", line.factor);
        if (!line.classes.empty()) {
            json.key("links").begin_array();
            for (const std::string& name : line.classes) {
                json.value(name);
            }
            json.end_array();
        }
        if (line.finish) {
            json.member("finish_ns", *line.finish);
        }
        if (const std::optional<double> change = change_percent(answers, line)) {
            json.member("change_percent", *change);
        }
        if (line.bound) {
            json.key("bottleneck").begin_object();
            write_bound(json, *line.bound);
            json.end_object();
        }
        if (!line.note.empty()) {
            json.member("note", line.note);
        }
        json.end_object();
    }
    json.end_array();
}

}  // namespace npunet::report
