// Which npunet this is.
#pragma once

#include <string>

namespace npunet::cli {

/// "0.1.0".
[[nodiscard]] std::string version();
/// "npunet 0.1.0 (Release, GNU 12.2.0, MPI)".
[[nodiscard]] std::string version_and_build();

}  // namespace npunet::cli
