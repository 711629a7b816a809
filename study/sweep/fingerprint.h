// What the results of a sweep depend on, in 64 bits: so that a journal is continued only by the
// sweep that began it.
//
//     space.fingerprint = fingerprint_of(space, parameters);
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "study/sweep/parameters.h"

namespace npunet::study {

/// FNV-1a, 64 bits (Fowler, Noll, Vo), continued from `hash`.
[[nodiscard]] std::uint64_t fnv1a(std::string_view bytes,
                                  std::uint64_t hash = 0xcbf29ce484222325ULL);

/// Of the axes, the points, the limit, the second stage, and of the content of all files that the
/// points name (networks with the placements and links they name, systems, models and the routing
/// files they name, routing files, groups, traces). Where the files lie does not matter. Throws
/// InputError for a file that cannot be read.
[[nodiscard]] std::uint64_t fingerprint_of(const DesignSpace& space,
                                           const std::vector<Parameter>& parameters);

}  // namespace npunet::study
