// What to do with keys of a network.yml that nobody knows.
#pragma once

#include <string>
#include <vector>

#include "topology/yaml_field.h"

namespace npunet::topology {

struct UnknownKeys {
    bool tolerated = false;                        ///< a warning instead of an error
    std::vector<std::string>* warnings = nullptr;  ///< may be null
};

/// Passes every key of a map that is `known`, refuses those that are only `planned` as not offered
/// by this version, and treats the others as `unknown` says.
void check_keys(const YamlField& map, const std::vector<std::string>& known,
                const UnknownKeys& unknown, const std::vector<std::string>& planned = {});

}  // namespace npunet::topology
