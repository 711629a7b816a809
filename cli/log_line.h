// A line of progress or a warning on stderr: "npunet: warning: net.yml: ...". Names in it are
// escaped as described in base/printable.h.
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
