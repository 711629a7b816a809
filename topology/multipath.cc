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

void spread_ways(Spread spread, std::uint64_t drawn, std::vector<Way>& ways) {
    if (ways.size() < 2) {
        return;
    }
    const auto chosen = ways.begin() + static_cast<std::ptrdiff_t>(drawn % ways.size());
    if (spread == Spread::Spray) {
        ways.assign(1, *chosen);
        return;
    }
    std::rotate(ways.begin(), chosen, ways.end());
}

}  // namespace npunet::topology
