#include "base/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "base/threads.h"

namespace npunet {

namespace {

class Loop {
public:
    Loop(std::size_t count, const std::function<void(std::size_t)>& step)
        : count_(count), step_(step) {}

    void work() {
        for (;;) {
            const std::size_t number = next_++;
            if (number >= count_ || stopped_) {
                return;
            }
            try {
                step_(number);
            } catch (...) {
                const std::lock_guard<std::mutex> lock(mutex_);
                stopped_ = true;
                if (number < failed_) {
                    failed_ = number;
                    failure_ = std::current_exception();
                }
            }
        }
    }

    void rethrow() const {
        if (failure_) {
            std::rethrow_exception(failure_);
        }
    }

private:
    std::size_t count_;
    const std::function<void(std::size_t)>& step_;
    std::atomic<std::size_t> next_{0};
    std::atomic<bool> stopped_{false};
    std::mutex mutex_;
    std::size_t failed_ = static_cast<std::size_t>(-1);
    std::exception_ptr failure_;
};

}  // namespace

void for_each_in_parallel(std::size_t count, const std::function<void(std::size_t)>& step,
                          std::size_t threads) {
    Loop loop(count, step);
    if (threads == 0) {
        threads = std::max(1U, std::thread::hardware_concurrency());
    }
    threads = std::min(count, threads);
    std::vector<std::thread> others =
        start_threads(threads > 0 ? threads - 1 : 0, [&loop] { loop.work(); });
    loop.work();
    for (std::thread& other : others) {
        other.join();
    }
    loop.rethrow();
}

}  // namespace npunet
