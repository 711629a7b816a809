#include "topology/size_field.h"

#include <fmt/format.h>

#include <string>

#include "base/units.h"

namespace npunet::topology {

Bytes size_at(const YamlField& field, std::int64_t least, std::int64_t most) {
    const std::string expected = fmt::format("a size from {} B to {} B", least, most);
    const Bytes bytes = parse_bytes(field.text(expected), field.file() + ": " + field.place());
    if (bytes < Bytes(least) || bytes > Bytes(most)) {
        field.refuse(field.found(), expected);
    }
    return bytes;
}

}  // namespace npunet::topology
