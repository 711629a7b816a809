#include "engine/collective_library/library_version.h"

#include <fmt/format.h>

#include <charconv>

namespace npunet::engine {

std::optional<LibraryVersion> LibraryVersion::named(std::string_view text) {
    constexpr std::int32_t most = 999'999;
    LibraryVersion version;
    std::int32_t* const parts[] = {&version.major, &version.minor, &version.patch};
    std::size_t count = 0;
    const char* at = text.data();
    const char* const end = at + text.size();
    while (count < 3) {
        const auto [next, error] = std::from_chars(at, end, *parts[count]);
        if (error != std::errc() || *parts[count] < 0 || *parts[count] > most) {
            return std::nullopt;
        }
        ++count;
        if (next == end) {
            return count >= 2 ? std::optional(version) : std::nullopt;
        }
        if (*next != '.') {
            return std::nullopt;
        }
        at = next + 1;
    }
    return std::nullopt;
}

std::string LibraryVersion::text() const {
    return fmt::format("{}.{}.{}", major, minor, patch);
}

}  // namespace npunet::engine
