// A number with what it counts, in the right number of the noun.
//
//     counted(1, "copy", "copies")     // "1 copy"
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>

namespace npunet::cli {

[[nodiscard]] inline std::string counted(std::int64_t count, const char* one, const char* many) {
    return fmt::format("{} {}", count, count == 1 ? one : many);
}

}  // namespace npunet::cli
