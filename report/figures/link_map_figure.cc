#include "report/figures/link_map_figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "report/figures/network_sheet.h"
#include "report/figures/plot_frame.h"
#include "report/figures/scale.h"
#include "report/figures/shade.h"

namespace npunet::report {

namespace {

using analysis::LinkLoad;

constexpr std::size_t panels = 6;
constexpr std::size_t columns = 3;
constexpr double margin = 30;
constexpr double top = 78;
constexpr double panel_width = 372;
constexpr double panel_title = 30;
constexpr double panel_gap = 26;
constexpr double bar_room = 110;
constexpr double bar_width = 16;
constexpr int bar_steps = 50;
constexpr double seconds_per_ps = 1e-12;

const Canvas::Font small{11.5, false, {0.25, 0.25, 0.25}};
const Canvas::Font heading{13, true, {0.1, 0.1, 0.1}};

NetworkSheet sheet_of(const LinkLoad& load) {
    std::map<std::string, std::size_t> index;
    std::vector<Spot> spots;
    for (const LinkLoad::Node& node : load.nodes) {
        index.emplace(node.name, index.size());
        spots.push_back({static_cast<double>(node.x), static_cast<double>(node.y)});
    }
    std::vector<NetworkSheet::Ends> ends;
    for (const LinkLoad::Link& link : load.links) {
        const auto from = index.find(link.from);
        const auto to = index.find(link.to);
        ends.emplace_back(from == index.end() ? 0 : from->second,
                          to == index.end() ? 0 : to->second);
    }
    return {std::move(spots), std::move(ends), {panel_width - 24, 360, 90}};
}

class Drawing {
public:
    explicit Drawing(const LinkMapPlot& plot)
        : plot_(plot),
          sheet_(sheet_of(*plot.load)),
          panel_height_(std::ceil(sheet_.height() + 24)) {}

    [[nodiscard]] double width() const {
        return margin + columns * panel_width + (columns - 1) * panel_gap + bar_room;
    }
    [[nodiscard]] double height() const {
        return top + (panels / columns) * (panel_title + panel_height_ + 10) + 16;
    }

    void draw(Canvas& canvas) const {
        draw_title(canvas, plot_.title, plot_.subtitle);
        for (std::size_t i = 0; i < panels; ++i) {
            draw_panel(
                canvas, i,
                {margin + static_cast<double>(i % columns) * (panel_width + panel_gap),
                 top + static_cast<double>(i / columns) * (panel_title + panel_height_ + 10)});
        }
        draw_bar(canvas);
    }

private:
    void draw_panel(Canvas& canvas, std::size_t number, Spot corner) const {
        const std::size_t bins = plot_.load->bins;
        const std::size_t from = bins * number / panels;
        const std::size_t to = std::max(from + 1, bins * (number + 1) / panels);
        canvas.text({corner.x, corner.y + 14}, span_of(from, std::min(to, bins)),
                    Canvas::Anchor::Left, heading);
        corner.y += panel_title;
        canvas.box(corner, panel_width, panel_height_, {0.955, 0.955, 0.955});
        corner = {corner.x + (panel_width - sheet_.width()) / 2, corner.y + 12};
        // The busiest last, so that no idle one hides them.
        std::vector<std::pair<double, std::size_t>> links;
        for (std::size_t link = 0; link < plot_.load->links.size(); ++link) {
            double sum = 0;
            for (std::size_t bin = from; bin < std::min(to, bins); ++bin) {
                sum += static_cast<double>(plot_.load->share(link, bin));
            }
            links.emplace_back(sum / static_cast<double>(to - from), link);
        }
        std::sort(links.begin(), links.end());
        for (const auto& [share, link] : links) {
            sheet_.draw_link(canvas, corner, link,
                             share > 0 ? shade(share) : Colour{0.85, 0.85, 0.85});
        }
        const double radius =
            std::clamp(sheet_.step() / 9, plot_.load->nodes.size() > 300 ? 0.8 : 1.8, 5.0);
        for (std::size_t node = 0; node < plot_.load->nodes.size(); ++node) {
            canvas.marker(sheet_.place(corner, node), Canvas::Marker::Disc, radius,
                          {0.35, 0.35, 0.35});
        }
    }

    [[nodiscard]] std::string span_of(std::size_t from, std::size_t to) const {
        const double bin = static_cast<double>(plot_.load->bin.ps()) * seconds_per_ps;
        const double end = std::min(static_cast<double>(to) * bin,
                                    static_cast<double>(plot_.length.ps()) * seconds_per_ps);
        Unit unit = time_units().front();
        for (const Unit& next : time_units()) {
            if (static_cast<double>(plot_.length.ps()) * seconds_per_ps >= next.second) {
                unit = next;
            }
        }
        return fmt::format("{:.4g} to {:.4g} {}", static_cast<double>(from) * bin / unit.second,
                           end / unit.second, unit.first);
    }

    void draw_bar(Canvas& canvas) const {
        const double x = width() - bar_room + 24;
        const double y = top + panel_title + 24;
        const double length = std::min(240.0, height() - y - 40);
        canvas.text({x, y - 30}, "time", Canvas::Anchor::Left, small);
        canvas.text({x, y - 15}, "sending (%)", Canvas::Anchor::Left, small);
        for (int step = 0; step < bar_steps; ++step) {
            canvas.box({x, y + length * (1 - static_cast<double>(step + 1) / bar_steps)}, bar_width,
                       length / bar_steps + 0.5,
                       shade((static_cast<double>(step) + 0.5) / bar_steps));
        }
        for (const int percent : {0, 25, 50, 75, 100}) {
            const double at = y + length * (1 - percent / 100.0);
            canvas.line({{x + bar_width, at}, {x + bar_width + 4, at}},
                        {{0.45, 0.45, 0.45}, 1, {}});
            canvas.text({x + bar_width + 8, at + 4}, fmt::format("{}", percent),
                        Canvas::Anchor::Left, small);
        }
    }

    const LinkMapPlot& plot_;
    NetworkSheet sheet_;
    double panel_height_;
};

}  // namespace

Figure link_map_figure(const LinkMapPlot& plot) {
    const Drawing drawing(plot);
    return draw_figure(drawing.width(), drawing.height(),
                       [&](Canvas& canvas) { drawing.draw(canvas); });
}

}  // namespace npunet::report
