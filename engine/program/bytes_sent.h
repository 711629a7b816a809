// About how many bytes a rank sends, whatever the algorithm: to tell how far a simulation is.
//
// C++17-clean.
#pragma once

#include <cstddef>

#include "engine/program/program.h"

namespace npunet::engine {

/// Of a collective an equal share of what its `members` send by the usual algorithms (exact for
/// rings and direct ones). 0 for what is no communication, and for receives.
[[nodiscard]] inline double bytes_sent(const ProgramOperation& operation, std::size_t members) {
    const auto bytes = static_cast<double>(operation.bytes.value());
    if (operation.kind == OperationKind::Send && !operation.nothing) {
        return bytes;
    }
    if (!exchanges_messages(operation) || members < 2) {
        return 0;
    }
    const auto n = static_cast<double>(members);
    switch (operation.collective) {
        case CollectiveKind::AllReduce:
            return 2 * bytes * (n - 1) / n;
        case CollectiveKind::AllGather:
            return bytes * (n - 1);
        case CollectiveKind::Scatter:
            return bytes * (n - 1) / n / n;
        case CollectiveKind::Barrier:
            return 0;
        default:
            return bytes * (n - 1) / n;
    }
}

}  // namespace npunet::engine
