// A canvas that notes what is drawn on it, for tests of what stands where in a figure.
//
//     RecordingCanvas canvas(sheet);          // draws
//     EXPECT_THAT(canvas.texts(), Contains("server 0"));
//     EXPECT_EQ(canvas.overlapping_texts(), "");
//
// Letters are as wide as DejaVu Sans has them in the mean, 0.6 of their height.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "report/figures/canvas.h"

namespace npunet::report {

class RecordingCanvas final : public Canvas {
public:
    struct Text {
        std::string text;
        double left, top, right, bottom;
    };
    struct Box {
        Spot corner;
        double width, height;
    };
    struct Line {
        std::vector<Spot> spots;
        Pen pen;
    };
    struct Mark {
        Spot centre;
        double radius;
    };

    explicit RecordingCanvas(const Sheet& sheet) : width_(sheet.width), height_(sheet.height) {
        sheet.draw(*this);
    }

    [[nodiscard]] double width() const override { return width_; }
    [[nodiscard]] double height() const override { return height_; }
    void line(const std::vector<Spot>& spots, const Pen& pen) override {
        lines.push_back({spots, pen});
    }
    void box(Spot corner, double width, double height, const Colour&) override {
        boxes.push_back({corner, width, height});
    }
    void cells(Spot corner, double width, double height, std::size_t columns,
               const std::vector<Colour>& colours, Spot) override {
        boxes.push_back({corner, width, height});
        cell_tables.push_back({columns, colours.size() / columns});
    }
    void marker(Spot centre, Marker, double radius, const Colour&) override {
        marks.push_back({centre, radius});
    }
    void ring(Spot centre, double radius, const Pen&) override {
        marks.push_back({centre, radius});
    }
    void text(Spot at, const std::string& text, Anchor anchor, const Font& font) override {
        const double wide = width_of(text, font);
        const double left = at.x - (anchor == Anchor::Left     ? 0
                                    : anchor == Anchor::Middle ? wide / 2
                                                               : wide);
        written.push_back({text, left, at.y - 0.75 * font.size, left + wide, at.y + 1});
    }
    void text_upwards(Spot at, const std::string& text, const Font& font) override {
        const double wide = width_of(text, font);
        written.push_back(
            {text, at.x - 0.75 * font.size, at.y - wide / 2, at.x + 1, at.y + wide / 2});
    }
    [[nodiscard]] double width_of(const std::string& text, const Font& font) override {
        return 0.6 * font.size * static_cast<double>(text.size());
    }

    [[nodiscard]] std::vector<std::string> texts() const {
        std::vector<std::string> list;
        for (const Text& text : written) {
            list.push_back(text.text);
        }
        return list;
    }
    /// The first two texts that lie on each other; empty: there are none.
    [[nodiscard]] std::string overlapping_texts() const {
        for (std::size_t i = 0; i < written.size(); ++i) {
            for (std::size_t k = 0; k < i; ++k) {
                const Text& a = written[i];
                const Text& b = written[k];
                if (a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom) {
                    return fmt::format("'{}' at {:.0f}, {:.0f} and '{}' at {:.0f}, {:.0f}", b.text,
                                       b.left, b.bottom, a.text, a.left, a.bottom);
                }
            }
        }
        return "";
    }
    /// The first text that is not on the sheet as a whole; empty: there is none.
    [[nodiscard]] std::string cut_text() const {
        const auto cut = std::find_if(written.begin(), written.end(), [&](const Text& text) {
            return text.left < 0 || text.top < 0 || text.right > width_ || text.bottom > height_;
        });
        return cut == written.end() ? "" : cut->text;
    }

    std::vector<Text> written;
    std::vector<Box> boxes;
    std::vector<Line> lines;
    std::vector<Mark> marks;
    std::vector<std::pair<std::size_t, std::size_t>> cell_tables;  ///< columns, rows

private:
    double width_;
    double height_;
};

}  // namespace npunet::report
