#include "report/figures/tier_figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>

#include "report/figures/link_legend.h"
#include "report/figures/plot_frame.h"
#include "report/figures/shapes.h"
#include "topology/network/node_groups.h"

namespace npunet::report {

namespace {

using topology::Block;
using topology::LinkBundle;
using topology::NodeGroup;

/// "server", "servers"; "leaf", "leaves".
std::string several(std::size_t count, const std::string& noun) {
    if (count == 1) {
        return fmt::format("1 {}", noun);
    }
    if (!noun.empty() && noun.back() == 'f') {
        return fmt::format("{} {}ves", count, noun.substr(0, noun.size() - 1));
    }
    const bool hisses = noun.size() > 2 && noun.compare(noun.size() - 2, 2, "ch") == 0;
    return fmt::format("{} {}{}", count, noun, hisses ? "es" : "s");
}

/// "rail3-leaf0" is a rail-leaf.
std::string letters_of(const std::string& name) {
    std::string letters;
    std::copy_if(name.begin(), name.end(), std::back_inserter(letters),
                 [](char c) { return c < '0' || c > '9'; });
    while (!letters.empty() && letters.back() == '-') {
        letters.pop_back();
    }
    return letters;
}

/// "rail3-leaf0" is number 3.0 of its kind.
std::string digits_of(const std::string& name) {
    std::string digits;
    for (const char c : name) {
        if (c >= '0' && c <= '9') {
            digits += c;
        } else if (!digits.empty() && digits.back() != '.') {
            digits += '.';
        }
    }
    if (!digits.empty() && digits.back() == '.') {
        digits.pop_back();
    }
    return digits;
}

class TierDrawing {
public:
    static constexpr double width = 1000;

    TierDrawing(const topology::NetworkDescription& network, DrawnRoute route)
        : network_(network),
          route_(std::move(route)),
          groups_(network),
          legend_(link_legend(network, route_.name)) {
        std::vector<topology::RowItem> items;
        for (const NodeGroup& group : groups_.groups()) {
            items.push_back(group.item);
        }
        places_ = topology::places_in_rows(groups_.rows(), items);
        const double widest = *std::max_element(places_.begin(), places_.end());
        step_ = std::min(most_step, (width - left - right) / (widest + 2 * half_item));
        left_ = left + (width - left - right - step_ * (widest + 2 * half_item)) / 2;
        for (std::size_t row = 0; row < groups_.rows().rows(); ++row) {
            room_.push_back(room_of(row));
        }
    }

    [[nodiscard]] double height() const { return bottom() + margin; }

    void draw(Canvas& canvas) {
        choose_npu_font(canvas);
        find_rows_with_names(canvas);
        draw_title(canvas, network_.name, subtitle());
        draw_legend(canvas, {margin, legend_top}, legend_);
        for (std::int32_t tier = frames() - 1; tier >= 0; --tier) {
            for (const Block& block : groups_.shown_blocks()) {
                if (block.tier == tier) {
                    draw_block(canvas, block);
                }
            }
        }
        for (const LinkBundle& bundle : groups_.bundles()) {
            draw_bundle(canvas, bundle, kind_colour(bundle.kind), width_of(bundle));
        }
        draw_route(canvas);
        for (std::size_t group = 0; group < groups_.groups().size(); ++group) {
            draw_group(canvas, group);
        }
        draw_row_names(canvas);
    }

private:
    static constexpr double margin = 24;
    static constexpr double left = 128;
    static constexpr double right = 24;
    static constexpr double legend_top = 80;
    static constexpr double most_step = 104;
    static constexpr double row_apart = 104;
    static constexpr double half_item = 0.85;  ///< in steps: of boxes that stand alone in a block
    static constexpr double most_box = 92;
    static constexpr double frame_line = 17;  ///< of names of blocks
    static constexpr double half_box = 17;    ///< of a group
    static constexpr Colour ink{0.15, 0.15, 0.15};
    static constexpr Colour paper{1, 1, 1};
    static constexpr Colour npu_colour{0.87, 0.92, 0.97};
    static inline const Canvas::Font small{9.5, false, ink};
    static inline const Canvas::Font name_font{10.5, false, ink};
    static inline const Canvas::Font row_font{12, true, ink};

    [[nodiscard]] std::string subtitle() const {
        const topology::Graph& graph = network_.graph;
        std::string text = fmt::format("{}, {}, {}", several(graph.npus(), "NPU"),
                                       several(graph.nodes() - graph.npus(), "switch"),
                                       several(graph.links(), "link") + " (each direction counts)");
        if (groups_.collapsed()) {
            text += "; boxes with a number stand for several, wide lines for several links";
        }
        return text;
    }

