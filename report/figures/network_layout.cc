#include "report/figures/network_layout.h"

#include <algorithm>
#include <cmath>

#include "report/figures/shapes.h"

namespace npunet::report {

namespace {

/// Longer links than this many steps of the grid close a ring, or pass other nodes of their row.
constexpr double longest_link = 1.6;

/// Of more nodes it is not looked for what links pass.
constexpr std::size_t most_to_pass = 1024;

bool whole(double value) {
    return value == std::floor(value);
}

}  // namespace

NetworkLayout::NetworkLayout(std::vector<Spot> spots, std::vector<Ends> links, Room room)
    : spots_(std::move(spots)), links_(std::move(links)) {
    for (const Spot& spot : spots_) {
        right_ = std::max(right_, spot.x);
        low_ = std::max(low_, spot.y);
    }
    step_ = std::min(
        {room.width / std::max(right_, 1.0), room.height / std::max(low_, 1.0), room.step});
    find_stubs();
}

/// Grids stand at whole steps, rows at whole heights; planes at neither.
void NetworkLayout::find_stubs() {
    const auto all = [&](const auto& is_so) {
        return std::all_of(spots_.begin(), spots_.end(), is_so);
    };
    const bool rows = all([](const Spot& spot) { return whole(spot.y); });
    const bool grid = rows && all([](const Spot& spot) { return whole(spot.x); });
    const bool looked_at = !rows && spots_.size() <= most_to_pass;
    for (const Ends& link : links_) {
        const Spot& a = spots_[link.first];
        const Spot& b = spots_[link.second];
        stubs_.push_back(grid ? std::hypot(b.x - a.x, b.y - a.y) > longest_link
                              : looked_at && passes_a_node(link));
    }
}

bool NetworkLayout::passes_a_node(Ends link) const {
    constexpr double near = 1e-3;
    const Spot& a = spots_[link.first];
    const Spot& b = spots_[link.second];
    const double square = (b.x - a.x) * (b.x - a.x) + (b.y - a.y) * (b.y - a.y);
    return std::any_of(spots_.begin(), spots_.end(), [&](const Spot& spot) {
        const double along = ((spot.x - a.x) * (b.x - a.x) + (spot.y - a.y) * (b.y - a.y)) / square;
        return along > near && along < 1 - near &&
               std::hypot(spot.x - a.x - along * (b.x - a.x), spot.y - a.y - along * (b.y - a.y)) <
                   near;
    });
}

double NetworkLayout::least_apart() const {
    std::vector<Spot> order = spots_;
    std::sort(order.begin(), order.end(),
              [](const Spot& a, const Spot& b) { return a.y != b.y ? a.y < b.y : a.x < b.x; });
    double least = 1;
    for (std::size_t i = 1; i < order.size(); ++i) {
        if (order[i].y == order[i - 1].y) {
            least = std::min(least, order[i].x - order[i - 1].x);
        }
    }
    return least;
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
    if (stubs_[link]) {
        // Outwards, as if the grid went on.
        const double stub = std::min(0.4 * step_, 11.0);
        piece(-stub, 0);
        piece(length, length + stub);
    } else if (a.y == b.y && length > longest_link * step_) {
        canvas.line(arch(a, b), {colour, std::min(thick, 1.2) * thickness, {}});
    } else {
        piece(0, length);
    }
}

}  // namespace npunet::report
