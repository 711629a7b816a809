#include "report/figures/network_figure.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "report/figures/network_layout.h"
#include "report/figures/plot_frame.h"

namespace npunet::report {

namespace {

class NetworkDrawing {
public:
    static constexpr double width = 1000;

    explicit NetworkDrawing(const NetworkPlot& plot)
        : plot_(plot), sheet_(sheet_of(plot)), rooms_(rooms_of(plot.nodes)) {}

    [[nodiscard]] double height() const { return network_top + sheet_.height() + margin + 10; }

    void draw(Canvas& canvas) const {
        draw_title(canvas, plot_.title, plot_.subtitle);
        draw_legend(canvas, {margin, legend_top}, legend_of(plot_));
        const Spot corner{(width - sheet_.width()) / 2, network_top};
        for (std::size_t link = 0; link < plot_.links.size(); ++link) {
            sheet_.draw_link(canvas, corner, link, colour_of(plot_.links[link].kind));
        }
        for (const std::size_t link : plot_.route) {
            sheet_.draw_link(canvas, corner, link, route_colour, 1.5);
        }
        for (std::size_t node = 0; node < plot_.nodes.size(); ++node) {
            draw_node(canvas, corner, node);
        }
    }

private:
    static constexpr double margin = 40;
    static constexpr double most_height = 720;
    static constexpr double legend_top = 74;
    /// Below a legend of two lines.
    static constexpr double network_top = 140;
    static constexpr std::size_t most_colours = 6;
    static constexpr Colour route_colour{0.05, 0.05, 0.05};
    static constexpr Colour npu_colour{0.35, 0.35, 0.35};
    static constexpr Colour switch_colour{0.15, 0.15, 0.15};
    static constexpr Colour behind_names{1, 1, 1, 0.8};
    static constexpr Canvas::Font name_font{10, false, {0.2, 0.2, 0.2}};

    /// The last of the palette is grey, for all further kinds.
    static Colour colour_of(std::size_t kind) { return palette(kind < most_colours ? kind : 7); }

    static NetworkLayout sheet_of(const NetworkPlot& plot) {
        std::vector<Spot> spots;
        spots.reserve(plot.nodes.size());
        for (const NetworkPlot::Node& node : plot.nodes) {
            spots.push_back({node.x, node.y});
        }
        std::vector<NetworkLayout::Ends> ends;
        ends.reserve(plot.links.size());
        for (const NetworkPlot::Link& link : plot.links) {
            ends.emplace_back(link.from, link.to);
        }
        return {std::move(spots), std::move(ends), {width - 2 * margin, most_height, 110}};
    }

    static std::vector<LegendEntry> legend_of(const NetworkPlot& plot) {
        std::vector<LegendEntry> entries{{"NPU", npu_colour, Canvas::Marker::Disc}};
        if (std::any_of(plot.nodes.begin(), plot.nodes.end(),
                        [](const NetworkPlot::Node& node) { return node.is_switch; })) {
            entries.push_back({"switch", switch_colour, Canvas::Marker::Square});
        }
        for (std::size_t kind = 0; kind < std::min(plot.kinds.size(), most_colours); ++kind) {
            entries.push_back(
                {plot.kinds[kind], colour_of(kind), Canvas::Marker::Square, true, false});
        }
        if (plot.kinds.size() > most_colours) {
            entries.push_back(
                {"other links", colour_of(most_colours), Canvas::Marker::Square, true});
        }
        if (!plot.route.empty()) {
            entries.push_back({plot.route_name, route_colour, Canvas::Marker::Square, true});
        }
        return entries;
    }

    /// How far the nearest node of its row stands from each node, in steps of the grid.
    static std::vector<double> rooms_of(const std::vector<NetworkPlot::Node>& nodes) {
        constexpr double alone = 3;
        std::vector<std::size_t> order(nodes.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            return std::tie(nodes[a].y, nodes[a].x, a) < std::tie(nodes[b].y, nodes[b].x, b);
        });
        std::vector<double> rooms(nodes.size(), alone);
        for (std::size_t i = 0; i + 1 < order.size(); ++i) {
            const NetworkPlot::Node& node = nodes[order[i]];
            const NetworkPlot::Node& next = nodes[order[i + 1]];
            if (next.y == node.y) {
                const double room = next.x - node.x;
                rooms[order[i]] = std::min(rooms[order[i]], room);
                rooms[order[i + 1]] = std::min(rooms[order[i + 1]], room);
            }
        }
        return rooms;
    }

    void draw_node(Canvas& canvas, Spot corner, std::size_t number) const {
        const NetworkPlot::Node& node = plot_.nodes[number];
        const bool many = plot_.nodes.size() > 300;
        const double radius = std::clamp(sheet_.step() / 9, many ? 0.8 : 3.0, 6.0);
        const Spot at = sheet_.place(corner, number);
        canvas.marker(at, node.is_switch ? Canvas::Marker::Square : Canvas::Marker::Disc, radius,
                      node.is_switch ? switch_colour : npu_colour);
        const double wide = canvas.width_of(node.name, name_font);
        if (wide < 0.8 * rooms_[number] * sheet_.step()) {
            const Spot name{at.x + radius + 3, at.y - radius - 1};
            canvas.box({name.x - 1, name.y - 9}, wide + 2, 12, behind_names);
            canvas.text(name, node.name, Canvas::Anchor::Left, name_font);
        }
    }

    const NetworkPlot& plot_;
    NetworkLayout sheet_;
    std::vector<double> rooms_;  ///< beside each node, in steps
};

}  // namespace

Figure network_figure(const NetworkPlot& plot) {
    const NetworkDrawing drawing(plot);
    return draw_figure(NetworkDrawing::width, drawing.height(),
                       [&](Canvas& canvas) { drawing.draw(canvas); });
}

}  // namespace npunet::report
