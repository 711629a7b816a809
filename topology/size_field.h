// Sizes in bytes, as every section of a network.yml writes them.
//
//     transport.window = size_at(*window, 1);
#pragma once

#include <cstdint>

#include "base/quantities.h"
#include "topology/yaml_field.h"

namespace npunet::topology {

/// 1 PiB.
constexpr std::int64_t most_bytes = std::int64_t{1} << 50;

/// "4kB": from `least` to `most` bytes; everything else is refused.
[[nodiscard]] Bytes size_at(const YamlField& field, std::int64_t least,
                            std::int64_t most = most_bytes);

}  // namespace npunet::topology
