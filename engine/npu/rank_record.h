// What a run writes down of each rank while it goes on; statistics.h makes results of it.
//
// C++17-clean.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/ids.h"
#include "base/quantities.h"
#include "engine/program/workload.h"

namespace npunet::engine {

/// What happened to each operation of one rank, in the order of its program.
struct RankRecord {
    // In place of a number of dependencies.
    static constexpr std::uint32_t done = 0xffffffff;
    static constexpr std::uint32_t in_progress = done - 1;

    std::vector<Time> start;
    std::vector<Time> end;
    /// Receives: when the first byte left the sender; the receive is communication from then on.
    std::vector<Time> communication_from;
    std::vector<std::uint32_t> waiting;  ///< unfinished dependencies; `done` when finished
    std::size_t finished = 0;
    Time finish;
};

[[nodiscard]] inline bool has_begun(const RankRecord& record, std::size_t operation) {
    return record.waiting[operation] >= RankRecord::in_progress;
}

/// Gives back the largest values of all processes that share a simulation, place by place.
using Largest = std::function<std::vector<std::int64_t>(std::vector<std::int64_t>)>;

/// Records by rank of which each process has those of its own: afterwards all have all times.
void exchange_records(const Workload& workload, const Largest& largest,
                      std::vector<RankRecord>& records);

}  // namespace npunet::engine
