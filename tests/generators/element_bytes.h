// Bytes of an element, and sums of lists.
#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

namespace npunet::generators {

constexpr std::int64_t bf16 = 2;

inline std::int64_t total(const std::vector<std::int64_t>& values) {
    return std::accumulate(values.begin(), values.end(), std::int64_t{0});
}

}  // namespace npunet::generators
