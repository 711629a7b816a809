#include "topology/switch_line.h"

namespace npunet::topology {

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
