// How many messages per second the engine delivers on the congestion-unaware network: ring
// all-reduces among 64 NPUs in 11 chunks, every NPU simulated (nothing folded).
//
// The yardstick, bare_event_loop, is the event queue alone with as many events pending as there are
// messages in flight: each event schedules one, all of them for the same instants. Quote ratios to
// it. A message is sent, crosses its link and is received; half of them are reduced.
//
//     build/release/tests/benchmarks/message_rate_benchmark --benchmark_repetitions=5

#include <benchmark/benchmark.h>

#include <string>

#include "analytical/congestion_unaware.h"
#include "engine/simulation/simulation.h"
#include "tests/support/machines.h"
#include "tests/support/workloads.h"

namespace npunet::engine {
namespace {

constexpr std::int32_t npus = 64;
constexpr std::int32_t chunks = 11;
constexpr std::int64_t bytes = 8'388'608;
constexpr int collectives = 4;

class Repeater final : public EventHandler {
public:
    Repeater(EventQueue& queue, std::uint64_t rounds) : queue_(queue), rounds_(rounds) {}

    void handle(std::uint64_t payload) override {
        const std::uint64_t round = payload >> 32;
        if (round < rounds_) {
            queue_.schedule(queue_.now() + Time::ns(500),
                            EventKey::of(Phase::Arrival, 0, payload & 0xffffffff), *this,
                            payload + (std::uint64_t{1} << 32));
        }
    }

private:
    EventQueue& queue_;
    std::uint64_t rounds_;
};

void bare_event_loop(benchmark::State& state) {
    std::int64_t events = 0;
    for (auto iteration : state) {
        static_cast<void>(iteration);
        EventQueue queue;
        Repeater repeater(queue, 2 * (npus - 1) * collectives);
        for (std::uint64_t event = 0; event < npus * chunks; ++event) {
            queue.schedule(Time(), EventKey::of(Phase::Arrival, 0, event), repeater, event);
        }
        queue.run();
        events += static_cast<std::int64_t>(queue.handled());
    }
    state.SetItemsProcessed(events);
}
BENCHMARK(bare_event_loop)->Unit(benchmark::kMillisecond);

void all_reduce(benchmark::State& state, const std::string& dialect, bool charged) {
    test::TestMachine machine = test::ring_machine(npus, Rate(50'000'000'000), Time::ns(500));
    machine.dialect = Dialect::named(dialect);
    machine.system.preferred_dataset_splits = machine.dialect.exact_chunks ? chunks : chunks - 1;
    machine.system.active_chunks_per_dimension = chunks;
    if (charged) {
        machine.system.endpoint_delay = Time::ns(10);
        machine.system.compute = {312, 1600};
    }
    const Workload workload = test::workload_of(npus, [](Rank) {
        std::vector<chakra::Node> nodes;
        for (std::uint64_t id = 1; id <= collectives; ++id) {
            nodes.push_back(test::collective_node(
                id, chakra::CollectiveType::AllReduce, bytes, "",
                id > 1 ? std::vector<std::uint64_t>{id - 1} : std::vector<std::uint64_t>{}));
        }
        return nodes;
    });
    std::int64_t messages = 0;
    for (auto iteration : state) {
        static_cast<void>(iteration);
        EventQueue queue(machine.dialect.event_order);
        analytical::CongestionUnaware network(machine.network, queue, machine.dialect);
        Simulation simulation(workload, machine.network, machine.system, machine.dialect, queue,
                              network);
        benchmark::DoNotOptimize(simulation.run());
        messages += static_cast<std::int64_t>(simulation.transport().messages_delivered());
    }
    state.SetItemsProcessed(messages);
}
BENCHMARK_CAPTURE(all_reduce, npunet, "npunet", false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(all_reduce, npunet_with_delays, "npunet", true)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(all_reduce, astra_sim, "astra-sim", true)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace npunet::engine
