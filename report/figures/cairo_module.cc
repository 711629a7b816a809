#include "report/figures/canvas.h"

#include <cairo-svg.h>
#include <cairo.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>

namespace npunet::report {

namespace {

constexpr double pi = 3.14159265358979323846;

using Surface = std::unique_ptr<cairo_surface_t, decltype(&cairo_surface_destroy)>;
using Context = std::unique_ptr<cairo_t, decltype(&cairo_destroy)>;

class CairoCanvas final : public Canvas {
public:
    CairoCanvas(cairo_t* context, double width, double height)
        : context_(context), width_(width), height_(height) {}

    [[nodiscard]] double width() const override { return width_; }
    [[nodiscard]] double height() const override { return height_; }

    void line(const std::vector<Spot>& spots, const Pen& pen) override;
    void box(Spot corner, double width, double height, const Colour& colour) override;
    void cells(Spot corner, double width, double height, std::size_t columns,
               const std::vector<Colour>& colours, Spot end) override;
    void marker(Spot centre, Marker marker, double radius, const Colour& colour) override;
    void ring(Spot centre, double radius, const Pen& pen) override;
    void text(Spot at, const std::string& text, Anchor anchor, const Font& font) override;
    void text_upwards(Spot at, const std::string& text, const Font& font) override;
    [[nodiscard]] double width_of(const std::string& text, const Font& font) override;

private:
    void use(const Colour& colour);
    void use(const Pen& pen);
    void use(const Font& font);

