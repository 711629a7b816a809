#include "report/html/data_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cctype>
#include <charconv>
#include <cmath>
#include <utility>

#include "base/ascii.h"
#include "base/json_writer.h"
#include "base/units.h"
#include "report/html/escape.h"

namespace npunet::report {

namespace {

using Kind = DataTable::Kind;

/// Longer texts may be broken into lines; as in report.js.
constexpr std::size_t long_text = 60;

/// "-" for what is not a finite number.
std::string number_or_dash(const std::string& text) {
    double value = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, value);
    const bool whole = rest == end && error != std::errc::invalid_argument;
    return whole && std::isfinite(value) ? text : "-";
}

std::string shown(const std::string& cell, Kind kind) {
    if (kind == Kind::Text || number_or_dash(cell) == "-") {
        return html_text(cell);
    }
    if (kind == Kind::Exact) {
        return grouped_digits(cell);
    }
    double value = 0;
    std::from_chars(cell.data(), cell.data() + cell.size(), value);
    switch (kind) {
        case Kind::Time:
            return format_time(Time::ps(capped_whole(std::round(value * 1000))));
        case Kind::Bytes:
            return format_bytes(Bytes(capped_whole(value)));
        default:
            return grouped_digits(fmt::format("{:.3f}", value));
    }
}

/// The exact number, where another one is shown; else nothing.
std::string title_of(const std::string& cell, Kind kind) {
    if (cell.empty() || cell == "-" || kind == Kind::Text || kind == Kind::Exact) {
        return "";
    }
    return cell + (kind == Kind::Time ? " ns" : kind == Kind::Bytes ? " bytes" : "");
}

const char* name_of(Kind kind) {
    static constexpr std::array<const char*, 5> names{"text", "exact", "real", "time", "bytes"};
    return names[static_cast<std::size_t>(kind)];
}

}  // namespace

std::string grouped_digits(const std::string& number) {
    const auto first = std::find_if(number.begin(), number.end(), is_digit);
    const auto last = std::find_if_not(first, number.end(), is_digit);
    const auto digits = static_cast<std::size_t>(last - first);
    if (digits < 5) {
        return number;
    }
    std::size_t at = static_cast<std::size_t>(first - number.begin()) + (digits - 1) % 3 + 1;
    std::string html = number.substr(0, at);
    for (const auto end = static_cast<std::size_t>(last - number.begin()); at < end; at += 3) {
        html += "<span>" + number.substr(at, 3) + "</span>";
    }
    return html.append(last, number.end());
}

DataTable::DataTable(std::string id, std::string caption, std::vector<Column> columns)
    : id_(std::move(id)),
      caption_(std::move(caption)),
      columns_(std::move(columns)),
      cells_(columns_.size()) {
    assert(!columns_.empty());
    assert(std::all_of(id_.begin(), id_.end(), [](char c) {
        return c == '-' || std::isalnum(static_cast<unsigned char>(c)) != 0;
    }));
}

void DataTable::set_foot(std::vector<std::string> row) {
    assert(row.size() == columns_.size());
    foot_ = std::move(row);
}

void DataTable::add(const std::vector<std::string>& row) {
    assert(row.size() == columns_.size());
    if (++rows_ > most_rows) {
        return;
    }
    if (first_.size() < first_rows) {
        first_.emplace_back();
    }
    for (std::size_t i = 0; i < row.size(); ++i) {
        const bool text = columns_[i].kind == Kind::Text;
        const std::string cell = text ? clean_text(row[i]) : number_or_dash(row[i]);
        Cells& cells = cells_[i];
        cells.numbers += cells.numbers.empty() ? "" : " ";
        if (text) {
            const auto [entry, is_new] = cells.place_of.try_emplace(cell, cells.texts.size());
            if (is_new) {
                cells.texts.push_back(cell);
            }
            cells.numbers += std::to_string(entry->second);
        } else {
            cells.numbers += cell;
        }
        if (rows_ <= first_rows) {
            first_.back().push_back(cell);
        }
    }
}

std::string DataTable::head() const {
    std::string html = "<thead><tr>";
    for (const Column& column : columns_) {
        html += fmt::format(R"(<th scope="col"{}>{})",
                            column.kind == Kind::Text ? "" : R"( class="number")",
                            html_text(column.name));
        if (!column.unit.empty()) {
            html += fmt::format(R"( <span class="unit">({})</span>)", html_text(column.unit));
        }
        html += "</th>";
    }
    return html + "</tr></thead>\n";
}

std::string DataTable::row_html(const std::vector<std::string>& row) const {
    std::string html = "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) {
        const Kind kind = columns_[i].kind;
        html += i == 0 ? R"(<th scope="row")" : "<td";
        html += kind != Kind::Text          ? R"( class="number")"
                : row[i].size() > long_text ? R"( class="long")"
                                            : "";
        const std::string title = title_of(row[i], kind);
        html += title.empty() ? "" : fmt::format(R"( title="{}")", title);
        html += fmt::format(">{}</{}>", shown(row[i], kind), i == 0 ? "th" : "td");
    }
    return html + "</tr>\n";
}

std::string DataTable::body() const {
    std::string html = "<tbody>\n";
    for (const std::vector<std::string>& row : first_) {
        html += row_html(row);
    }
    html += "</tbody>\n";
    return foot_.empty() ? html : html + "<tfoot>" + row_html(foot_) + "</tfoot>\n";
}

std::string DataTable::data() const {
    JsonWriter json;
    json.begin_array(JsonWriter::Layout::Lines);
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        json.begin_object().member("kind", name_of(columns_[i].kind));
        if (columns_[i].kind == Kind::Text) {
            json.key("texts").begin_array();
            for (const std::string& text : cells_[i].texts) {
                json.value(text);
            }
            json.end_array();
        }
        json.member("cells", cells_[i].numbers).end_object();
    }
    json.end_array();
    return json_in_script(json.text());
}

std::string DataTable::html() const {
    std::string html = fmt::format(
        R"(<div class="table" id="{0}" data-rows="{1}">
<div class="scroll" role="region" aria-labelledby="{0}-caption" tabindex="0">
<table><caption id="{0}-caption"><span>{2}</span></caption>
)",
        id_, std::min(rows_, most_rows), html_text(caption_));
    html += head() + body() + "</table></div>\n";
    if (rows_ > most_rows) {
        html += fmt::format("<p>The first {} of {} rows.</p>\n", most_rows, rows_);
    }
    if (rows_ > first_rows) {
        html += fmt::format(
            "<p class=\"without-script\">Without scripts only the first {} rows are shown.</p>\n",
            first_rows);
    }
    html += R"(<script type="application/json">)" + data() + "</script>\n</div>\n";
    return html;
}

}  // namespace npunet::report
