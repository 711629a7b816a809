// Threads that do one short step together, again and again.
//
//     ThreadPool crew(4);
//     while (more) {
//         crew.run(parts.size(), [&](std::size_t part) { advance(parts[part]); });
//         exchange(parts);
//     }
//
// A round takes a microsecond or two besides the steps: members wait for the next one awake for a
// while, and only then go to sleep. A member that the machine has set aside is not waited for; the
// others do its share. for_each_in_parallel() (base/parallel.h) is for one loop.
//
// C++17-clean.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <type_traits>
#include <vector>

namespace npunet {

class ThreadPool {
public:
    /// In a round.
    static constexpr std::size_t most_steps = 1'000'000;

    /// @param members how many, the caller of run() among them; at least 1. There are fewer when
    /// the machine does not grant so many threads
    explicit ThreadPool(std::size_t members);
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
        run_round(
            count, [](void* what, std::size_t number) { (*static_cast<Called*>(what))(number); },
            const_cast<std::remove_const_t<Called>*>(&step));
    }

private:
    using Call = void (*)(void* what, std::size_t number);

    /// The round, its number of steps and the next step that nobody has taken, in one word, so that
    /// whoever takes a step knows of which round it is.
    static constexpr std::uint64_t one_count = std::uint64_t{1} << 20;
    static constexpr std::uint64_t one_round = one_count << 20;

    void run_round(std::size_t count, Call call, void* what);
    void work();
    void do_steps();
    void do_step(std::size_t number);
    [[nodiscard]] bool await_round(std::uint64_t seen);

    Call call_ = nullptr;
    void* what_ = nullptr;
    std::vector<std::exception_ptr> failures_;  ///< by step
    std::atomic<std::uint64_t> next_{0};        ///< round, steps, next step
    std::atomic<std::size_t> ended_{0};         ///< steps of this round
    std::atomic<std::size_t> asleep_{0};
    std::atomic<bool> ending_{false};
    std::mutex mutex_;  ///< with wake_
    std::condition_variable wake_;
    std::vector<std::thread> threads_;  ///< the last: they use the others
};

}  // namespace npunet
