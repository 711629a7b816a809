// Stream and phase of a message of a collective, in one word: the upper half of
// RecordedMessage::order (engine/results/message_recorder.h).
//
// C++17-clean.
#pragma once

#include <cstdint>

namespace npunet::engine {

/// Of algorithms from files and of communication libraries: thread block and connection.
inline constexpr unsigned phase_bits = 8;

[[nodiscard]] constexpr std::uint32_t place_of(std::uint32_t stream, std::uint32_t phase) {
    return (stream << phase_bits) | phase;
}
[[nodiscard]] constexpr std::uint32_t stream_of(std::uint32_t place) {
    return place >> phase_bits;
}
[[nodiscard]] constexpr std::uint32_t phase_of(std::uint32_t place) {
    return place & ((1U << phase_bits) - 1);
}

}  // namespace npunet::engine
