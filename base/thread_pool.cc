#include "base/thread_pool.h"

#include <mutex>
#include <utility>

#include "base/threads.h"

namespace npunet {

namespace {

// Looks for the next round before a member lets others have its core, and before it goes to sleep.
constexpr int eager_looks = 2'000;
constexpr int patient_looks = 200;

// Waits a little, the longer the more often it was done.
void rest_after(int looks) {
    if (looks >= eager_looks) {
        std::this_thread::yield();
        return;
    }
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

}  // namespace

ThreadPool::ThreadPool(std::size_t members)
    : threads_(start_threads(members - 1, [this] { work(); })) {}

ThreadPool::~ThreadPool() {
    ending_ = true;
    {
        const std::scoped_lock lock(mutex_);
        next_ += one_round;
    }
    wake_.notify_all();
    for (std::thread& thread : threads_) {
        thread.join();
    }
}

void ThreadPool::run_round(std::size_t count, Call call, void* what) {
    // Nobody has taken a step: those of the last round have ended, and this one has not begun.
    call_ = call;
    what_ = what;
    failures_.resize(count);
    ended_ = 0;
    next_ = (next_ / one_round + 1) * one_round + count * one_count;
    // Whoever counts itself as asleep looks at the round after that, and holds the mutex until it
    // sleeps.
    if (asleep_ > 0) {
        const std::scoped_lock lock(mutex_);
        wake_.notify_all();
    }
    do_steps();
    for (int looks = 0; ended_.load(std::memory_order_acquire) < count; ++looks) {
        rest_after(looks);
    }
    for (std::exception_ptr& failure : failures_) {
        if (failure) {
            const std::exception_ptr first = std::exchange(failure, nullptr);
            failures_.clear();
            std::rethrow_exception(first);
        }
    }
}

void ThreadPool::work() {
    std::uint64_t seen = 0;
    while (await_round(seen)) {
        seen = next_ / one_round;
        do_steps();
    }
}

void ThreadPool::do_steps() {
    // A step that is taken keeps its round from ending. One beyond the last is none.
    for (std::uint64_t taken = next_++; taken % one_count < taken % one_round / one_count;
         taken = next_++) {
        do_step(taken % one_count);
        ended_.fetch_add(1, std::memory_order_release);
    }
}

void ThreadPool::do_step(std::size_t number) {
    try {
        call_(what_, number);
    } catch (...) {
        failures_[number] = std::current_exception();
    }
}

bool ThreadPool::await_round(std::uint64_t seen) {
    // The end counts besides its round: a member that is late takes that round for one of steps,
    // has seen it then, and would wait for another.
    const auto is_over = [&] { return ending_ || next_ / one_round != seen; };
    for (int looks = 0; looks < eager_looks + patient_looks; ++looks) {
        if (is_over()) {
            return !ending_;
        }
        rest_after(looks);
    }
    std::unique_lock<std::mutex> lock(mutex_);
    ++asleep_;
    wake_.wait(lock, is_over);
    --asleep_;
    return !ending_;
}

}  // namespace npunet
