#include "base/thread_pool.h"

#include <algorithm>
#include <new>
#include <system_error>
#include <utility>

namespace npunet {

namespace {

// Looks for what it waits for before a thread lets others have its core, and before it goes to
// sleep: a member for the next round, the caller for the end of the steps, which is most often
// near.
constexpr int eager_looks = 2'000;
constexpr int looks_for_round = eager_looks + 200;
constexpr int looks_for_end = eager_looks + 20'000;

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

// As many threads as the machine grants: down to none.
std::vector<std::thread> start_threads(std::size_t wanted, const std::function<void()>& work) {
    std::vector<std::thread> threads;
    threads.reserve(wanted);
    try {
        while (threads.size() < wanted) {
            threads.emplace_back(work);
        }
    } catch (const std::system_error&) {
        // The limit of threads, or no room for a stack.
        return threads;
    } catch (const std::bad_alloc&) {
        return threads;
    }
    return threads;
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
    round_began_.notify_all();
    for (std::thread& thread : threads_) {
        thread.join();
    }
}

void ThreadPool::start(std::function<void()> work) {
    started_ = std::move(work);
    begin_round(
        threads_.size(),
        [](void* started, std::size_t) { (*static_cast<std::function<void()>*>(started))(); },
        &started_);
}

void ThreadPool::begin_round(std::size_t count, Call call, void* what) {
    // No step is taken: those of the last round have ended, and this one has not begun.
    call_ = call;
    what_ = what;
    failures_.resize(count);
    ended_ = 0;
    next_ = (next_ / one_round + 1) * one_round + count * one_count;
    // A member that counts itself as asleep looks at the round after that, and holds the mutex
    // until it sleeps.
    if (asleep_ > 0) {
        const std::scoped_lock lock(mutex_);
        round_began_.notify_all();
    }
}

void ThreadPool::do_steps() {
    // A step that is taken keeps its round from ending. One beyond the last is none.
    for (std::uint64_t taken = next_++; taken % one_count < taken % one_round / one_count;
         taken = next_++) {
        const std::size_t number = taken % one_count;
        const std::size_t count = taken % one_round / one_count;
        try {
            call_(what_, number);
        } catch (...) {
            failures_[number] = std::current_exception();
        }
        // A caller that says that it sleeps looks at the steps after that, and holds the mutex
        // until it sleeps.
        if (++ended_ == count && caller_asleep_) {
            const std::scoped_lock lock(mutex_);
            steps_ended_.notify_one();
        }
    }
}

void ThreadPool::await_steps(std::size_t count) {
    for (int looks = 0; looks < looks_for_end; ++looks) {
        if (ended_.load(std::memory_order_acquire) == count) {
            return;
        }
        rest_after(looks);
    }
    std::unique_lock<std::mutex> lock(mutex_);
    caller_asleep_ = true;
    steps_ended_.wait(lock, [&] { return ended_ == count; });
    caller_asleep_ = false;
}

void ThreadPool::rethrow_failure() {
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

bool ThreadPool::await_round(std::uint64_t seen) {
    // The end counts besides its round: a member that is late takes that round for one of steps,
    // has seen it then, and would wait for another.
    const auto is_over = [&] { return ending_ || next_ / one_round != seen; };
    for (int looks = 0; looks < looks_for_round; ++looks) {
        if (is_over()) {
            return !ending_;
        }
        rest_after(looks);
    }
    std::unique_lock<std::mutex> lock(mutex_);
    ++asleep_;
    round_began_.wait(lock, is_over);
    --asleep_;
    return !ending_;
}

void for_each_in_parallel(std::size_t count, const std::function<void(std::size_t)>& step,
                          std::size_t threads) {
    if (threads == 0) {
        threads = std::max(1U, std::thread::hardware_concurrency());
    }
    ThreadPool pool(std::max<std::size_t>(1, std::min(count, threads)));
    std::atomic<bool> stopped{false};
    for (std::size_t first = 0; first < count; first += ThreadPool::most_steps) {
        pool.run(std::min(count - first, ThreadPool::most_steps), [&](std::size_t number) {
            if (stopped) {
                return;
            }
            try {
                step(first + number);
            } catch (...) {
                stopped = true;
                throw;
            }
        });
    }
}

}  // namespace npunet
