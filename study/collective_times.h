// How long one collective takes by each algorithm that system.json could name, over a range of
// sizes.
//
//     CollectiveTimesRequest request{engine::CollectiveKind::AllReduce, sizes, {}, {}};
//     const report::CollectiveTimes times = collective_times(machine, request, fidelity, {});
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/quantities.h"
#include "engine/collective_algorithms/implementation.h"
#include "report/collective_times.h"
#include "study/simulation_run.h"

namespace npunet::study {

struct CollectiveTimesRequest {
    engine::CollectiveKind kind = engine::CollectiveKind::AllReduce;  ///< not Barrier
    /// As nccl-tests count them (report::CollectiveTime::size), ascending. All-gathers and gathers
    /// round down to equal parts of at least a byte.
    std::vector<Bytes> sizes;
    std::vector<Rank> group;  ///< in listed order, the first is the root; empty: all
    /// Nothing stands for the choice by cost; no entries: that, and all that are offered.
    std::vector<std::optional<engine::Implementation>> algorithms;
};

/// Bus bandwidth over algorithm bandwidth, as nccl-tests define it (doc/PERFORMANCE.md): 2 (n-1)/n
/// for all-reduces, (n-1)/n where each member keeps a part to itself, 1 for broadcast and reduce.
[[nodiscard]] double bus_factor(engine::CollectiveKind kind, std::size_t members);

/// Each run is alone on the machine; all members start together. An algorithm that the network or
/// the kind refuses is a series with the reason. `hear` is told before each run. Throws InputError
/// for groups that cannot be, and where every algorithm is refused.
[[nodiscard]] report::CollectiveTimes collective_times(
    const Machine& machine, const CollectiveTimesRequest& request, Fidelity fidelity,
    const RunOptions& options,
    const std::function<void(const std::string& algorithm, Bytes size)>& hear = {});

}  // namespace npunet::study
