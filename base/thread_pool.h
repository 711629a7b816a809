// Threads that share work: one loop, or short steps done together again and again.
//
//     for_each_in_parallel(files.size(), [&](std::size_t i) { write(files[i]); });
//
//     ThreadPool pool(4);
//     while (more) {
//         pool.run(parts.size(), [&](std::size_t part) { advance(parts[part]); });
//         exchange(parts);
//     }
//
// The calls must not depend on each other; their order is open, so that results must go to places
// of their own. A machine or a container has a limit of threads: with fewer than wanted the same is
// done, only later.
//
// C++17-clean.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <type_traits>
#include <vector>

namespace npunet {

/// A round of run() costs a microsecond or two in addition to its steps: threads spin for a while
/// before they sleep until the next one. A round does not wait for a thread that the machine has
/// preempted; the others do its share.
class ThreadPool {
public:
    /// In a round.
    static constexpr std::size_t most_steps = 1'000'000;

    /// @param members how many, the caller of run() among them; at least 1. There are fewer when
    /// the machine does not grant so many threads
    explicit ThreadPool(std::size_t members);
    /// Waits for the steps that have begun.
    ~ThreadPool();

    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    [[nodiscard]] std::size_t members() const { return threads_.size() + 1; }

    /// Calls step(0) to step(count - 1), each once, this thread and the others sharing them, and
    /// returns when all have ended; at most most_steps. What the caller has written before is seen
    /// by the steps, and what they have written is seen after. When steps throw, the exception of
    /// the lowest number is thrown.
    template <class Step>
    void run(std::size_t count, Step&& step) {
        using Called = std::remove_reference_t<Step>;
        begin_round(
            count, [](void* what, std::size_t number) { (*static_cast<Called*>(what))(number); },
            const_cast<std::remove_const_t<Called>*>(&step));
        do_steps();
        await_steps(count);
        rethrow_failure();
    }

    /// Instead of run(), once: `work`, which must not throw, is called once for each of the other
    /// members, by any of them, while this thread goes on. Calls that have not begun when the pool
    /// ends may be left out.
    void start(std::function<void()> work);

private:
    using Call = void (*)(void* what, std::size_t number);

    /// The round, its number of steps and the next step that no member has taken, in one word, so
    /// that a member that takes a step knows of which round it is.
    static constexpr std::uint64_t one_count = std::uint64_t{1} << 20;
    static constexpr std::uint64_t one_round = one_count << 20;

    void begin_round(std::size_t count, Call call, void* what);
    void do_steps();
    void await_steps(std::size_t count);
    void rethrow_failure();
    void work();
    [[nodiscard]] bool await_round(std::uint64_t seen);

    Call call_ = nullptr;
    void* what_ = nullptr;
    std::function<void()> started_;             ///< of start()
    std::vector<std::exception_ptr> failures_;  ///< by step
    std::atomic<std::uint64_t> next_{0};        ///< round, steps, next step
    std::atomic<std::size_t> ended_{0};         ///< steps of this round
    std::atomic<std::size_t> asleep_{0};        ///< members
    std::atomic<bool> caller_asleep_{false};
    std::atomic<bool> ending_{false};
    std::mutex mutex_;  ///< with both conditions
    std::condition_variable round_began_;
    std::condition_variable steps_ended_;
    std::vector<std::thread> threads_;  ///< the last: they use the others
};

/// Calls step(0) to step(count - 1) on `threads` threads (0: one per core), the caller's among
/// them. When calls throw, no further ones are begun, and the exception of the lowest number is
/// thrown once the running ones have ended.
void for_each_in_parallel(std::size_t count, const std::function<void(std::size_t)>& step,
                          std::size_t threads = 0);

}  // namespace npunet
