// The operations of one rank stream by stream, and what they follow there.
//
//     const StreamOrder order(activity);
//     order.launched_before(stream, ns);             // the last operation launched there by then
//     order.dependencies();                          // pairs (earlier, later) of operations
//
// An operation follows the one before it in its stream. Across streams it follows what the
// profile's synchronization events say. Profiles without any get, in their place, what their calls
// make likely and their times do not contradict: a communication follows what the same thread
// launched last on another stream; what is launched behind a cudaStreamWaitEvent outside of a
// communication follows what was launched last on each other stream before that call.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "generators/profiler/rank_activity.h"

namespace npunet::generators::profiler {

class StreamOrder {
public:
    /// `activity` must outlive this.
    explicit StreamOrder(const RankActivity& activity);

    /// The last operation of a stream that was launched before a time; -1 for none.
    [[nodiscard]] std::int32_t launched_before(std::int32_t stream, std::int64_t ns) const;
    /// The first that was launched there at a time or behind it; -1 for none.
    [[nodiscard]] std::int32_t launched_from(std::int32_t stream, std::int64_t ns) const;
    /// The operation before it in its stream; -1 for none.
    [[nodiscard]] std::int32_t before(std::uint32_t operation) const { return before_[operation]; }

    using Dependency = std::pair<std::uint32_t, std::uint32_t>;
    /// Earlier and later operation, sorted, each once.
    [[nodiscard]] std::vector<Dependency> dependencies() const;

private:
    struct Launched {
        std::int64_t ns = 0;  ///< of the call's begin
        std::uint32_t operation = 0;
    };

    void follow_events(std::vector<Dependency>& dependencies) const;
    void follow_calls(std::vector<Dependency>& dependencies) const;
    void follow_thread(const HostThread& thread, std::vector<Dependency>& dependencies) const;
    /// What is launched behind a wait at that time (negative: none) by a thread whose last
    /// operation before and next one behind it are given (-1: none).
    void follow_wait(std::int64_t waited_ns, std::int32_t last, std::int32_t next,
                     std::vector<Dependency>& dependencies) const;
    [[nodiscard]] std::int64_t launch_ns(std::int32_t operation) const;
    void add_ended(std::int32_t earlier, std::uint32_t later,
                   std::vector<Dependency>& dependencies) const;

    const RankActivity& activity_;
    std::vector<std::vector<Launched>> launched_;  ///< by stream, by time of launch
    std::vector<std::int32_t> before_;
};

}  // namespace npunet::generators::profiler