    /// Those of a product are called by the kinds of its dimensions.
    [[nodiscard]] std::string name_of_tier(std::int32_t tier) const {
        return network_.dimensions.empty()
                   ? groups_.rows().tiers()[static_cast<std::size_t>(tier)].name
                   : "group";
    }
    /// Tiers that have frames.
    [[nodiscard]] std::int32_t frames() const { return groups_.rows().outermost().tier; }
    [[nodiscard]] double top() const {
        return legend_top + legend_height(legend_, width - 2 * margin) + 46;
    }
    [[nodiscard]] double y_of(std::size_t row) const {
        return top() + row_apart * static_cast<double>(groups_.rows().rows() - 1 - row);
    }
    [[nodiscard]] double below_npus() const {
        return y_of(0) + half_box + (groups_.collapsed() ? 4 : 8);
    }
    [[nodiscard]] double bottom() const { return below_npus() + frame_line * (frames() + 0.5); }
    [[nodiscard]] Spot at(std::size_t group) const {
        return {left_ + step_ * (places_[group] + half_item),
                y_of(groups_.groups()[group].item.row)};
    }

    /// Between neighbours of a row, in pixels.
    [[nodiscard]] double room_of(std::size_t row) const {
        std::vector<double> places;
        for (std::size_t i = 0; i < places_.size(); ++i) {
            if (groups_.groups()[i].item.row == row) {
                places.push_back(places_[i]);
            }
        }
        std::sort(places.begin(), places.end());
        double room = most_step;
        for (std::size_t i = 1; i < places.size(); ++i) {
            room = std::min(room, step_ * (places[i] - places[i - 1]));
        }
        return room;
    }

    static double box_width(double room) { return std::clamp(room - 8, 3.0, most_box); }

    static double width_of(const LinkBundle& bundle) {
        const double pairs = static_cast<double>(bundle.links.size()) / 2;
        return std::min(0.7 + 0.6 * std::log2(std::max(1.0, pairs)), 4.5);
    }

    void draw_block(Canvas& canvas, const Block& block) const {
        double from = width;
        double to = 0;
        std::size_t highest = 0;
        const topology::NodeRows& rows = groups_.rows();
        for (std::size_t i = 0; i < groups_.groups().size(); ++i) {
            const NodeGroup& group = groups_.groups()[i];
            if (group.item.row > 0) {
                highest = group.item.home.tier <= block.tier ? std::max(highest, group.item.row)
                                                             : highest;
            } else if (rows.block_of(group.item.npu, block.tier) == block.number) {
                from = std::min(from, at(i).x);
                to = std::max(to, at(i).x);
            }
        }
        // Frames of tiers further outside are a little larger.
        const double wider = groups_.collapsed() ? box_width(room_[0]) / 2 + 3 + 4 * block.tier
                                                 : step_ * (0.5 + 0.12 * (block.tier + 1)) - 1;
        // Above NPUs alone their links to each other, which are arches.
        const double above = highest == 0 ? 44 : half_box + 9;
        const Spot corner{from - wider, y_of(highest) - above - 4 * block.tier};
        const double floor = below_npus() + frame_line * (block.tier + 1);
        const double shade = 0.965 - 0.015 * (frames() - 1 - block.tier);
        draw_outlined_box(canvas, corner, to - from + 2 * wider, floor - corner.y,
                          {shade, shade, shade}, {{0.7, 0.7, 0.7}, 0.8, {}});
        draw_first_fitting(canvas, {(from + to) / 2, floor - 5}, to - from + 2 * wider - 4,
                           {fmt::format("{} {}", name_of_tier(block.tier), block.number),
                            std::to_string(block.number)},
                           name_font);
    }

    void draw_bundle(Canvas& canvas, const LinkBundle& bundle, const Colour& colour,
                     double thick) const {
        const Spot a = at(bundle.from);
        const Spot b = at(bundle.to);
        const bool row = a.y == b.y;
        canvas.line(row && std::abs(b.x - a.x) > 1.2 * step_ ? arch(a, b) : std::vector{a, b},
                    {colour, thick, {}});
    }

    void draw_route(Canvas& canvas) const {
        std::set<LinkId> links(route_.links.begin(), route_.links.end());
        for (const LinkBundle& bundle : groups_.bundles()) {
            if (std::any_of(bundle.links.begin(), bundle.links.end(),
                            [&](LinkId link) { return links.count(link) > 0; })) {
                draw_bundle(canvas, bundle, route_colour, 2.6);
            }
        }
    }

    /// The largest in which all numbers of NPUs have room, if there is one that is read.
    void choose_npu_font(Canvas& canvas) {
        const std::string widest = std::to_string(network_.graph.npus() - 1);
        for (npu_font_.size = 9.5; npu_font_.size > 6; npu_font_.size -= 0.5) {
            if (canvas.width_of(widest, npu_font_) <= room_[0] - 1) {
                return;
            }
        }
    }

