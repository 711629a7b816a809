// A sheet to draw on; what is drawn comes out as SVG and as PNG alike.
//
//     const Figure figure = draw_figure(900, 560, [](Canvas& canvas) {
//         canvas.text({20, 30}, "Title", Canvas::Anchor::Left, {16, true});
//     });
//     file.stream() << figure.svg;
//
// Coordinates are pixels from the upper left corner. Text is DejaVu Sans, drawn without hinting, so
// that it is equally wide in both formats. The same drawing gives the same bytes on one machine;
// another version of cairo or of the font may give others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace npunet::report {

struct Spot {
    double x = 0;
    double y = 0;
};

struct Colour {
    double red = 0;
    double green = 0;
    double blue = 0;
    double opacity = 1;
};

/// Eight colours that people with any kind of colour vision tell apart (Okabe and Ito 2008), the
/// grey last. `index` counts round.
[[nodiscard]] Colour palette(std::size_t index);

class Canvas {
public:
    enum class Anchor : std::uint8_t { Left, Middle, Right };
    enum class Marker : std::uint8_t { Disc, Square, Triangle, Diamond };

    struct Font {
        double size = 12;
        bool bold = false;
        Colour colour{0.15, 0.15, 0.15};
    };
    struct Pen {
        Colour colour{0.15, 0.15, 0.15};
        double width = 1;
        std::vector<double> dashes;
    };

    virtual ~Canvas() = default;

    [[nodiscard]] virtual double width() const = 0;
    [[nodiscard]] virtual double height() const = 0;

    virtual void line(const std::vector<Spot>& spots, const Pen& pen) = 0;
    virtual void box(Spot corner, double width, double height, const Colour& colour) = 0;
    /// A table of colours, row by row, `columns` of them in a row, over a box; nothing is drawn
    /// beyond `end`, the lower right corner of what is seen of it.
    virtual void cells(Spot corner, double width, double height, std::size_t columns,
                       const std::vector<Colour>& colours, Spot end) = 0;
    virtual void marker(Spot centre, Marker marker, double radius, const Colour& colour) = 0;
    /// An open circle.
    virtual void ring(Spot centre, double radius, const Pen& pen) = 0;

    /// `at` is on the base line.
    virtual void text(Spot at, const std::string& text, Anchor anchor, const Font& font) = 0;
    /// Reads upwards; `at` is the middle.
    virtual void text_upwards(Spot at, const std::string& text, const Font& font) = 0;
    [[nodiscard]] virtual double width_of(const std::string& text, const Font& font) = 0;

    /// The text, cut with "..." where it is wider than `most`.
    [[nodiscard]] std::string fitting(const std::string& text, double most, const Font& font);
    /// The words of the text in lines that are not wider than `most`, unless a word is.
    [[nodiscard]] std::vector<std::string> wrapped(const std::string& text, double most,
                                                   const Font& font);
};

struct Figure {
    std::string svg;
    std::string png;
};

/// Draws twice, with cairo, which is loaded by the first figure (figures/cairo_module.cc). A unit
/// of the drawing is `pixels` of the PNG. Throws MachineError when that fails or runs out of
/// memory.
[[nodiscard]] Figure draw_figure(double width, double height,
                                 const std::function<void(Canvas&)>& draw, double pixels = 1.5);

/// What is to be drawn.
struct Sheet {
    double width = 0;
    double height = 0;
    std::function<void(Canvas&)> draw;
};

[[nodiscard]] inline Figure draw_figure(const Sheet& sheet) {
    return draw_figure(sheet.width, sheet.height, sheet.draw);
}

/// The function of the module that links cairo. Draws into `figure`. Returns null, or the error.
using DrawWithCairo = const char* (*)(double width, double height, double pixels,
                                      const std::function<void(Canvas&)>& draw, Figure& figure);

// Pens and fonts that figures have in common.
inline const Canvas::Pen grid_pen{{0.88, 0.88, 0.88}, 1, {}};
inline const Canvas::Pen edge_pen{{0.45, 0.45, 0.45}, 1, {}};

inline const Canvas::Font tick_font{12, false, {0.25, 0.25, 0.25}};
/// For ticks where there are many.
inline const Canvas::Font small_font{11.5, false, {0.25, 0.25, 0.25}};
/// Titles of panels.
inline const Canvas::Font panel_font{13, true, {0.1, 0.1, 0.1}};
/// Names of axes.
inline const Canvas::Font axis_font{13, false, {0.1, 0.1, 0.1}};

}  // namespace npunet::report
