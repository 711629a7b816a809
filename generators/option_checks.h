// Checks of numbers that options of generators give.
//
//     check_range("--npus", benchmark.npus, 2, most_npus);
//     check_divides("--tp", plan.tp, "heads", model.heads);
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>

#include "base/errors.h"

namespace npunet::generators {

/// Throws InputError about the option unless `value` is from `least` to `most`.
inline void check_range(const char* option, std::int64_t value, std::int64_t least,
                        std::int64_t most, const char* remedy = "") {
    if (value < least || value > most) {
        throw InputError({option, "", fmt::format("{}", value),
                          fmt::format("a whole number from {} to {}", least, most), remedy});
    }
}

/// Throws InputError unless value % divisor == 0: "--tp: found 3; expected a divisor of the 32
/// heads".
inline void check_divides(const std::string& option, std::int64_t divisor, const char* what,
                          std::int64_t value, const std::string& remedy = "") {
    if (value % divisor != 0) {
        throw InputError({option, "", fmt::format("{}", divisor),
                          fmt::format("a divisor of the {} {}", value, what), remedy});
    }
}

}  // namespace npunet::generators
