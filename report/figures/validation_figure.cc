#include "report/figures/validation_figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "report/figures/plot_frame.h"
#include "report/figures/scale.h"

namespace npunet::report {

namespace {

struct Series {
    std::string name;
    std::vector<const ValidationRow*> rows;  ///< by size
};

struct Panel {
    std::string title;
    std::string unit;
    std::vector<Series> series;
    std::size_t rows = 0;

    void add(const ValidationRow& row) {
        const auto found = std::find_if(series.begin(), series.end(),
                                        [&](const Series& one) { return one.name == row.series; });
        if (found == series.end()) {
            series.push_back({row.series, {&row}});
        } else {
            found->rows.push_back(&row);
        }
        ++rows;
    }
};

/// Those that are drawn.
std::vector<Panel> panels_of(const ValidationRows& all) {
    constexpr std::size_t least_rows = 4;
    constexpr std::size_t most_panels = 12;
    std::vector<Panel> panels;
    for (const ValidationRow& row : all.rows) {
        if (!row.skipped.empty() || row.size <= 0) {
            continue;
        }
        const std::string title = fmt::format("{}, {}", row.device, row.operation);
        const auto found = std::find_if(panels.begin(), panels.end(), [&](const Panel& panel) {
            return panel.title == title && panel.unit == row.unit;
        });
        if (found == panels.end()) {
            panels.push_back({title, row.unit, {}, 0});
            panels.back().add(row);
        } else {
            found->add(row);
        }
    }
    panels.erase(std::remove_if(panels.begin(), panels.end(),
                                [](const Panel& panel) { return panel.rows < least_rows; }),
                 panels.end());
    std::stable_sort(panels.begin(), panels.end(),
                     [](const Panel& a, const Panel& b) { return a.rows > b.rows; });
    panels.resize(std::min(panels.size(), most_panels));
    for (Panel& panel : panels) {
        std::stable_sort(panel.series.begin(), panel.series.end(),
                         [](const Series& a, const Series& b) {
                             return a.name.size() != b.name.size() ? a.name.size() < b.name.size()
                                                                   : a.name < b.name;
                         });
        for (Series& series : panel.series) {
            std::stable_sort(
                series.rows.begin(), series.rows.end(),
                [](const ValidationRow* a, const ValidationRow* b) { return a->size < b->size; });
        }
    }
    return panels;
}

void draw_panel(Canvas& canvas, const Panel& panel, Spot upper_left, Spot lower_right) {
    std::vector<double> sizes;
    std::vector<double> values;
    for (const Series& series : panel.series) {
        for (const ValidationRow* row : series.rows) {
            sizes.push_back(row->size);
            values.insert(values.end(), {row->measured, row->simulated});
        }
    }
    canvas.text({upper_left.x, upper_left.y - 8}, panel.title, Canvas::Anchor::Left, panel_font);
    const Scale x = Scale::over(sizes, byte_units(), upper_left.x, lower_right.x);
    const Scale y = Scale::over(values, no_units(), lower_right.y, upper_left.y);
    PlotFrame(canvas, upper_left, lower_right).draw(x, "size", y, panel.unit);
    double label = upper_left.y + 16;
    for (std::size_t number = 0; number < panel.series.size(); ++number) {
        const Colour colour = palette(number);
        std::vector<Spot> line;
        for (const ValidationRow* row : panel.series[number].rows) {
            line.push_back({x.position(row->size), y.position(row->simulated)});
            canvas.marker({x.position(row->size), y.position(row->measured)}, Canvas::Marker::Disc,
                          3.2, colour);
        }
        if (line.size() > 1) {
            canvas.line(line, {colour, 1.4, {}});
        }
        canvas.text({upper_left.x + 10, label}, panel.series[number].name, Canvas::Anchor::Left,
                    {12, true, colour});
        label += 15;
    }
}

}  // namespace

Figure validation_figure(const ValidationRows& rows) {
    constexpr std::size_t columns = 3;
    constexpr double panel_width = 380;
    constexpr double panel_height = 330;
    const std::vector<Panel> panels = panels_of(rows);
    const auto lines =
        static_cast<double>(std::max<std::size_t>(1, (panels.size() + columns - 1) / columns));
    return draw_figure(columns * panel_width, 70 + lines * panel_height, [&](Canvas& canvas) {
        draw_title(canvas, rows.title, "marks: measured; lines: simulated");
        for (std::size_t number = 0; number < panels.size(); ++number) {
            const double left = static_cast<double>(number % columns) * panel_width;
            const double top = 70 + static_cast<double>(number / columns) * panel_height;
            draw_panel(canvas, panels[number], {left + 76, top + 30},
                       {left + panel_width - 16, top + panel_height - 56});
        }
    });
}

}  // namespace npunet::report
