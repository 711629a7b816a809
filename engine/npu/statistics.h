// From what happened to every operation to the figures of the results.
//
// C++17-clean.
#pragma once

#include <string>
#include <vector>

#include "engine/machine/compute_model.h"
#include "engine/machine/dialect.h"
#include "engine/network/network.h"
#include "engine/npu/rank_record.h"
#include "engine/program/fold.h"
#include "engine/program/workload.h"
#include "engine/results/results.h"
#include "topology/network/network_description.h"

namespace npunet::engine {

/// Whether the timeline and the list of collectives have those of every rank: not where some stand
/// for others and all together execute more than 2^22 operations.
[[nodiscard]] bool lists_everyone(const Workload& workload, const Fold& fold);

/// What summarize() is to find out besides the figures of every NPU.
struct SummaryScope {
    bool memory = false;   ///< peaks, from the tensors of the traces
    bool timeline = true;  ///< Results::operations
    Time begin;            ///< when the NPUs were let go
    bool partial = false;  ///< operations that have not begun are left out
};

/// Collectives and links are left empty.
[[nodiscard]] Results summarize(const Workload& workload, const Dialect& dialect,
                                const ComputeModel& compute, const Fold& fold,
                                const std::vector<RankRecord>& records, SummaryScope scope);

/// Adds a note when the run, which began at `begin`, took no time; `results.finish` must be set.
void note_idleness(Results& results, Time begin);

/// Adds a note where recorded durations are moved to another device and some, or all, are not;
/// of the programs of all ranks.
void note_recorded_durations(Results& results, const Workload& workload,
                             const ComputeModel& compute, const Fold& fold);

/// "does not fit in memory: ..."; empty where no NPU uses more memory than it has, or none is
/// known.
[[nodiscard]] std::string capacity_note(const Results& results);

/// Sets the capacities, which are by rank, 0 = not given, and adds a note when peaks pass them.
void set_capacities(Results& results, const std::vector<Bytes>& capacities);

/// Names, utilization and bounds of the links; `results.finish` must be set.
void add_links(Results& results, const topology::NetworkDescription& description,
               const std::vector<LinkUse>& use);

}  // namespace npunet::engine
