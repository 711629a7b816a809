// The program's own help, taken apart.
#pragma once

#include <set>
#include <string>
#include <vector>

namespace npunet::docs_test {

/// One level of the program: "npunet", "npunet generate", "npunet generate collective", ...
struct HelpLevel {
    std::string name;
    std::set<std::string> names;  ///< options, without those of the helps, and positional arguments
    std::vector<std::string> lines;
};

/// Every level, as `--help-all` shows them.
[[nodiscard]] std::vector<HelpLevel> help_levels();

}  // namespace npunet::docs_test
