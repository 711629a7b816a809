// Sums over a generated workload, for summaries and tests.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "generators/workload.h"

namespace npunet::generators {

/// Wide enough for the FLOPs of the largest model's step on all ranks.
__extension__ using WideCount = __int128;

/// Communication of one kind: a kind of group, or "point-to-point".
struct Traffic {
    std::string kind;
    std::int64_t groups = 0;  ///< groups of this kind; 0 for point-to-point
    std::int64_t nodes = 0;   ///< collectives (or sends), summed over ranks
    WideCount bytes = 0;      ///< their comm_size, summed over ranks
};

struct WorkloadTotals {
    std::int64_t nodes = 0;  ///< summed over ranks
    WideCount flops = 0;     ///< num_ops, summed over ranks
    std::vector<Traffic> traffic;
};

[[nodiscard]] WorkloadTotals totals_of(const GeneratedWorkload& workload);

}  // namespace npunet::generators
