// Points that threads run while their owner does something else.
//
//     PointQueue queue(runner, 4);
//     queue.submit({0, 0});
//     for (const Finished& finished : queue.wait(std::chrono::milliseconds(100))) ...
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <mutex>
#include <vector>

#include "base/thread_pool.h"
#include "study/sweep/point_runner.h"

namespace npunet::study {

struct Finished {
    std::size_t number = 0;
    Outcome outcome;
};

class PointQueue {
public:
    /// `threads` is 1 or more; fewer do the same work. Throws MachineError when none can be
    /// started.
    PointQueue(PointRunner& runner, std::size_t threads);
    /// Drops what has not begun and waits for the rest.
    ~PointQueue();
    PointQueue(const PointQueue&) = delete;
    PointQueue& operator=(const PointQueue&) = delete;

    void submit(const Task& task);
    /// What has finished since the last call; waits for something up to `patience`. Rethrows what a
    /// thread could not make an outcome of (MachineError).
    [[nodiscard]] std::vector<Finished> wait(std::chrono::milliseconds patience);
    /// Submitted and not returned by wait() yet.
    [[nodiscard]] std::size_t in_flight() const { return in_flight_; }
    /// Takes back what no thread has begun.
    void drop_waiting();

private:
    void work();

    PointRunner& runner_;
    std::mutex mutex_;
    std::condition_variable work_arrived_;
    std::condition_variable work_finished_;
    std::deque<Task> waiting_;
    std::vector<Finished> finished_;
    std::exception_ptr failure_;
    bool closing_ = false;
    std::size_t in_flight_ = 0;  ///< of the owner's thread alone
    ThreadPool pool_;            ///< the last: its threads use the others
};

}  // namespace npunet::study
