// A version of a communication library: "nccl-2.29", "nccl-2.29.2", "rccl-2.21.5".
//
//     const LibraryVersion version = *LibraryVersion::named("2.29");    // 2.29.0
//
// C++17-clean.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

namespace npunet::engine {

struct LibraryVersion {
    std::int32_t major = 0;
    std::int32_t minor = 0;
    std::int32_t patch = 0;

    /// Two or three numbers below 10^6 with points between them; nothing for other texts.
    [[nodiscard]] static std::optional<LibraryVersion> named(std::string_view text);
    [[nodiscard]] std::string text() const;

    friend bool operator<(const LibraryVersion& a, const LibraryVersion& b) {
        return std::tie(a.major, a.minor, a.patch) < std::tie(b.major, b.minor, b.patch);
    }
    friend bool operator==(const LibraryVersion& a, const LibraryVersion& b) {
        return std::tie(a.major, a.minor, a.patch) == std::tie(b.major, b.minor, b.patch);
    }
};

}  // namespace npunet::engine
