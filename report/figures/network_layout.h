// Where the nodes and links of a network lie on a sheet, for the figures of networks.
//
//     const NetworkLayout sheet(spots, ends, {348, 360, 90});
//     sheet.draw_link(canvas, corner, link, shade(0.4));
//     canvas.marker(sheet.place(corner, node), Canvas::Marker::Disc, 3, grey);
//
// The two directions of a link lie side by side, each on the right in its direction. Links that
// close a ring of a grid or of a plane are drawn as stubs at both ends, and those that pass other
// nodes of a row of switches or NPUs as arches above it.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "report/figures/canvas.h"

namespace npunet::report {

class NetworkLayout {
public:
    /// The numbers of a link's nodes, from and to.
    using Ends = std::pair<std::size_t, std::size_t>;
    /// In pixels; a step of the grid is at most `step`.
    struct Room {
        double width;
        double height;
        double step;
    };

    /// `spots` of the nodes in steps of a grid, from (0, 0) to the right and downwards.
    NetworkLayout(std::vector<Spot> spots, std::vector<Ends> links, Room room);

    [[nodiscard]] double step() const { return step_; }
    /// Of what is drawn, nodes' middles.
    [[nodiscard]] double width() const { return right_ * step_; }
    [[nodiscard]] double height() const { return low_ * step_; }
    [[nodiscard]] Spot place(Spot corner, std::size_t node) const {
        return {corner.x + spots_[node].x * step_, corner.y + spots_[node].y * step_};
    }
    /// Between neighbours that stand in one line across, at most a step, in steps.
    [[nodiscard]] double least_apart() const;
    void draw_link(Canvas& canvas, Spot corner, std::size_t link, const Colour& colour,
                   double thickness = 1) const;

private:
    void find_stubs();
    [[nodiscard]] bool passes_a_node(Ends link) const;

    std::vector<Spot> spots_;
    std::vector<Ends> links_;
    double right_ = 0;
    double low_ = 0;
    std::vector<bool> stubs_;  ///< by link
    double step_ = 1;
};

}  // namespace npunet::report
