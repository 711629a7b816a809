#include "topology/routing/multipath.h"

#include <algorithm>
#include <cstddef>

#include "base/splitmix64.h"

namespace npunet::topology {

std::optional<Spread> spread_named(const std::string& word) {
    for (const Spread spread : {Spread::Spray, Spread::Adaptive}) {
        if (word == name_of(spread)) {
            return spread;
        }
    }
    return std::nullopt;
}

void EqualCostRouter::spread_over(const PacketPlace& place,
                                  std::vector<OfferedHop>& next_hops) const {
    if (next_hops.size() < 2) {
        return;
    }
    const std::uint64_t drawn =
        splitmix64(place.hash + static_cast<std::uint64_t>(place.at.value()));
    const auto chosen = next_hops.begin() + static_cast<std::ptrdiff_t>(drawn % next_hops.size());
    if (spread_ == Spread::Spray) {
        next_hops.assign(1, *chosen);
        return;
    }
    std::rotate(next_hops.begin(), chosen, next_hops.end());
}

}  // namespace npunet::topology
