// How long one collective takes by each algorithm that system.json could name, over a range of
// sizes; and by those of files that system.json names.
//
//     CollectiveTimesRequest request{engine::CollectiveKind::AllReduce, sizes, {}, {}};
//     const report::CollectiveTimes times = collective_times(machine, request, fidelity, {});
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/quantities.h"
#include "engine/collective_algorithms/implementation.h"
#include "engine/collective_files/file_choices.h"
#include "engine/machine/system_config.h"
#include "report/results/collective_times.h"
#include "study/simulation_run.h"

namespace npunet::study {

/// What a series is timed by.
struct AlgorithmToTime {
    std::string name;  ///< "auto", "flat-direct4", "file ring_all_reduce"
    /// The choice by cost has neither.
    std::optional<engine::Implementation> built_in;
    std::vector<engine::FileChoice> bands;  ///< a file's, with its sizes
    /// The communication library of system.json, whatever else is named.
    std::shared_ptr<const engine::LibraryInUse> library;

    [[nodiscard]] static AlgorithmToTime by_cost() { return {"auto", std::nullopt, {}, nullptr}; }
    [[nodiscard]] static AlgorithmToTime of(const engine::Implementation& implementation) {
        return {implementation.spelled(), implementation, {}, nullptr};
    }
};

/// Those of the files that the machine's system.json names for a kind of collective, in its order,
/// once each. Called "file NAME" by the name that the file gives itself; where several have that,
/// by their paths.
[[nodiscard]] std::vector<AlgorithmToTime> algorithms_of_files(const engine::SystemConfig& system,
                                                               engine::CollectiveKind kind);

struct CollectiveTimesRequest {
    engine::CollectiveKind kind = engine::CollectiveKind::AllReduce;  ///< not Barrier
    /// As nccl-tests count them (report::CollectiveTime::size), ascending. All-gathers and gathers
    /// round down to equal parts of at least a byte.
    std::vector<Bytes> sizes;
    std::vector<Rank> group;  ///< in listed order, the first is the root; empty: all
    /// No entries: the choice by cost, all that are offered, and those of files.
    std::vector<AlgorithmToTime> algorithms;
};

/// Bus bandwidth over algorithm bandwidth, as nccl-tests define it (doc/PERFORMANCE.md): 2 (n-1)/n
/// for all-reduces, (n-1)/n where each member keeps a part to itself, 1 for broadcast and reduce.
[[nodiscard]] double bus_factor(engine::CollectiveKind kind, std::size_t members);

/// Each run is alone on the machine; all members start together. An algorithm that the network or
/// the kind refuses is a series with the reason; so is one of a file in none of whose bands a size
/// is. A file is timed at the sizes of its bands alone. `hear` is told before each run. Throws
/// InputError for groups that cannot be, and where every algorithm is refused.
[[nodiscard]] report::CollectiveTimes collective_times(
    const Machine& machine, const CollectiveTimesRequest& request, Fidelity fidelity,
    const RunOptions& options,
    const std::function<void(const std::string& algorithm, Bytes size)>& hear = {});

}  // namespace npunet::study
