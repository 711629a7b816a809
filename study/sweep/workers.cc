#include "study/sweep/workers.h"

#include <algorithm>

namespace npunet::study {

namespace {

constexpr std::chrono::milliseconds patience{100};

}  // namespace

void ThreadWorkers::run(const std::vector<Task>& tasks,
                        const std::function<void(const Finished&)>& done,
                        const std::function<bool()>& stop) {
    if (tasks.empty()) {
        return;
    }
    WorkerPool pool(runner_, std::min(threads_, tasks.size()));
    std::size_t next = 0;
    bool stopped = false;
    while ((next < tasks.size() && !stopped) || pool.in_flight() > 0) {
        // One more than there are threads, so that none waits for this one.
        while (!stopped && next < tasks.size() && pool.in_flight() <= threads_) {
            pool.submit(tasks[next++]);
        }
        for (const Finished& finished : pool.wait(patience)) {
            done(finished);
        }
        if (!stopped && stop()) {
            stopped = true;
            pool.drop_waiting();
        }
    }
}

}  // namespace npunet::study
