#include "report/html/timeline_charts.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <unordered_map>

#include "report/figures/link_map_figure.h"
#include "report/html/escape.h"
#include "report/html/load_scale.h"

namespace npunet::report {

namespace {

using analysis::LinkLoad;
using Json = nlohmann::ordered_json;

std::string shares_of(const LinkLoad& load, std::size_t link) {
    std::string text;
    for (std::size_t bin = 0; bin < load.bins; ++bin) {
        text += share_digit(static_cast<double>(load.share(link, bin)));
    }
    return text;
}

}  // namespace

std::string link_map_html(const analysis::RunTimeline& timeline) {
    const LinkLoad& load = timeline.load;
    if (load.empty() || !is_legible(load)) {
        return "";
    }
    Json data{{"bins", load.bins},
              {"bin_ns", static_cast<double>(load.bin.ps()) / 1000},
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
            data["links"].push_back({from->second, to->second, shares_of(load, link)});
        }
    }
    if (!data.contains("links")) {
        return "";
    }
    data["scale"] = share_colours();
    return fmt::format(
        "<figure>\n{}<div class=\"link-map\">\n<p class=\"without-script\">The map needs "
        "scripts.</p>\n<script type=\"application/json\">{}</script>\n</div>\n<figcaption>The two "
        "directions of a link lie side by side, each on the right in its direction; links that "
        "close a ring are stubs at both ends. Hover over a link to read its "
        "load.</figcaption>\n</figure>\n",
        share_legend_html(), json_in_script(data.dump()));
}

}  // namespace npunet::report
