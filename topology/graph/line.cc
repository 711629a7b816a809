#include "topology/graph/line.h"

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

// Links p (size - 1) to (p + 1) (size - 1) - 1 lead from position p to the others in their order.
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

LineLink SwitchLine::link(std::int64_t index) const {
    const auto port = static_cast<std::int32_t>(index % size);
    return index < size ? LineLink{port, size, false} : LineLink{size, port, false};
}

void SwitchLine::route(std::int32_t from, std::int32_t to, std::int64_t first_link,
                       std::vector<Hop>& hops) const {
    if (from != to) {
        hops.push_back(Hop{LinkId(static_cast<std::int32_t>(first_link + from)), 0});
        hops.push_back(Hop{LinkId(static_cast<std::int32_t>(first_link + size + to)), 0});
    }
}

}  // namespace npunet::topology
