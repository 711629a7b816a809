#include "report/html/svg.h"

#include <fmt/format.h>

#include "report/html/escape.h"

namespace npunet::report {

namespace {

const char* name_of(Svg::Anchor anchor) {
    return anchor == Svg::Anchor::Left ? "start" : anchor == Svg::Anchor::Middle ? "middle" : "end";
}

}  // namespace

std::string coordinate(double value) {
    std::string text = fmt::format("{:.2f}", value);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') {
        text.pop_back();
    }
    return text == "-0" ? "0" : text;
}

Svg::Svg(double width, double height, const std::string& title, const std::string& description)
    : html_(fmt::format(R"(<svg role="img" viewBox="0 0 {0} {1}" width="{0}" height="{1}" )"
                        R"(aria-label="{2}">{3})",
                        coordinate(width), coordinate(height),
                        html_text(title + ". " + description), '\n')) {}

void Svg::box(Spot corner, double width, double height, const std::string& shape_class,
              const std::string& tip) {
    html_ += fmt::format(R"(<rect class="{}" x="{}" y="{}" width="{}" height="{}")",
                         html_text(shape_class), coordinate(corner.x), coordinate(corner.y),
                         coordinate(width), coordinate(height));
    html_ += tip.empty() ? "/>\n" : "><title>" + html_text(tip) + "</title></rect>\n";
}

void Svg::line(Spot from, Spot to, const std::string& shape_class) {
    html_ += fmt::format("<line class=\"{}\" x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"/>\n",
                         html_text(shape_class), coordinate(from.x), coordinate(from.y),
                         coordinate(to.x), coordinate(to.y));
}

void Svg::path(const std::string& commands, const std::string& shape_class) {
    html_ +=
        fmt::format("<path class=\"{}\" d=\"{}\"/>\n", html_text(shape_class), html_text(commands));
}

void Svg::text(Spot at, const std::string& text, const std::string& shape_class, Anchor anchor) {
    html_ += fmt::format("<text class=\"{}\" x=\"{}\" y=\"{}\" text-anchor=\"{}\">{}</text>\n",
                         html_text(shape_class), coordinate(at.x), coordinate(at.y),
                         name_of(anchor), html_text(text));
}

void Svg::text_upwards(Spot at, const std::string& text, const std::string& shape_class) {
    html_ += fmt::format(
        "<text class=\"{0}\" transform=\"translate({1} {2}) rotate(-90)\" "
        "text-anchor=\"middle\">{3}</text>\n",
        html_text(shape_class), coordinate(at.x), coordinate(at.y), html_text(text));
}

std::string Svg::html() const {
    return html_ + "</svg>\n";
}

std::string figure_html(const Svg& svg, const std::vector<Swatch>& legend,
                        const std::string& text) {
    std::string html = "<figure>\n";
    if (!legend.empty()) {
        html += "<ul class=\"legend\">\n";
        for (const Swatch& swatch : legend) {
            html += fmt::format(
                "<li><svg class=\"swatch\" width=\"14\" height=\"14\" aria-hidden=\"true\">"
                "<rect class=\"{}\" width=\"14\" height=\"14\"/></svg>{}</li>\n",
                html_text(swatch.shape_class), html_text(swatch.text));
        }
        html += "</ul>\n";
    }
    return html + "<div class=\"drawing\" tabindex=\"0\" role=\"group\" aria-label=\"Drawing\">\n" +
           svg.html() + "</div>\n<figcaption>" + html_text(text) + "</figcaption>\n</figure>\n";
}

}  // namespace npunet::report
