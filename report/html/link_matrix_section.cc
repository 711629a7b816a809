#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "report/figures/link_rows.h"
#include "report/html/escape.h"
#include "report/html/load_scale.h"
#include "report/html/timeline_charts.h"

namespace npunet::report {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_rows = 512;
constexpr std::size_t most_bins = 256;

Json row_of(const LinkRows& rows, std::size_t row, const analysis::LinkLoad& load) {
    std::string mean;
    std::string most;
    for (std::size_t bin = 0; bin < rows.bins(); ++bin) {
        mean += share_digit(rows.mean(row, bin));
        most += share_digit(rows.most(row, bin));
    }
    Json json{{"mean", mean}};
    if (rows.links(row).size() > 1) {
        json["most"] = most;
    } else {
        const analysis::LinkLoad::Link& link = load.links[rows.links(row).front()];
        json["from"] = clean_text(link.from);
        json["to"] = clean_text(link.to);
    }
    return json;
}

}  // namespace

std::string link_matrix_html(const analysis::RunTimeline& timeline) {
    const analysis::LinkLoad& load = timeline.load;
    if (load.empty() || timeline.length == Time()) {
        return "";
    }
    const LinkRows rows(load, most_rows, most_bins);
    Json data{{"bins", rows.bins()},
              {"bin_ps", rows.bin().ps()},
              {"length_ps", timeline.length.ps()},
              {"scale", share_colours()}};
    bool several = false;
    for (const LinkRows::Kind& kind : rows.kinds()) {
        Json entry{
            {"name", clean_text(kind.name)}, {"links", kind.links}, {"per_row", kind.per_row}};
        for (std::size_t row = kind.first; row < kind.first + kind.rows; ++row) {
            entry["rows"].push_back(row_of(rows, row, load));
        }
        data["kinds"].push_back(std::move(entry));
        several = several || kind.per_row > 1;
    }
    return fmt::format(
        "<figure>\n{}<div class=\"link-matrix\">\n<p class=\"without-script\">The matrix needs "
        "scripts.</p>\n<script type=\"application/json\">{}</script>\n</div>\n<figcaption>A row "
        "for each link, those of a class together{}. Hover over a cell to read "
        "it.</figcaption>\n</figure>\n",
        share_legend_html(), json_in_script(data.dump()),
        several ? "; where there are many, a row is the mean of neighbours" : "");
}

}  // namespace npunet::report
