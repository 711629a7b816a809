#include "study/sweep/point_queue.h"

#include <utility>

#include "base/errors.h"

namespace npunet::study {

PointQueue::PointQueue(PointRunner& runner, std::size_t threads)
    : runner_(runner), pool_(threads + 1) {
    if (pool_.members() == 1) {
        throw MachineError(
            "cannot start a thread. Check the limits of threads and of memory (ulimit -u, "
            "ulimit -v)");
    }
    pool_.start([this] { work(); });
}

PointQueue::~PointQueue() {
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        waiting_.clear();
        closing_ = true;
    }
    work_arrived_.notify_all();
}

void PointQueue::submit(const Task& task) {
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        waiting_.push_back(task);
    }
    ++in_flight_;
    work_arrived_.notify_one();
}

void PointQueue::drop_waiting() {
    const std::lock_guard<std::mutex> lock(mutex_);
    in_flight_ -= waiting_.size();
    waiting_.clear();
}

std::vector<Finished> PointQueue::wait(std::chrono::milliseconds patience) {
    std::unique_lock<std::mutex> lock(mutex_);
    work_finished_.wait_for(lock, patience,
                            [this] { return !finished_.empty() || failure_ != nullptr; });
    if (finished_.empty() && failure_ != nullptr) {
        std::rethrow_exception(failure_);
    }
    in_flight_ -= finished_.size();
    return std::exchange(finished_, {});
}

void PointQueue::work() {
    std::unique_lock<std::mutex> lock(mutex_);
    while (true) {
        work_arrived_.wait(lock, [this] { return closing_ || !waiting_.empty(); });
        if (waiting_.empty() || failure_ != nullptr) {
            return;
        }
        const Task task = waiting_.front();
        waiting_.pop_front();
        lock.unlock();
        Finished finished{task.number, {}};
        std::exception_ptr failure;
        try {
            finished.outcome = runner_.run(task);
        } catch (...) {
            failure = std::current_exception();
        }
        lock.lock();
        if (failure != nullptr) {
            failure_ = failure;
        } else {
            finished_.push_back(std::move(finished));
        }
        work_finished_.notify_all();
    }
}

}  // namespace npunet::study
