// What a simulation was made of, as its report names it: options and their values, files among
// them.
#pragma once

#include <string>
#include <vector>

namespace npunet::report {

struct NamedInput {
    std::string name;  ///< "--network"
    std::string value;
};

using InputList = std::vector<NamedInput>;

/// Provenance of results.
struct RunOrigin {
    std::string command;  ///< command line to run again; empty: not from the command line
    InputList inputs;
};

}  // namespace npunet::report
