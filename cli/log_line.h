// A line of progress or a warning on stderr: "npunet: warning: net.yml: ...". Names of files and
// nodes in it are shown as base/printable.h says.
#pragma once

#include <ostream>
#include <string_view>

#include "base/printable.h"

namespace npunet::cli {

inline void log_line(std::ostream& log, std::string_view text) {
    log << "npunet: " << printable(text) << '\n';
}

inline void log_warning(std::ostream& log, std::string_view text) {
    log << "npunet: warning: " << printable(text) << '\n';
}

}  // namespace npunet::cli
