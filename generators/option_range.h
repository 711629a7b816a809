// Numbers that options of generators give.
//
//     check_range("--npus", benchmark.npus, 2, most_npus);
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

}  // namespace npunet::generators
