// What was measured of profiled runs as one JSON document (docs/profiles.md).
//
//     out << run_json(runs, "npunet", "global") << '\n';
#pragma once

#include <string>
#include <vector>

#include "analysis/run_profile.h"

namespace npunet::report {

/// Every list holds the entries of all iterations, each with its `iteration`. Names the
/// `command`, unless it is empty.
[[nodiscard]] std::string run_json(const std::vector<analysis::RunProfile>& runs,
                                   const std::string& dialect, const std::string& alignment,
                                   const std::string& command = "");

}  // namespace npunet::report
