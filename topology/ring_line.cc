#include "topology/ring_line.h"

namespace npunet::topology {

LineLink RingLine::link(std::int64_t index) const {
    if (size == 2) {
        const auto from = static_cast<std::int32_t>(index);
        return LineLink{from, 1 - from, false};
    }
    const auto from = static_cast<std::int32_t>(index / 2);
    if (index % 2 == 0) {
        return LineLink{from, (from + 1) % size, from == size - 1};
    }
    return LineLink{from, (from + size - 1) % size, from == 0};
}

void RingLine::route(std::int32_t from, std::int32_t to, std::int64_t first_link,
                     std::vector<Hop>& hops) const {
    const std::int32_t ahead = (to - from + size) % size;
    const bool up = ahead <= size - ahead;
    std::uint8_t channel = 0;
    for (std::int32_t at = from; at != to;) {
        const std::int64_t index = size == 2 ? at : 2 * std::int64_t{at} + (up ? 0 : 1);
        const LineLink next = link(index);
        if (next.wraps && virtual_channels_needed() > 1) {
            channel = 1;
        }
        hops.push_back(Hop{LinkId(static_cast<std::int32_t>(first_link + index)), channel});
        at = next.to;
    }
}

}  // namespace npunet::topology
