// Rate and latency of the links of one kind.
//
// C++17-clean: reached from ns-3 scenario scripts.
#pragma once

#include "base/quantities.h"

namespace npunet::topology {

struct LinkSpeed {
    Rate rate;     ///< bytes per second of one direction
    Time latency;  ///< not negative
};

}  // namespace npunet::topology
