// A drawing inside a page, as SVG whose text stays text and whose colours are those of the page's
// scheme: shapes have classes, report.css has the colours.
//
//     Svg svg(720, 300, "Time of NPUs", "One column for each NPU ...");
//     svg.box({80, 20}, 30, 200, "compute");
//     svg.text({95, 240}, "0", "tick", Svg::Anchor::Middle);
//     section.body += svg.html();
//
// Coordinates are pixels from the upper left corner of the drawing, which is as wide as the page,
// but never smaller than is easily read: then it is scrolled.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/figures/canvas.h"

namespace npunet::report {

class Svg {
public:
    enum class Anchor : std::uint8_t { Left, Middle, Right };

    /// `title` and `description` are what is read aloud in place of the drawing.
    Svg(double width, double height, const std::string& title, const std::string& description);

    /// `tip` is shown when the pointer rests on the shape; empty: none.
    void box(Spot corner, double width, double height, const std::string& shape_class,
             const std::string& tip = "");
    void line(Spot from, Spot to, const std::string& shape_class);
    /// In the syntax of SVG's attribute d.
    void path(const std::string& commands, const std::string& shape_class);
    /// `at` is on the base line.
    void text(Spot at, const std::string& text, const std::string& shape_class,
              Anchor anchor = Anchor::Left);
    /// Reads upwards; `at` is the middle.
    void text_upwards(Spot at, const std::string& text, const std::string& shape_class);

    [[nodiscard]] std::string html() const;

private:
    std::string html_;
};

/// A coordinate: at most two decimals.
[[nodiscard]] std::string coordinate(double value);

/// Colours and what they stand for: a class of report.css and a text.
struct Swatch {
    std::string shape_class;
    std::string text;
};

/// A drawing with its legend (empty: none) and a text below it.
[[nodiscard]] std::string figure_html(const Svg& svg, const std::vector<Swatch>& legend,
                                      const std::string& text);

}  // namespace npunet::report
