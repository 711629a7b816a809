#include "report/html/timeline_charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "report/html/escape.h"
#include "report/timeline/activity_grid.h"

namespace npunet::report {

namespace {

using analysis::Intervals;
using analysis::RunTimeline;
using Json = nlohmann::ordered_json;

/// Cells of all rows and columns; a finer grid would not be seen and make pages large.
constexpr std::size_t most_cells = std::size_t{1} << 20;
constexpr std::size_t least_columns = 1024;
constexpr std::size_t most_chart_columns = 4096;

struct Row {
    const RunTimeline* timeline;
    std::vector<Rank> ranks;
    std::string label;
};

std::string label_of(const ChartPanel& panel, const std::vector<Rank>& ranks) {
    const std::string numbers =
        ranks.size() == 1 ? fmt::format("{}", ranks.front().value())
                          : fmt::format("{}-{}", ranks.front().value(), ranks.back().value());
    return panel.label.empty() ? numbers : panel.label + " " + numbers;
}

std::vector<Row> rows_of(const std::vector<ChartPanel>& panels) {
    std::vector<Row> rows;
    for (const ChartPanel& panel : panels) {
        for (std::vector<Rank>& ranks :
             rows_of_ranks(panel.timeline->ranks(), most_chart_rows / panels.size())) {
            const std::string label = label_of(panel, ranks);
            rows.push_back({panel.timeline, std::move(ranks), label});
        }
    }
    return rows;
}

/// Numbers in a string: shorter than a list, and quicker to read.
class NumberList {
public:
    void add(std::int64_t number) {
        fmt::format_to(std::back_inserter(text_), "{}{}", text_.empty() ? "" : " ", number);
    }
    [[nodiscard]] const std::string& text() const { return text_; }

private:
    std::string text_;
};

Json intervals_of(const std::vector<Row>& rows) {
    NumberList counts, start, length, activity, name, batch, bytes;
    std::vector<std::string> names;
    std::unordered_map<std::string, std::int64_t> number_of;
    for (const Row& row : rows) {
        const Intervals& table = row.timeline->intervals;
        const auto [first, end] = row.timeline->rows_of(row.ranks.front());
        counts.add(static_cast<std::int64_t>(end - first));
        Time before;
        for (std::size_t i = first; i < end; ++i) {
            start.add((table.start(i) - before).ps());
            before = table.start(i);
            length.add((table.end(i) - table.start(i)).ps());
            activity.add(static_cast<std::int64_t>(activity_of(table, i)));
            const std::string& text = row.timeline->names[table.name(i)];
            const auto [entry, is_new] =
                number_of.emplace(text, static_cast<std::int64_t>(names.size()));
            if (is_new) {
                names.push_back(clean_text(text));
            }
            name.add(entry->second);
            batch.add(table.micro_batch(i));
            bytes.add(table.bytes(i).value());
        }
    }
    return {{"counts", counts.text()},     {"start", start.text()},
            {"length", length.text()},     {"name", name.text()},
            {"activity", activity.text()}, {"batch", batch.text()},
            {"bytes", bytes.text()},       {"names", names}};
}

/// Runs of equal cells: how many, and a letter and a digit of what they are, or "-" for nothing.
std::string text_of(const ActivityGrid& grid, std::size_t band) {
    std::string text;
    std::size_t begin = 0;
    for (std::size_t at = 1; at <= grid.columns(); ++at) {
        const ActivityGrid::Cell& cell = grid.cell(0, band, begin);
        if (at < grid.columns()) {
            const ActivityGrid::Cell& next = grid.cell(0, band, at);
            if (next.busy == cell.busy && (cell.busy == 0 || next.activity == cell.activity)) {
                continue;
            }
        }
        fmt::format_to(std::back_inserter(text), "{}", at - begin);
        if (cell.busy == 0) {
            text += '-';
        } else {
            text += static_cast<char>('A' + static_cast<int>(cell.activity));
            fmt::format_to(std::back_inserter(text), "{:x}", cell.busy);
        }
        begin = at;
    }
    return text;
}

Json cells_of(const std::vector<Row>& rows, Time length) {
    const std::size_t columns =
        std::clamp(most_cells / rows.size(), least_columns, most_chart_columns);
    Json list = Json::array();
    for (const Row& row : rows) {
        const ActivityGrid grid(*row.timeline, {row.ranks}, columns, length);
        list.push_back({text_of(grid, 0), text_of(grid, 1)});
    }
    return list;
}

std::vector<Activity> occurring(const std::vector<ChartPanel>& panels) {
    std::array<bool, activities> there{};
    for (const ChartPanel& panel : panels) {
        const Intervals& table = panel.timeline->intervals;
        for (std::size_t i = 0; i < table.size(); ++i) {
            there[static_cast<std::size_t>(activity_of(table, i))] = true;
        }
    }
    std::vector<Activity> list;
    for (std::size_t i = 0; i < activities; ++i) {
        if (there[i]) {
            list.push_back(static_cast<Activity>(i));
        }
    }
    return list;
}

std::string legend_of(const std::vector<ChartPanel>& panels) {
    std::string html = "<ul class=\"legend\">\n";
    for (const Activity activity : occurring(panels)) {
        html += fmt::format(
            "<li><svg class=\"swatch\" width=\"14\" height=\"14\" aria-hidden=\"true\"><rect "
            "width=\"14\" height=\"14\" fill=\"{}\"/></svg>{}</li>\n",
            hex_of(colour_of(activity)), name_of(activity));
    }
    return html + "</ul>\n";
}

}  // namespace

std::string chart_html(const std::vector<ChartPanel>& panels) {
    std::size_t intervals = 0;
    Time length;
    for (const ChartPanel& panel : panels) {
        intervals += panel.timeline->intervals.size();
        length = std::max(length, panel.timeline->length);
    }
    if (intervals == 0 || length == Time()) {
        return "";
    }
    const std::vector<Row> rows = rows_of(panels);
    const bool shared =
        std::any_of(rows.begin(), rows.end(), [](const Row& row) { return row.ranks.size() > 1; });
    Json data{{"length_ps", length.ps()}};
    for (std::size_t i = 0; i < activities; ++i) {
        const auto activity = static_cast<Activity>(i);
        data["activities"].push_back({{"name", name_of(activity)},
                                      {"colour", hex_of(colour_of(activity))},
                                      {"band", band_of(activity)}});
    }
    for (const Row& row : rows) {
        data["rows"].push_back(clean_text(row.label));
    }
    const bool single = intervals <= most_single_intervals && !shared;
    if (single) {
        data["intervals"] = intervals_of(rows);
    } else {
        data["cells"] = cells_of(rows, length);
    }
    return fmt::format(
        "<figure>\n{}<div class=\"chart\">\n<p class=\"without-script\">The chart needs "
        "scripts.</p>\n<script type=\"application/json\">{}</script>\n</div>\n<figcaption>Above in "
        "a "
        "row computation, below communication.{} Drag to move. Plus and minus, the wheel of a "
        "chart that has been clicked, and a double click zoom the time, with Shift the wheel, F "
        "and M the rows; arrow keys move, Home shows all.</figcaption>\n</figure>\n",
        legend_of(panels), json_in_script(data.dump()),
        single ? " Hover over an interval to read what it is."
               : " A cell shows what took most of its time; paler where it was idle in between.");
}

}  // namespace npunet::report
