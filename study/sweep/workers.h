// Who runs the points of a sweep: threads of this process, or other processes.
//
//     ThreadWorkers workers(runner, jobs);
//     workers.run(tasks, [&](const Finished& finished) { journal.append(...); }, stop);
//
// What comes out does not depend on the workers: every point is run by itself, and the results are
// put in order afterwards.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "study/sweep/point_queue.h"

namespace npunet::study {

class Workers {
public:
    virtual ~Workers() = default;

    /// Runs the tasks in some order and calls `done` for each, in the caller's thread. `stop` is
    /// asked every tenth of a second and oftener; once it says yes, nothing new begins, and run()
    /// returns when what is under way has finished. Throws what `done` throws, and MachineError.
    virtual void run(const std::vector<Task>& tasks,
                     const std::function<void(const Finished&)>& done,
                     const std::function<bool()>& stop) = 0;
};

/// Threads of this process.
class ThreadWorkers final : public Workers {
public:
    ThreadWorkers(PointRunner& runner, std::size_t threads) : runner_(runner), threads_(threads) {}

    void run(const std::vector<Task>& tasks, const std::function<void(const Finished&)>& done,
             const std::function<bool()>& stop) override;

private:
    PointRunner& runner_;
    std::size_t threads_;
};

}  // namespace npunet::study
