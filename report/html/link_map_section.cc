#include "report/html/timeline_charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "report/activity.h"
#include "report/figures/colour_scale.h"
#include "report/html/escape.h"

namespace npunet::report {

namespace {

using analysis::LinkLoad;
using Json = nlohmann::ordered_json;

constexpr std::size_t most_shares = std::size_t{1} << 21;
constexpr int colours = 64;
constexpr const char* base64_digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// How many bins become one.
std::size_t joined_bins(const LinkLoad& load) {
    std::size_t joined = 1;
    while (load.links.size() * ((load.bins + joined - 1) / joined) > most_shares &&
           joined < load.bins) {
        joined *= 2;
    }
    return joined;
}

std::string shares_of(const LinkLoad& load, std::size_t link, std::size_t joined) {
    std::string text;
    for (std::size_t bin = 0; bin < load.bins; bin += joined) {
        const std::size_t end = std::min(bin + joined, load.bins);
        double sum = 0;
        for (std::size_t i = bin; i < end; ++i) {
            sum += static_cast<double>(load.share(link, i));
        }
        const double share = sum / static_cast<double>(end - bin);
        // Whatever was sent leaves a trace.
        const auto step = std::max(share > 0 ? 1L : 0L, std::lround(share * 63));
        text += base64_digits[step];
    }
    return text;
}

/// "0 % [colours] 100 %"
std::string scale_html() {
    std::string html = "<ul class=\"legend\">\n";
    for (const int percent : {0, 25, 50, 75, 100}) {
        html += fmt::format(
            "<li><svg class=\"swatch\" width=\"14\" height=\"14\" aria-hidden=\"true\"><rect "
            "width=\"14\" height=\"14\" fill=\"{}\"/></svg>{}</li>\n",
            percent == 0 ? "#d5d5d5" : hex_of(shade(percent / 100.0)),
            percent == 0 ? "idle" : fmt::format("sending {} % of the time", percent));
    }
    return html + "</ul>\n";
}

}  // namespace

std::string link_map_html(const analysis::RunTimeline& timeline) {
    const LinkLoad& load = timeline.load;
    if (load.empty() || load.nodes.empty()) {
        return "";
    }
    const std::size_t joined = joined_bins(load);
    Json data{{"bins", (load.bins + joined - 1) / joined},
              {"bin_ns", static_cast<double>(load.bin.ps()) * static_cast<double>(joined) / 1000},
              {"length_ns", static_cast<double>(timeline.length.ps()) / 1000}};
    std::unordered_map<std::string, std::size_t> index;
    for (const LinkLoad::Node& node : load.nodes) {
        index.emplace(node.name, index.size());
        data["nodes"].push_back({{"name", clean_text(node.name)}, {"x", node.x}, {"y", node.y}});
    }
    for (std::size_t link = 0; link < load.links.size(); ++link) {
        const auto from = index.find(load.links[link].from);
        const auto to = index.find(load.links[link].to);
        if (from != index.end() && to != index.end()) {
            data["links"].push_back({from->second, to->second, shares_of(load, link, joined)});
        }
    }
    if (!data.contains("links")) {
        return "";
    }
    for (int i = 0; i < colours; ++i) {
        data["scale"].push_back(hex_of(shade(static_cast<double>(i) / (colours - 1))));
    }
    return fmt::format(
        "<figure>\n{}<div class=\"link-map\">\n<p class=\"without-script\">The map needs "
        "scripts.</p>\n<script type=\"application/json\">{}</script>\n</div>\n<figcaption>The two "
        "directions of a link lie side by side, each on the right in its direction; links that "
        "close a ring are stubs at both ends. Hover over a link to read its "
        "load.</figcaption>\n</figure>\n",
        scale_html(), json_in_script(data.dump()));
}

}  // namespace npunet::report
