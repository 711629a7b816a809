#include "topology/mesh1d_line.h"

namespace npunet::topology {

LineLink Mesh1DLine::link(std::int64_t index) const {
    const auto lower = static_cast<std::int32_t>(index / 2);
    return index % 2 == 0 ? LineLink{lower, lower + 1, false} : LineLink{lower + 1, lower, false};
}

void Mesh1DLine::route(std::int32_t from, std::int32_t to, std::int64_t first_link,
                       std::vector<Hop>& hops) const {
    const std::int32_t step = from < to ? 1 : -1;
    for (std::int32_t at = from; at != to; at += step) {
        const std::int64_t index = step > 0 ? 2 * std::int64_t{at} : 2 * std::int64_t{at} - 1;
        hops.push_back(Hop{LinkId(static_cast<std::int32_t>(first_link + index)), 0});
    }
}

}  // namespace npunet::topology
