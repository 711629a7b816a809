// What a run would take with a part of the machine twice as good: the sensitivity of a step.
//
//     const engine::Results results = simulate(workload, machine, fidelity);
//     const report::WhatIf answers = what_if(workload, machine, fidelity, results);
//
// Every line is a run of its own at the same fidelity, of the same workload on the same routes. The
// algorithms of collectives are chosen again, as they would be on that machine.
#pragma once

#include <cstddef>
#include <functional>
#include <stdexcept>

#include "engine/program/workload.h"
#include "engine/results/results.h"
#include "report/results/what_if.h"
#include "study/simulation_run.h"

namespace npunet::study {

struct WhatIfOptions {
    RunOptions run;           ///< of each line, but for what its results keep
    std::size_t threads = 1;  ///< lines at a time
    /// Asked now and then, by several threads: whether to give up.
    std::function<bool()> stop;
};

/// Thrown when the runs have been stopped.
class WhatIfStopped : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// The rate of each group of links (topology/network/link_changes.h) x 2, all latencies / 2,
/// compute x 2 and, where it is known, memory bandwidth x 2. `results`: of the machine as it is, a
/// run that came to its end. A run that stalls leaves its line
/// without a time. Throws InputError
/// about --what-if in the astra-sim dialects.
[[nodiscard]] report::WhatIf what_if(const engine::Workload& workload, const Machine& machine,
                                     Fidelity fidelity, const engine::Results& results,
                                     const WhatIfOptions& options = {});

/// Throws InputError about --what-if where it is not offered.
void check_what_if(const Machine& machine);

}  // namespace npunet::study
