#include "report/html/load_scale.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/figures/colour_scale.h"
#include "report/timeline/activity.h"

namespace npunet::report {

namespace {

constexpr int steps = 63;

}  // namespace

char share_digit(double share) {
    static constexpr const char* digits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    return digits[std::max(share > 0 ? 1L : 0L, std::lround(share * steps))];
}

std::vector<std::string> share_colours() {
    std::vector<std::string> colours;
    for (int i = 0; i <= steps; ++i) {
        colours.push_back(hex_of(shade(static_cast<double>(i) / steps)));
    }
    return colours;
}

std::string share_legend_html() {
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

}  // namespace npunet::report
