// How much a YAML or JSON document may hold. Beyond it the document is refused before anything is
// made of it: what people write stays far below, and hostile documents cost little.
//
// C++17-clean.
#pragma once

#include <cstddef>
#include <string>

namespace npunet {

/// How deep lists and maps may lie in each other.
inline constexpr std::size_t deepest_input = 64;
/// How many values there may be: lists, maps, keys and what is in them, counted each time that an
/// alias names them. In memory a value takes about 0.5 kB.
inline constexpr std::size_t most_input_values = std::size_t{1} << 22;

/// For a list or map that lies in `depth` - 1 others. Throws InputError beyond deepest_input;
/// `file` and `place` are where that is.
void check_input_depth(std::size_t depth, const std::string& file, const std::string& place);

/// For as many values as there are so far. Throws InputError beyond most_input_values.
void check_input_values(std::size_t values, const std::string& file, const std::string& place);

}  // namespace npunet
