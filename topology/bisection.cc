#include "topology/bisection.h"

#include <algorithm>

#include "topology/line.h"

namespace npunet::topology {

namespace {

/// All links across the middle of one dimension.
Bisection across_middle(const Dimension& dimension, std::int64_t npus) {
    const std::int64_t links = npus / dimension.size * visit_line(dimension, [](const auto& line) {
                                   return line.links_across_middle();
                               });
    return Bisection{
        links, static_cast<double>(links) * static_cast<double>(dimension.rate.bytes_per_second())};
}

}  // namespace

Bisection bisection_of(std::vector<Dimension> dimensions) {
    Bisection sum;
    bool halved = false;
    while (!halved) {
        dimensions.erase(std::remove_if(dimensions.begin(), dimensions.end(),
                                        [](const Dimension& d) { return d.size == 1; }),
                         dimensions.end());
        if (dimensions.empty()) {
            break;
        }
        std::int64_t npus = 1;
        for (const Dimension& dimension : dimensions) {
            npus *= dimension.size;
        }
        const auto least = std::min_element(dimensions.begin(), dimensions.end(),
                                            [&](const Dimension& a, const Dimension& b) {
                                                return across_middle(a, npus).bytes_per_second <
                                                       across_middle(b, npus).bytes_per_second;
                                            });
        const Bisection cut = across_middle(*least, npus);
        sum.links += cut.links;
        sum.bytes_per_second += cut.bytes_per_second;
        halved = least->size % 2 == 0;
        dimensions.erase(least);
    }
    return sum;
}

}  // namespace npunet::topology
