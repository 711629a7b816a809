#include "topology/fully_connected_line.h"

namespace npunet::topology {

// The links of position p are p (size - 1) and following, in the order of their other ends, p
// itself left out.

LineLink FullyConnectedLine::link(std::int64_t index) const {
    const auto from = static_cast<std::int32_t>(index / (size - 1));
    const auto other = static_cast<std::int32_t>(index % (size - 1));
    return LineLink{from, other < from ? other : other + 1, false};
}

void FullyConnectedLine::route(std::int32_t from, std::int32_t to, std::int64_t first_link,
                               std::vector<Hop>& hops) const {
    if (from != to) {
        const std::int64_t index = std::int64_t{from} * (size - 1) + (to < from ? to : to - 1);
        hops.push_back(Hop{LinkId(static_cast<std::int32_t>(first_link + index)), 0});
    }
}

}  // namespace npunet::topology
