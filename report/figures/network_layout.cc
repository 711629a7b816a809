#include "report/figures/network_layout.h"

#include <algorithm>
#include <cmath>

namespace npunet::report {

namespace {

/// Longer links than this many steps of the grid close a ring, or pass other nodes of their row.
constexpr double longest_link = 1.6;

/// A bow below a row, from one of its nodes to another.
std::vector<Spot> bow(Spot from, Spot to) {
    constexpr int pieces = 16;
    const double depth = std::min(0.1 * std::abs(to.x - from.x), 26.0);
    std::vector<Spot> spots;
    for (int i = 0; i <= pieces; ++i) {
        const double part = static_cast<double>(i) / pieces;
        spots.push_back({from.x + part * (to.x - from.x),
                         from.y + part * (to.y - from.y) + 4 * depth * part * (1 - part)});
    }
    return spots;
}

}  // namespace

NetworkLayout::NetworkLayout(std::vector<Spot> spots, std::vector<Ends> links, Room room)
    : spots_(std::move(spots)), links_(std::move(links)) {
    for (const Spot& spot : spots_) {
        right_ = std::max(right_, spot.x);
        low_ = std::max(low_, spot.y);
        grid_ = grid_ && spot.x == std::floor(spot.x) && spot.y == std::floor(spot.y);
    }
    step_ = std::min(
        {room.width / std::max(right_, 1.0), room.height / std::max(low_, 1.0), room.step});
}

void NetworkLayout::draw_link(Canvas& canvas, Spot corner, std::size_t link, const Colour& colour,
                              double thickness) const {
    const Spot a = place(corner, links_[link].first);
    const Spot b = place(corner, links_[link].second);
    const double length = std::hypot(b.x - a.x, b.y - a.y);
    if (length == 0) {
        return;
    }
    const double thick = std::clamp(step_ / 10, 0.7, 4.0);
    const Spot along{(b.x - a.x) / length, (b.y - a.y) / length};
    const Spot aside{-along.y * thick * 0.6, along.x * thick * 0.6};
    const Canvas::Pen pen{colour, thick * thickness, {}};
    const auto piece = [&](double from, double to) {
        canvas.line({{a.x + along.x * from + aside.x, a.y + along.y * from + aside.y},
                     {a.x + along.x * to + aside.x, a.y + along.y * to + aside.y}},
                    pen);
    };
    if (grid_ && length > longest_link * step_) {
        // Outwards, as if the grid went on.
        const double stub = std::min(0.4 * step_, 11.0);
        piece(-stub, 0);
        piece(length, length + stub);
    } else if (a.y == b.y && length > longest_link * step_) {
        canvas.line(bow(a, b), {colour, std::min(thick, 1.2) * thickness, {}});
    } else {
        piece(0, length);
    }
}

}  // namespace npunet::report
