#include "planner/metis/data_balancer.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace npunet::planner::metis {

std::vector<std::int64_t> balance(const std::vector<double>& speeds, std::int64_t samples) {
    double total = 0;
    for (const double speed : speeds) {
        total += speed;
    }
    std::vector<std::int64_t> shares;
    std::vector<double> fractions;
    std::int64_t rest = samples;
    for (const double speed : speeds) {
        const double share = static_cast<double>(samples) * (speed / total);
        shares.push_back(static_cast<std::int64_t>(share));
        fractions.push_back(share - std::trunc(share));
        rest -= shares.back();
    }
    std::vector<std::size_t> order(speeds.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return fractions[a] > fractions[b]; });
    for (std::int64_t i = 0; i < rest; ++i) {
        shares[order[static_cast<std::size_t>(i)]] += 1;
    }
    return shares;
}

}  // namespace npunet::planner::metis
