// Values that stand for nothing.
#pragma once

#include <cstdint>
#include <limits>

namespace npunet::packet {

/// No place in a pool or table, no port, no message.
inline constexpr std::uint32_t none = 0xffffffff;
/// A time in ps that is never reached.
inline constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

}  // namespace npunet::packet
