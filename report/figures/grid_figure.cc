#include "report/figures/grid_figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "report/figures/link_legend.h"
#include "report/figures/network_layout.h"
#include "report/figures/plot_frame.h"
#include "topology/network/layout.h"
#include "topology/network/link_kinds.h"

namespace npunet::report {

namespace {

constexpr std::size_t most_npus = 64;

/// Which NPUs of a product are drawn: of each dimension the first ones and the last one.
class DrawnNpus {
public:
    explicit DrawnNpus(const topology::NetworkDescription& network) {
        const std::size_t dimensions = network.dimensions.size();
        const std::size_t most = dimensions == 2 ? 8 : dimensions == 3 ? 4 : 3;
        const bool some = dimensions > 1 && network.graph.npus() > most_npus;
        std::vector<std::vector<std::size_t>> kept;
        for (const topology::Dimension& dimension : network.dimensions) {
            const auto size = static_cast<std::size_t>(dimension.size);
            kept.emplace_back();
            for (std::size_t place = 0; place < size; ++place) {
                if (!some || size <= most || place + 1 < most || place + 1 == size) {
                    kept.back().push_back(place);
                }
            }
            sizes_.push_back(kept.back().size());
            gaps_.push_back(kept.back().size() < size);
        }
        number_.assign(network.graph.npus(), none);
        for (std::size_t npu = 0; npu < number_.size(); ++npu) {
            bool drawn = true;
            for (std::size_t i = 0; i < dimensions; ++i) {
                const auto place = static_cast<std::size_t>(network.coordinate(NodeId(npu), i));
                drawn = drawn && std::binary_search(kept[i].begin(), kept[i].end(), place);
            }
            if (drawn) {
                number_[npu] = npus_.size();
                npus_.emplace_back(npu);
            }
        }
    }

    static constexpr std::size_t none = static_cast<std::size_t>(-1);

    [[nodiscard]] const std::vector<NodeId>& npus() const { return npus_; }
    [[nodiscard]] std::size_t number(NodeId npu) const { return number_[npu.index()]; }
    [[nodiscard]] const std::vector<std::size_t>& sizes() const { return sizes_; }
    /// Pairs of drawn NPUs between which others of a dimension are left out.
    [[nodiscard]] std::vector<NetworkLayout::Ends> gaps() const {
        std::vector<NetworkLayout::Ends> ends;
        std::size_t stride = 1;
        for (std::size_t i = 0; i < sizes_.size(); ++i) {
            for (std::size_t npu = 0; gaps_[i] && npu < npus_.size(); ++npu) {
                if (npu / stride % sizes_[i] == sizes_[i] - 2) {
                    ends.emplace_back(npu, npu + stride);
                }
            }
            stride *= sizes_[i];
        }
        return ends;
    }

private:
    std::vector<NodeId> npus_;
    std::vector<std::size_t> number_;  ///< by NPU
    std::vector<std::size_t> sizes_;   ///< drawn of each dimension
    std::vector<bool> gaps_;
};

class GridDrawing {
public:
    static constexpr double width = 1000;

    GridDrawing(const topology::NetworkDescription& network, const DrawnRoute& route)
        : network_(network),
          drawn_(network),
          legend_(link_legend(network, route.name)),
          gaps_(drawn_.gaps()) {
        const topology::LinkKinds kinds(network);
        std::vector<NetworkLayout::Ends> ends;
        for (std::size_t i = 0; i < network.graph.links(); ++i) {
            const topology::Link& link = network.graph.link(LinkId(i));
            const std::size_t from = drawn_.number(link.from);
            const std::size_t to = drawn_.number(link.to);
            if (from != DrawnNpus::none && to != DrawnNpus::none) {
                if (std::count(route.links.begin(), route.links.end(), LinkId(i)) > 0) {
                    route_.push_back(ends.size());
                }
                ends.emplace_back(from, to);
                kinds_.push_back(kinds.kind_of(LinkId(i)));
            }
        }
        if (!gaps_.empty()) {
            legend_.push_back({"NPUs left out", gap_colour, Canvas::Marker::Square, true, true});
        }
        std::vector<Spot> spots;
        for (const topology::NodeSpot& spot :
             gaps_.empty() ? topology::layout_of(network) : topology::grid_layout(drawn_.sizes())) {
            spots.push_back({static_cast<double>(spot.x), static_cast<double>(spot.y)});
        }
        sheet_ = std::make_unique<NetworkLayout>(
            std::move(spots), std::move(ends),
            NetworkLayout::Room{width - 2 * margin, most_height, most_step});
    }

