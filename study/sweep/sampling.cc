#include "study/sweep/sampling.h"

#include <set>

namespace npunet::study {

std::uint64_t draw_below(std::mt19937_64& generator, std::uint64_t bound) {
    // 2^64 mod bound outputs are too many for the rest to be a multiple of bound.
    const std::uint64_t surplus = (0 - bound) % bound;
    std::uint64_t raw = generator();
    while (raw < surplus) {
        raw = generator();
    }
    return raw % bound;
}

std::vector<std::uint64_t> sample_of(std::uint64_t population, std::uint64_t count,
                                     std::uint64_t seed) {
    std::mt19937_64 generator(seed);
    std::set<std::uint64_t> chosen;
    const std::uint64_t first = count < population ? population - count : 0;
    for (std::uint64_t last = first; last < population; ++last) {
        const std::uint64_t number = draw_below(generator, last + 1);
        chosen.insert(chosen.count(number) == 0 ? number : last);
    }
    return {chosen.begin(), chosen.end()};
}

}  // namespace npunet::study
