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
    PointQueue queue(runner_, std::min(threads_, tasks.size()));
    std::size_t next = 0;
    bool stopped = false;
    while ((next < tasks.size() && !stopped) || queue.in_flight() > 0) {
        // One more than there are threads, so that none waits for this one.
        while (!stopped && next < tasks.size() && queue.in_flight() <= threads_) {
            queue.submit(tasks[next++]);
        }
        for (const Finished& finished : queue.wait(patience)) {
            done(finished);
        }
        if (!stopped && stop()) {
            stopped = true;
            queue.drop_waiting();
        }
    }
}

}  // namespace npunet::study
