#include "base/thread_crew.h"

#include <utility>

namespace npunet {

namespace {

// Looks for the next round before a member lets others have its core, and before it goes to sleep.
constexpr int eager_looks = 2'000;
constexpr int patient_looks = 200;

void rest_a_moment() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

}  // namespace

ThreadCrew::ThreadCrew(std::size_t members) : failures_(members) {
    threads_.reserve(members - 1);
    try {
        for (std::size_t member = 1; member < members; ++member) {
            threads_.emplace_back([this, member] { work(member); });
        }
    } catch (...) {
        // Those that have begun would wait for ever.
        ending_ = true;
        run_round([](void*, std::size_t) {}, nullptr);
        for (std::thread& thread : threads_) {
            thread.join();
        }
        throw;
    }
}

ThreadCrew::~ThreadCrew() {
    ending_ = true;
    run_round([](void*, std::size_t) {}, nullptr);
    for (std::thread& thread : threads_) {
        thread.join();
    }
}

void ThreadCrew::run_round(Call call, void* what) {
    call_ = call;
    what_ = what;
    working_ = threads_.size();
    ++round_;
    // Whoever counts itself as asleep looks at the round after that, and holds the mutex until it
    // sleeps.
    if (asleep_ > 0) {
        const std::scoped_lock lock(mutex_);
        wake_.notify_all();
    }
    do_step(0);
    for (int looks = 0; working_.load(std::memory_order_acquire) > 0; ++looks) {
        if (looks < eager_looks) {
            rest_a_moment();
        } else {
            std::this_thread::yield();
        }
    }
    for (std::exception_ptr& failure : failures_) {
        if (failure) {
            const std::exception_ptr first = std::exchange(failure, nullptr);
            failures_.assign(failures_.size(), nullptr);
            std::rethrow_exception(first);
        }
    }
}

void ThreadCrew::work(std::size_t member) {
    for (std::uint64_t seen = 0;;) {
        seen = next_round(seen);
        if (ending_) {
            working_.fetch_sub(1, std::memory_order_release);
            return;
        }
        do_step(member);
        working_.fetch_sub(1, std::memory_order_release);
    }
}

void ThreadCrew::do_step(std::size_t member) {
    try {
        call_(what_, member);
    } catch (...) {
        failures_[member] = std::current_exception();
    }
}

std::uint64_t ThreadCrew::next_round(std::uint64_t seen) {
    for (int looks = 0; looks < eager_looks + patient_looks; ++looks) {
        const std::uint64_t round = round_;
        if (round != seen) {
            return round;
        }
        if (looks < eager_looks) {
            rest_a_moment();
        } else {
            std::this_thread::yield();
        }
    }
    std::unique_lock<std::mutex> lock(mutex_);
    ++asleep_;
    wake_.wait(lock, [&] { return round_ != seen; });
    --asleep_;
    return round_;
}

}  // namespace npunet
