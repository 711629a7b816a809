// SHA-256 (FIPS 180-4) of a text, in hexadecimal.
#pragma once

#include <string>
#include <string_view>

namespace npunet::planner::metis {

[[nodiscard]] std::string sha256(std::string_view text);

}  // namespace npunet::planner::metis
