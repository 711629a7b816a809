// One hop of a route: the link, and the virtual channel that the packet uses on it.
//
// C++17-clean: reached from ns-3 scenario scripts.
#pragma once

#include <cstdint>

#include "base/ids.h"

namespace npunet::topology {

struct Hop {
    LinkId link;
    std::uint8_t virtual_channel = 0;

    friend constexpr bool operator==(Hop a, Hop b) {
        return a.link == b.link && a.virtual_channel == b.virtual_channel;
    }
    friend constexpr bool operator!=(Hop a, Hop b) { return !(a == b); }
    friend constexpr bool operator<(Hop a, Hop b) {
        return a.link != b.link ? a.link < b.link : a.virtual_channel < b.virtual_channel;
    }
};

}  // namespace npunet::topology