    cairo_t* context_;
    double width_;
    double height_;
};

void CairoCanvas::use(const Colour& colour) {
    cairo_set_source_rgba(context_, colour.red, colour.green, colour.blue, colour.opacity);
}

void CairoCanvas::use(const Pen& pen) {
    use(pen.colour);
    cairo_set_line_width(context_, pen.width);
    cairo_set_dash(context_, pen.dashes.data(), static_cast<int>(pen.dashes.size()), 0);
}

void CairoCanvas::use(const Font& font) {
    use(font.colour);
    cairo_select_font_face(context_, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL,
                           font.bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(context_, font.size);
}

void CairoCanvas::line(const std::vector<Spot>& spots, const Pen& pen) {
    use(pen);
    for (const Spot& spot : spots) {
        cairo_line_to(context_, spot.x, spot.y);
    }
    cairo_stroke(context_);
}

void CairoCanvas::box(Spot corner, double width, double height, const Colour& colour) {
    use(colour);
    cairo_rectangle(context_, corner.x, corner.y, width, height);
    cairo_fill(context_);
}

/// Every cell is several pixels wide and high: viewers that blur images do so at the edges of
/// cells.
void CairoCanvas::cells(Spot corner, double width, double height, std::size_t columns,
                        const std::vector<Colour>& colours, Spot end) {
    if (colours.empty()) {
        return;
    }
    const std::size_t rows = colours.size() / columns;
    const auto enlarged = [](double room, std::size_t count) {
        return static_cast<std::size_t>(std::ceil(2 * room / static_cast<double>(count)));
    };
    const std::size_t wide = enlarged(width, columns);
    const std::size_t high = enlarged(height, rows);
    const Surface image(
        cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(wide * columns),
                                   static_cast<int>(high * rows)),
        &cairo_surface_destroy);
    unsigned char* const data = cairo_image_surface_get_data(image.get());
    const auto stride = static_cast<std::size_t>(cairo_image_surface_get_stride(image.get()));
    for (std::size_t y = 0; data != nullptr && y < high * rows; ++y) {
        for (std::size_t x = 0; x < wide * columns; ++x) {
            const Colour& colour = colours[y / high * columns + x / wide];
            const auto byte = [](double part) {
                return static_cast<std::uint32_t>(std::lround(255 * part));
            };
            const std::uint32_t pixel =
                byte(colour.red) << 16U | byte(colour.green) << 8U | byte(colour.blue);
            std::memcpy(data + y * stride + 4 * x, &pixel, sizeof pixel);
        }
    }
    cairo_surface_mark_dirty(image.get());
    cairo_save(context_);
    cairo_rectangle(context_, corner.x, corner.y, end.x - corner.x, end.y - corner.y);
    cairo_clip(context_);
    cairo_translate(context_, corner.x, corner.y);
    cairo_scale(context_, width / static_cast<double>(wide * columns),
                height / static_cast<double>(high * rows));
    cairo_set_source_surface(context_, image.get(), 0, 0);
    cairo_pattern_set_filter(cairo_get_source(context_), CAIRO_FILTER_NEAREST);
    cairo_paint(context_);
    cairo_restore(context_);
}

void CairoCanvas::marker(Spot centre, Marker marker, double radius, const Colour& colour) {
    use(colour);
    const auto polygon = [&](std::initializer_list<Spot> corners) {
        for (const Spot& corner : corners) {
            cairo_line_to(context_, centre.x + radius * corner.x, centre.y + radius * corner.y);
        }
        cairo_close_path(context_);
    };
    switch (marker) {
        case Marker::Disc:
            cairo_arc(context_, centre.x, centre.y, radius, 0, 2 * pi);
            break;
        case Marker::Square:
            polygon({{-0.88, -0.88}, {0.88, -0.88}, {0.88, 0.88}, {-0.88, 0.88}});
            break;
        case Marker::Triangle:
            polygon({{0, -1.2}, {1.1, 0.8}, {-1.1, 0.8}});
            break;
        case Marker::Diamond:
            polygon({{0, -1.25}, {1.25, 0}, {0, 1.25}, {-1.25, 0}});
            break;
    }
    cairo_fill(context_);
}

void CairoCanvas::ring(Spot centre, double radius, const Pen& pen) {
    use(pen);
    cairo_new_sub_path(context_);
    cairo_arc(context_, centre.x, centre.y, radius, 0, 2 * pi);
    cairo_stroke(context_);
}

double CairoCanvas::width_of(const std::string& text, const Font& font) {
    use(font);
    cairo_text_extents_t extents;
    cairo_text_extents(context_, text.c_str(), &extents);
    return extents.x_advance;
}

void CairoCanvas::text(Spot at, const std::string& text, Anchor anchor, const Font& font) {
    const double width = width_of(text, font);
    const double shift = anchor == Anchor::Left ? 0 : anchor == Anchor::Middle ? width / 2 : width;
    cairo_move_to(context_, at.x - shift, at.y);
    cairo_show_text(context_, text.c_str());
    cairo_new_path(context_);
}

void CairoCanvas::text_upwards(Spot at, const std::string& text, const Font& font) {
    const double width = width_of(text, font);
    cairo_save(context_);
    cairo_translate(context_, at.x, at.y);
    cairo_rotate(context_, -pi / 2);
    cairo_move_to(context_, -width / 2, 0);
    cairo_show_text(context_, text.c_str());
    cairo_restore(context_);
    cairo_new_path(context_);
}

cairo_status_t append(void* text, const unsigned char* data, unsigned int length) {
    static_cast<std::string*>(text)->append(reinterpret_cast<const char*>(data), length);
    return CAIRO_STATUS_SUCCESS;
}

/// Ends the drawing; npunet_draw_with_cairo() says why.
struct Failure {
    cairo_status_t status;
};

void check(cairo_status_t status) {
    if (status != CAIRO_STATUS_SUCCESS) {
        throw Failure{status};
    }
}

void draw_on(cairo_surface_t* surface, double width, double height, double scale,
             const std::function<void(Canvas&)>& draw) {
    const Context context(cairo_create(surface), &cairo_destroy);
    const std::unique_ptr<cairo_font_options_t, decltype(&cairo_font_options_destroy)> options(
        cairo_font_options_create(), &cairo_font_options_destroy);
    cairo_font_options_set_hint_style(options.get(), CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(options.get(), CAIRO_HINT_METRICS_OFF);
    cairo_font_options_set_antialias(options.get(), CAIRO_ANTIALIAS_GRAY);
    cairo_set_font_options(context.get(), options.get());
    cairo_scale(context.get(), scale, scale);
    CairoCanvas canvas(context.get(), width, height);
    canvas.box({0, 0}, width, height, {1, 1, 1});
    draw(canvas);
    check(cairo_status(context.get()));
}

/// cairo numbers its surfaces through the life of a process and names the outermost group after its
/// own; without the number a figure is the same whatever was drawn before it.
void forget_surface_number(std::string& svg) {
    const std::string name = "<g id=\"surface";
    const std::size_t at = svg.find(name);
    if (at != std::string::npos) {
        const std::size_t number = at + name.size();
        svg.erase(number, svg.find('"', number) - number);
    }
}

std::string svg_of(double width, double height, const std::function<void(Canvas&)>& draw) {
    std::string svg;
    const Surface surface(cairo_svg_surface_create_for_stream(append, &svg, width, height),
                          &cairo_surface_destroy);
    draw_on(surface.get(), width, height, 1, draw);
    cairo_surface_finish(surface.get());
    check(cairo_surface_status(surface.get()));
    forget_surface_number(svg);
    return svg;
}

std::string png_of(double width, double height, double pixels,
                   const std::function<void(Canvas&)>& draw) {
    std::string png;
    const Surface surface(
        cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(std::ceil(width * pixels)),
                                   static_cast<int>(std::ceil(height * pixels))),
        &cairo_surface_destroy);
    // To the edge, where a part of a pixel is left.
    const Context paper(cairo_create(surface.get()), &cairo_destroy);
    cairo_set_source_rgb(paper.get(), 1, 1, 1);
    cairo_paint(paper.get());
    draw_on(surface.get(), width, height, pixels, draw);
    check(cairo_surface_write_to_png_stream(surface.get(), append, &png));
    return png;
}

}  // namespace

}  // namespace npunet::report

extern "C" __attribute__((visibility("default"))) const char* npunet_draw_with_cairo(
    double width, double height, double pixels,
    const std::function<void(npunet::report::Canvas&)>& draw, npunet::report::Figure& figure) {
    using namespace npunet::report;
    try {
        figure.svg = svg_of(width, height, draw);
        figure.png = png_of(width, height, pixels, draw);
    } catch (const Failure& failure) {
        return cairo_status_to_string(failure.status);
    }
    return nullptr;
}
