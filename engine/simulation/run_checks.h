// Whether a workload fits the machine, before a run begins.
//
// C++17-clean.
#pragma once

#include "engine/machine/dialect.h"
#include "engine/machine/system_config.h"
#include "engine/program/fold.h"
#include "engine/program/rank_share.h"
#include "engine/program/workload.h"
#include "topology/network/network_description.h"

namespace npunet::engine {

/// What a run begins with.
struct RunInput {
    const Workload& workload;
    const topology::NetworkDescription& description;
    const SystemConfig& system;
    const Dialect& dialect;
    const Fold& fold;
    const RankShare& share;
};

/// Throws InputError when there is not one trace for each NPU, a rank of the system's does not
/// exist, an access to remote memory finds none, or processes would share a memory.
void check_run(const RunInput& run);

}  // namespace npunet::engine
