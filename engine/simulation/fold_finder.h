// Finds and proves which NPUs behave alike (engine/program/fold.h).
//
//     CollectivePlanner planner(network, system, dialect, workload);
//     const Fold fold = find_fold(workload, network, system, dialect, planner);
//     if (!fold.trivial()) { ... simulate fold.simulated(ranks) NPUs ... }
//
// The ranks are first told apart by their programs and rates, then by whom they exchange what with
// over which routes and ports, and then, until nothing changes, by the classes of those peers.
// Every comparison is exact; nothing rests on hashes. The result is trivial (everyone for itself)
// in the astra-sim dialects, whose order of simultaneous events follows the names of ranks, with
// faulty links, and with remote memory that NPUs share.
//
// Time and memory are proportional to the programs, plus for each communicator and algorithm the
// peers of each member.
//
// C++17-clean.
#pragma once

#include "engine/collective/planner.h"
#include "engine/machine/dialect.h"
#include "engine/machine/system_config.h"
#include "engine/program/fold.h"
#include "engine/program/workload.h"
#include "topology/network/network_description.h"

namespace npunet::engine {

/// For the congestion-unaware network, and with `contention` for those that fold links, too. The
/// workload fits the network. `planner`: of the same four; what it chooses here, the run need not
/// choose again.
[[nodiscard]] Fold find_fold(const Workload& workload, const topology::NetworkDescription& network,
                             const SystemConfig& system, const Dialect& dialect,
                             CollectivePlanner& planner, bool contention);
/// For the congestion-unaware network, with a planner of its own.
[[nodiscard]] Fold find_fold(const Workload& workload, const topology::NetworkDescription& network,
                             const SystemConfig& system, const Dialect& dialect);

}  // namespace npunet::engine
