// How many events per second the queue handles when K are pending: each event that is taken out
// schedules one, up to a microsecond later (the classic hold model, in which K stays the same).
//
// The yardstick is the standard library's binary heap under the same load: quote ratios to it, not
// times, which depend on the machine.
//
//     build/release/tests/benchmarks/event_queue_benchmark --benchmark_repetitions=5

#include <benchmark/benchmark.h>

#include <queue>
#include <tuple>
#include <vector>

#include "engine/clock/event_queue.h"

namespace npunet::engine {
namespace {

/// A random number generator so small (Marsaglia's xorshift64) that the heaps are what is measured.
class Delays {
public:
    std::int64_t next() {
        state_ ^= state_ << 13;
        state_ ^= state_ >> 7;
        state_ ^= state_ << 17;
        return static_cast<std::int64_t>(state_ % 1'000'000);
    }

private:
    std::uint64_t state_ = 88172645463325252U;
};

class Holder final : public EventHandler {
public:
    explicit Holder(EventQueue& queue) : queue_(queue) {}

    void handle(std::uint64_t payload) override {
        queue_.schedule(queue_.now() + Time::ps(delays_.next()),
                        EventKey::of(Phase::Arrival, 0, payload), *this, payload);
    }

private:
    EventQueue& queue_;
    Delays delays_;
};

void event_queue(benchmark::State& state) {
    EventQueue queue;
    Holder holder(queue);
    for (std::int64_t event = 0; event < state.range(0); ++event) {
        holder.handle(static_cast<std::uint64_t>(event));
    }
    const std::uint64_t before = queue.handled();
    for (auto iteration : state) {
        static_cast<void>(iteration);
        queue.run_instant();
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(queue.handled() - before));
}
BENCHMARK(event_queue)->Arg(100)->Arg(10'000)->Arg(100'000);

void standard_priority_queue(benchmark::State& state) {
    using Event = std::tuple<std::int64_t, std::uint64_t, EventHandler*, std::uint64_t>;
    std::priority_queue<Event, std::vector<Event>, std::greater<>> queue;
    Delays delays;
    for (std::int64_t event = 0; event < state.range(0); ++event) {
        queue.emplace(delays.next(), static_cast<std::uint64_t>(event), nullptr, 0);
    }
    for (auto iteration : state) {
        static_cast<void>(iteration);
        const Event event = queue.top();
        queue.pop();
        queue.emplace(std::get<0>(event) + delays.next(), std::get<1>(event), nullptr, 0);
    }
    state.SetItemsProcessed(state.iterations());
}
BENCHMARK(standard_priority_queue)->Arg(100)->Arg(10'000)->Arg(100'000);

}  // namespace
}  // namespace npunet::engine
