#include "engine/collective_algorithms/custom_algorithm.h"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace npunet::engine {

namespace {

constexpr std::int32_t first = static_cast<std::int32_t>(Algorithm::Dissemination) + 1;

struct Added {
    std::array<CustomAlgorithm, 16> algorithms;
    std::int32_t count = 0;
};

Added& added() {
    static Added all;
    return all;
}

}  // namespace

Implementation add_algorithm(const CustomAlgorithm& algorithm) {
    Added& all = added();
    if (Implementation::named(algorithm.name)) {
        throw std::invalid_argument("there is an algorithm '" + algorithm.name + "' already");
    }
    if (all.count == static_cast<std::int32_t>(all.algorithms.size())) {
        throw std::invalid_argument("no room for a further algorithm, '" + algorithm.name + "'");
    }
    all.algorithms[static_cast<std::size_t>(all.count)] = algorithm;
    Implementation result;
    result.algorithm = custom_algorithm_id(all.count++);
    return result;
}

std::int32_t custom_algorithm_count() {
    return added().count;
}

const CustomAlgorithm& custom_algorithm(std::int32_t number) {
    return added().algorithms[static_cast<std::size_t>(number)];
}

Algorithm custom_algorithm_id(std::int32_t number) {
    return static_cast<Algorithm>(first + number);
}

std::int32_t custom_algorithm_number(Algorithm algorithm) {
    return std::max(static_cast<std::int32_t>(algorithm) - first, -1);
}

}  // namespace npunet::engine