    /// Rows in which all switches that stand by themselves have room for their names.
    void find_rows_with_names(Canvas& canvas) {
        names_fit_.assign(room_.size(), true);
        for (const NodeGroup& group : groups_.groups()) {
            const std::size_t row = group.item.row;
            const bool fits = canvas.width_of(group.name, name_font) <= box_width(room_[row]) - 4;
            names_fit_[row] = names_fit_[row] && (group.nodes.size() > 1 || fits);
        }
    }

    void draw_group(Canvas& canvas, std::size_t number) const {
        const NodeGroup& group = groups_.groups()[number];
        const Spot centre = at(number);
        const double room = room_[group.item.row];
        if (group.nodes.size() > 1) {
            // What is left out has gaps on both sides.
            draw_several(canvas, group, centre,
                         group.blocks > 0 ? std::min(2 * step_, most_box) : box_width(room));
        } else if (group.npus == 1) {
            const double radius = std::clamp(room * 0.4, 2.0, 7.0);
            canvas.marker(centre, Canvas::Marker::Disc, radius, npu_marker_colour);
            draw_first_fitting(
                canvas, {centre.x, centre.y + radius + 11}, room - 1,
                {letters_of(group.name) == "npu" ? digits_of(group.name) : group.name,
                 digits_of(group.name)},
                npu_font_);
        } else {
            const double wide = box_width(room);
            draw_outlined_box(canvas, {centre.x - wide / 2, centre.y - 11}, wide, 22, paper,
                              {ink, 1, {}});
            draw_first_fitting(canvas, {centre.x, centre.y + 4}, wide - 4,
                               {names_fit_[group.item.row] ? group.name : digits_of(group.name)},
                               name_font);
        }
    }

    void draw_several(Canvas& canvas, const NodeGroup& group, Spot centre, double wide) const {
        const bool out = group.blocks > 0 || group.between;
        const double half = group.blocks > 0 ? half_box + 4 : half_box;
        draw_outlined_box(canvas, {centre.x - wide / 2, centre.y - half}, wide, 2 * half,
                          group.npus > 0 && !out ? npu_colour : paper,
                          {ink, 1, out ? std::vector<double>{3, 3} : std::vector<double>{}});
        std::vector<std::vector<std::string>> lines;
        if (group.blocks > 0) {
            const std::string blocks =
                several(group.blocks, group.tier < 0 ? "NPU" : name_of_tier(group.tier));
            lines = {{"... " + blocks, blocks, std::to_string(group.blocks)}};
            if (group.tier >= 0) {
                lines.push_back({several(group.npus, "NPU"), std::to_string(group.npus)});
            }
            if (group.switches > 0) {
                lines.push_back(
                    {several(group.switches, "switch"), std::to_string(group.switches)});
            }
        } else if (group.npus > 0) {
            lines = {{several(group.npus, "NPU"), std::to_string(group.npus)}};
        } else {
            lines = {{group.between ? "..." : group.name, "..."},
                     {several(group.switches, "switch"), std::to_string(group.switches)}};
        }
        double y = centre.y + 4 - 6.0 * static_cast<double>(lines.size() - 1);
        for (const std::vector<std::string>& line : lines) {
            draw_first_fitting(canvas, {centre.x, y}, wide - 4, line, small);
            y += 12;
        }
    }

    void draw_row_names(Canvas& canvas) const {
        for (std::size_t row = 0; row < groups_.rows().rows(); ++row) {
            std::vector<std::string> kinds;
            std::size_t count = 0;
            const topology::Graph& graph = network_.graph;
            for (std::size_t i = 0; i < graph.nodes(); ++i) {
                const NodeId node(i);
                if (groups_.rows().row(node) != row) {
                    continue;
                }
                ++count;
                const std::string kind = letters_of(graph.name(node));
                if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end() &&
                    kinds.size() < 3) {
                    kinds.push_back(kind);
                }
            }
            const std::string name = row == 0 ? "NPUs" : fmt::format("{}", fmt::join(kinds, ", "));
            const std::string number = row == 0 ? std::to_string(count) : several(count, "switch");
            canvas.text({margin, y_of(row)}, canvas.fitting(name, left - margin - 8, row_font),
                        Canvas::Anchor::Left, row_font);
            canvas.text({margin, y_of(row) + 15}, number, Canvas::Anchor::Left, name_font);
        }
    }

    const topology::NetworkDescription& network_;
    DrawnRoute route_;
    topology::NodeGroups groups_;
    std::vector<LegendEntry> legend_;
    std::vector<double> places_;   ///< by group, in steps
    std::vector<double> room_;     ///< by row
    std::vector<bool> names_fit_;  ///< by row
    double step_ = 1;
    double left_ = left;
    Canvas::Font npu_font_ = small;
};

}  // namespace

Sheet tier_sheet(const topology::NetworkDescription& network, const DrawnRoute& route) {
    const auto drawing = std::make_shared<TierDrawing>(network, route);
    return {TierDrawing::width, drawing->height(),
            [drawing](Canvas& canvas) { drawing->draw(canvas); }};
}

}  // namespace npunet::report
