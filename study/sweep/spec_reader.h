// Reads a sweep.yml (docs/inputs.md): which points a sweep consists of.
//
//     const DesignSpace space = read_design_space("sweep.yml");
//
// Relative paths in it are looked up in the folder of the spec, then in the folder above, and so
// on, never in the working directory: the same spec means the same sweep wherever it is run.
#pragma once

#include <string>

#include "study/sweep/design_space.h"

namespace npunet::study {

/// Throws InputError with file and line for whatever cannot be meant: unknown keys, values out of
/// range, files that are missing, an expression that fails, no points at all.
[[nodiscard]] DesignSpace read_design_space(const std::string& file);

}  // namespace npunet::study
