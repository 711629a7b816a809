#include "topology/multipath.h"

#include <algorithm>

namespace npunet::topology {

std::optional<Spread> spread_named(const std::string& word) {
    for (const Spread spread : {Spread::Spray, Spread::Adaptive}) {
        if (word == name_of(spread)) {
            return spread;
        }
    }
    return std::nullopt;
}

void spread_next_hops(Spread spread, std::uint64_t drawn, std::vector<OfferedHop>& next_hops) {
    if (next_hops.size() < 2) {
        return;
    }
    const auto chosen = next_hops.begin() + static_cast<std::ptrdiff_t>(drawn % next_hops.size());
    if (spread == Spread::Spray) {
        next_hops.assign(1, *chosen);
        return;
    }
    std::rotate(next_hops.begin(), chosen, next_hops.end());
}

}  // namespace npunet::topology