    [[nodiscard]] double height() const { return top() + sheet_->height() + margin + 10; }

    void draw(Canvas& canvas) const {
        draw_title(canvas, network_.name, subtitle());
        draw_legend(canvas, {title_margin, legend_top}, legend_);
        const Spot corner{(width - sheet_->width()) / 2, top()};
        for (const auto& [from, to] : gaps_) {
            canvas.line({sheet_->place(corner, from), sheet_->place(corner, to)},
                        {gap_colour, 1.4, {4, 4}});
        }
        for (std::size_t link = 0; link < kinds_.size(); ++link) {
            sheet_->draw_link(canvas, corner, link, kind_colour(kinds_[link]), 0.6);
        }
        for (const std::size_t link : route_) {
            sheet_->draw_link(canvas, corner, link, route_colour, 1.2);
        }
        const double room = sheet_->least_apart();
        const double radius = std::clamp(sheet_->step() * room / 8, 0.8, 6.0);
        for (std::size_t i = 0; i < drawn_.npus().size(); ++i) {
            const Spot at = sheet_->place(corner, i);
            canvas.marker(at, Canvas::Marker::Disc, radius, npu_marker_colour);
            const std::string name = std::to_string(drawn_.npus()[i].value());
            const double wide = canvas.width_of(name, name_font);
            if (wide + radius + 3 < 0.8 * sheet_->step() * room) {
                const Spot text{at.x + radius + 3, at.y - radius - 1};
                canvas.box({text.x - 1, text.y - 9}, wide + 2, 11, behind_names);
                canvas.text(text, name, Canvas::Anchor::Left, name_font);
            }
        }
    }

private:
    static constexpr double margin = 48;
    static constexpr double title_margin = 24;
    static constexpr double most_height = 720;
    static constexpr double most_step = 110;
    static constexpr double legend_top = 80;
    static constexpr Colour gap_colour{0.6, 0.6, 0.6};
    static constexpr Colour behind_names{1, 1, 1, 0.8};
    static constexpr Canvas::Font name_font{10, false, {0.2, 0.2, 0.2}};

    [[nodiscard]] double top() const {
        return legend_top + legend_height(legend_, width - 2 * title_margin) + 34;
    }
    [[nodiscard]] std::string subtitle() const {
        std::string text = fmt::format("{} NPUs, {} links (each direction counts)",
                                       network_.graph.npus(), network_.graph.links());
        if (!gaps_.empty()) {
            text += "; drawn of the dimensions:";
            for (std::size_t i = 0; i < drawn_.sizes().size(); ++i) {
                text += fmt::format("{} {} of {}", i > 0 ? "," : "", drawn_.sizes()[i],
                                    network_.dimensions[i].size);
            }
        }
        return text;
    }

    const topology::NetworkDescription& network_;
    DrawnNpus drawn_;
    std::vector<LegendEntry> legend_;
    std::vector<NetworkLayout::Ends> gaps_;
    std::vector<std::size_t> kinds_;  ///< of drawn links
    std::vector<std::size_t> route_;  ///< drawn links
    std::unique_ptr<NetworkLayout> sheet_;
};

}  // namespace

Sheet grid_sheet(const topology::NetworkDescription& network, const DrawnRoute& route) {
    const auto drawing = std::make_shared<const GridDrawing>(network, route);
    return {GridDrawing::width, drawing->height(),
            [drawing](Canvas& canvas) { drawing->draw(canvas); }};
}

}  // namespace npunet::report
