// The ends of one directed link on a line, as positions 0 .. size - 1; the line's switch, where
// there is one, stands at position `size`.
//
// C++17-clean: reached from ns-3 scenario scripts.
#pragma once

#include <cstdint>

namespace npunet::topology {

struct LineLink {
    std::int32_t from = 0;
    std::int32_t to = 0;
    bool wraps = false;  ///< the link closes a ring of more than two
};

}  // namespace npunet::topology
