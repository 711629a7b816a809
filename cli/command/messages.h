// Lines of progress and warnings on stderr, "npunet: warning: net.yml: ...", and counted nouns in
// texts. Names in the lines are escaped as described in base/printable.h.
//
//     log_warning(context.log, "net.yml: ...");
//     counted(1, "copy", "copies")     // "1 copy"
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>

#include "base/printable.h"

namespace npunet::cli {

[[nodiscard]] inline std::string counted(std::int64_t count, const char* one, const char* many) {
    return fmt::format("{} {}", count, count == 1 ? one : many);
}

inline void log_line(std::ostream& log, std::string_view text) {
    log << "npunet: " << printable(text) << '\n';
}

inline void log_warning(std::ostream& log, std::string_view text) {
    log << "npunet: warning: " << printable(text) << '\n';
}

}  // namespace npunet::cli
