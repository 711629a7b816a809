// A sweep from its points to its results.
//
//     DesignSpace space = read_design_space("sweep.yml");
//     PointRunner runner(space, jobs);
//     runner.prepare();
//     ThreadWorkers workers(runner, jobs);
//     Journal journal(folder, space.fingerprint, Journal::Existing::Continue);
//     const SweepResults results = run_sweep(space, workers, &journal, observer, stop);
//
// The first stage runs every point of the space. The second one, where the spec has it, replays the
// best of them: its points are appended to the space, those that ran at that fidelity anyway left
// out. Numbers, order and results depend on the spec and its input files alone.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "study/sweep/design_space.h"
#include "study/sweep/journal.h"
#include "study/sweep/ranking.h"
#include "study/sweep/workers.h"

namespace npunet::study {

/// Is told how a sweep goes on.
class SweepObserver {
public:
    virtual ~SweepObserver() = default;
    /// A stage begins: how many points there are now, and how many were done in an earlier run.
    virtual void started(std::size_t points, std::size_t done_before) = 0;
    virtual void finished(std::size_t number, const Outcome& outcome) = 0;
};

struct SweepResults {
    std::vector<std::optional<Outcome>> outcomes;  ///< by number; absent only when stopped
    Ranking ranking;
    bool stopped = false;
};

/// `journal` may be null; what it holds is not run again. Throws what Workers::run() throws.
[[nodiscard]] SweepResults run_sweep(DesignSpace& space, Workers& workers, Journal* journal,
                                     SweepObserver& observer, const std::function<bool()>& stop);

}  // namespace npunet::study
