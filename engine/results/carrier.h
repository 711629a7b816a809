// What carries the communication of one kind of parallelism on one NPU, for people: which links,
// which operations.
//
// C++17-clean.
#pragma once

#include <string>
#include <vector>

#include "engine/results/parallelism.h"

namespace npunet::engine {

struct Carrier {
    Parallelism dimension = Parallelism::Other;
    std::string links;  ///< a name of Results::link_classes; empty: nothing leaves the NPU
    /// "all_gather", "send", ...: those with most bytes first.
    std::vector<std::string> operations;
};

}  // namespace npunet::engine
