// Decimal microseconds to whole nanoseconds.
//
//     nanoseconds_of("4458676983543.183");      // 4458676983543183
//
// For the sources of this folder only.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace npunet::profiles {

/// Microseconds as a JSON number, in nanoseconds: exact to three decimals, rounded half away from
/// zero beyond; numbers with an exponent go through a double. None when it is no number or does not
/// fit.
[[nodiscard]] std::optional<std::int64_t> nanoseconds_of(std::string_view microseconds);

/// A JSON number that is whole ("7", "-1", "7.0").
[[nodiscard]] std::optional<std::int64_t> whole_number_of(std::string_view text);

}  // namespace npunet::profiles
