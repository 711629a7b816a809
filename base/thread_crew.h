// Threads that do one short step together, again and again.
//
//     ThreadCrew crew(4);
//     while (more) {
//         crew.run([&](std::size_t member) { advance(parts[member]); });
//         exchange(parts);
//     }
//
// A round takes a microsecond or two besides the step itself: members wait for the next round awake
// for a while, and only then go to sleep. for_each_in_parallel() (base/parallel.h) is for one loop.
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

class ThreadCrew {
public:
    /// @param members how many, the caller of run() among them; at least 1
    explicit ThreadCrew(std::size_t members);
    ~ThreadCrew();

    ThreadCrew(const ThreadCrew&) = delete;
    ThreadCrew& operator=(const ThreadCrew&) = delete;

    [[nodiscard]] std::size_t members() const { return threads_.size() + 1; }

    /// Calls step(0) in this thread and step(1) to step(members() - 1) in the others, and returns
    /// when all have ended. What the caller has written before is seen by the steps, and what they
    /// have written is seen after. When steps throw, the exception of the lowest number is thrown.
    template <class Step>
    void run(Step&& step) {
        using Called = std::remove_reference_t<Step>;
        run_round([](void* what, std::size_t member) { (*static_cast<Called*>(what))(member); },
                  const_cast<std::remove_const_t<Called>*>(&step));
    }

private:
    using Call = void (*)(void* what, std::size_t member);

    void run_round(Call call, void* what);
    void work(std::size_t member);
    void do_step(std::size_t member);
    [[nodiscard]] std::uint64_t next_round(std::uint64_t seen);

    Call call_ = nullptr;
    void* what_ = nullptr;
    std::vector<std::exception_ptr> failures_;  ///< by member
    std::atomic<std::uint64_t> round_{0};
    std::atomic<std::size_t> working_{0};  ///< members that have not ended their step
    std::atomic<std::size_t> asleep_{0};
    std::atomic<bool> ending_{false};
    std::mutex mutex_;  ///< with wake_
    std::condition_variable wake_;
    std::vector<std::thread> threads_;
};

}  // namespace npunet
