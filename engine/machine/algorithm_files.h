// The algorithms from files that system.json names, in front of built-in ones:
//
//     "all-reduce-implementation": {"file": "ring.xml"}
//     "all-reduce-implementation": [{"file": "a.xml", "max-bytes": "1MiB"}, {"file": "b.xml",
//                                    "members": 8}, "ring"]
//
// C++17-clean.
#pragma once

#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/collective_files/file_choices.h"
#include "engine/machine/dialect.h"

namespace npunet::engine {

/// Reads the files that the value of a key names, and leaves the names of built-in algorithms in
/// `value`, as a list: an empty one where there are none. `file` is the system.json, from whose
/// folder paths go. Throws InputError.
[[nodiscard]] FileChoices take_algorithm_files(const std::string& file, const std::string& key,
                                               CollectiveKind kind, nlohmann::json& value,
                                               std::vector<std::string>& warnings);

/// Whether a key of ASTRA-sim names traces for a kind of collective:
/// "all-reduce-implementation-custom", or "...-chakra" until June 2025.
[[nodiscard]] bool names_custom_traces(const std::string& key);

/// What such keys of a system.json say, by kind, in the dialects of ASTRA-sim: there the paths go
/// from the working directory, and nothing else runs that kind. In other dialects they are refused:
/// throws InputError.
void read_custom_traces(const std::string& file, const nlohmann::json& document,
                        const Dialect& dialect, std::array<FileChoices, 9>& choices,
                        std::vector<std::string>& warnings);

}  // namespace npunet::engine
