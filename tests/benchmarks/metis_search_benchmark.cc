// How fast Metis's search is repeated, and in how much memory: 40 layers on 128 V100 and 128 A100,
// the last row of the published table (the original: 757 and 408 s).
//
// Every run is a child process of its own: times are its processor time for the search alone, on
// one thread; peak_MB is the most memory that it held. steps and plans say what was done. Quote
// ratios of times of the same run.
//
//     build/release/tests/benchmarks/metis_search_benchmark

#include <benchmark/benchmark.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <ctime>

#include "../planner/metis/published_cluster.h"
#include "planner/metis/search.h"

namespace npunet::planner::metis {
namespace {

struct Outcome {
    double seconds = 0;
    double peak_megabytes = 0;
    std::uint64_t steps = 0;
    std::uint64_t plans = 0;
};

double processor_seconds() {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

Outcome searched(Strategy strategy) {
    constexpr std::int64_t layers = 40;
    const Inputs inputs = published_inputs(layers, 128);
    Arguments arguments = published_arguments(layers, strategy);
    arguments.threads = 1;
    Outcome outcome;
    const double begin = processor_seconds();
    const SearchResult result = search(inputs, arguments);
    outcome.seconds = processor_seconds() - begin;
    outcome.steps = result.steps();
    outcome.plans = result.plans_costed();
    return outcome;
}

Outcome searched_in_a_child(Strategy strategy) {
    std::array<int, 2> ends{};
    Outcome outcome;
    if (pipe(ends.data()) != 0) {
        return outcome;
    }
    const pid_t child = fork();
    if (child == 0) {
        const Outcome found = searched(strategy);
        const auto written = write(ends[1], &found, sizeof found);
        _exit(written == sizeof found ? 0 : 1);
    }
    close(ends[1]);
    const auto length = read(ends[0], &outcome, sizeof outcome);
    close(ends[0]);
    rusage usage{};
    wait4(child, nullptr, 0, &usage);
    outcome.peak_megabytes = static_cast<double>(usage.ru_maxrss) / 1024;
    return length == sizeof outcome ? outcome : Outcome{};
}

void search_40_layers(benchmark::State& state, Strategy strategy) {
    if (!std::filesystem::exists(published_samples())) {
        state.SkipWithError("no samples in the shared folder");
        return;
    }
    Outcome outcome;
    for (auto _ : state) {
        outcome = searched_in_a_child(strategy);
        state.SetIterationTime(outcome.seconds);
    }
    state.counters["peak_MB"] = outcome.peak_megabytes;
    state.counters["steps"] = static_cast<double>(outcome.steps);
    state.counters["plans"] = static_cast<double>(outcome.plans);
}

BENCHMARK_CAPTURE(search_40_layers, metis, Strategy::Metis)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond)
    ->Iterations(5);
BENCHMARK_CAPTURE(search_40_layers, headroom, Strategy::Headroom)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond)
    ->Iterations(5);

}  // namespace
}  // namespace npunet::planner::metis
