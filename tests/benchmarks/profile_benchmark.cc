// How fast profiles are read and their kernels classified, and in how much memory: a made Kineto
// trace of some 260 MB with the events of a training step (python frames, operations with shapes,
// launches, kernels, flows, collectives with their arguments).
//
// The yardstick, rapidjson, is RapidJSON's reader over the whole text in memory with a handler that
// does nothing. Quote ratios to it. Every run is a child process of its own: times are its
// processor time, peak_MB the most memory that it held, of_file that by the file's size. The bar is
// 200 MB/s and half the file's size.
//
//     build/release/tests/benchmarks/profile_benchmark

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <rapidjson/reader.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

#include "analysis/kernel_classes.h"
#include "profiles/profile_reader.h"
#include "tests/support/temporary_folder.h"

namespace npunet::profiles {
namespace {

namespace fs = std::filesystem;

constexpr int steps = 150'000;

/// One operation, its frame, launch, kernel and arrows; every eighth a collective.
std::string step_text(int step) {
    const double time = 4458676500000.0 + step * 50.0;
    const std::string frame = fmt::format(
        "  {{\n    \"ph\": \"X\", \"cat\": \"python_function\", \"name\": "
        "\"megatron/core/transformer/transformer_layer.py({}): forward\", \"pid\": 5000, \"tid\": "
        "70000,\n    \"ts\": {:.3f}, \"dur\": 40.125,\n    \"args\": {{\n      \"Python parent "
        "id\": {}, \"Python id\": {}, \"Ev Idx\": {}\n    }}\n  }},\n",
        step % 400, time, step, step + 1, step);
    const std::string operation = fmt::format(
        "  {{\n    \"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::op_{}\", \"pid\": 5000, "
        "\"tid\": 70000,\n    \"ts\": {:.3f}, \"dur\": 30.500,\n    \"args\": {{\n      \"External "
        "id\": {},\"Record function id\": {}, \"Sequence number\": {}, \"Fwd thread id\": 0, \"Ev "
        "Idx\": {}, \"Input Dims\": [[4096, 1, 8192], [8192, 8192], [], []], \"Input type\": "
        "[\"c10::BFloat16\", \"c10::BFloat16\", \"Scalar\", \"\"]\n    }}\n  }},\n",
        step % 60, time + 2, step, step, step, step);
    const std::string launch = fmt::format(
        "  {{\n    \"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"cudaLaunchKernel\", "
        "\"pid\": 5000, \"tid\": 70000,\n    \"ts\": {:.3f}, \"dur\": 5.250,\n    \"args\": {{\n   "
        " "
        "  \"External id\": {},      \"cbid\": 211, \"correlation\": {}\n    }}\n  }},\n  {{\n    "
        "\"ph\": \"s\", \"id\": {}, \"pid\": 5000, \"tid\": 70000, \"ts\": {:.3f},\n    \"cat\": "
        "\"ac2g\", \"name\": \"ac2g\"\n  }},\n",
        time + 10, step, step, step, time + 10);
    const std::string collective =
        step % 8 != 0
            ? ""
            : "\"Collective name\": \"allreduce\", \"In msg nelems\": 33554432, \"Out msg "
              "nelems\": 33554432, \"Group size\": 8, \"dtype\": \"BFloat16\", \"In split "
              "size\": \"[]\", \"Out split size\": \"[]\", \"Process Group Name\": "
              "\"1\", \"Process Group Description\": \"TENSOR_MODEL_PARALLEL_GROUP\", "
              "\"Process Group Ranks\": \"[0, 1, 2, 3, 4, 5, 6, 7]\", ";
    const std::string kernel = fmt::format(
        "  {{\n    \"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"void "
        "at::native::vectorized_elementwise_kernel<4, at::native::op_{}>\", \"pid\": 0, \"tid\": "
        "7,\n    \"ts\": {:.3f}, \"dur\": 33.406,\n    \"args\": {{\n      \"External id\": {},    "
        " "
        " \"queued\": 0, \"device\": 0, \"context\": 1,      \"stream\": 7, \"correlation\": {},   "
        " "
        "  {}\"registers per thread\": 40,      \"shared memory\": 400,      \"blocks per SM\": "
        "4.740741,      \"warps per SM\": 75.851852,      \"grid\": [512, 1, 1],      \"block\": "
        "[512, 1, 1],      \"est. achieved occupancy %\": 75\n    }}\n  }},\n  {{\n    \"ph\": "
        "\"f\", \"id\": {}, \"pid\": 0, \"tid\": 7, \"ts\": {:.3f},\n    \"cat\": \"ac2g\", "
        "\"name\": \"ac2g\", \"bp\": \"e\"\n  }}",
        step % 60, time + 15, step, step, collective, step, time + 15);
    return frame + operation + launch + kernel;
}

/// Written once, removed at the end of the program.
class MadeProfile {
public:
    MadeProfile() {
        std::ofstream file(path_);
        file << "{\n  \"schemaVersion\": 1,\n  \"traceEvents\": [\n";
        for (int step = 0; step < steps; ++step) {
            file << (step > 0 ? ",\n" : "") << step_text(step);
        }
        file << "\n  ],\n  \"baseTimeNanoseconds\": 1711964646000000000\n}\n";
    }
    [[nodiscard]] const fs::path& path() const { return path_; }

private:
    test::TemporaryFolder folder_;
    fs::path path_ = folder_ / "rank_0.json";
};

const fs::path& made_profile() {
    static const MadeProfile profile;
    return profile.path();
}

struct Cost {
    double seconds = 0;
    double peak_bytes = 0;
};

/// Of work in a process of its own.
template <class Work>
Cost cost_of(Work&& work) {
    const pid_t child = fork();
    if (child == 0) {
        work();
        _exit(0);
    }
    int status = 0;
    rusage usage{};
    if (child < 0 || wait4(child, &status, 0, &usage) != child || status != 0) {
        throw std::runtime_error("the measured process failed");
    }
    const auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
    };
    return {seconds(usage.ru_utime) + seconds(usage.ru_stime),
            static_cast<double>(usage.ru_maxrss) * 1024};
}

template <class Work>
void measure(benchmark::State& state, Work&& work) {
    const auto bytes = static_cast<double>(fs::file_size(made_profile()));
    Cost cost;
    for (auto _ : state) {
        cost = cost_of(work);
        state.SetIterationTime(cost.seconds);
    }
    state.counters["MB_per_s"] = bytes / cost.seconds * 1e-6;
    state.counters["file_MB"] = bytes * 1e-6;
    state.counters["peak_MB"] = cost.peak_bytes * 1e-6;
    state.counters["of_file"] = cost.peak_bytes / bytes;
}

void rapidjson_alone(benchmark::State& state) {
    measure(state, [] {
        std::ifstream file(made_profile(), std::ios::binary);
        std::string text(fs::file_size(made_profile()), '\0');
        file.read(text.data(), static_cast<std::streamsize>(text.size()));
        rapidjson::StringStream stream(text.c_str());
        rapidjson::BaseReaderHandler<> nothing;
        rapidjson::Reader reader;
        if (reader.Parse<rapidjson::kParseNumbersAsStringsFlag>(stream, nothing).IsError()) {
            _exit(1);
        }
    });
}

void event_table(benchmark::State& state) {
    measure(state, [] {
        const EventTable trace = read_profile(made_profile());
        if (trace.size() != std::size_t{4} * steps || trace.damage.any()) {
            _exit(1);
        }
    });
}

void classified(benchmark::State& state) {
    measure(state, [] {
        const EventTable trace = read_profile(made_profile());
        const auto classes = analysis::classify(trace, analysis::PatternTable(), nullptr);
        if (classes.kernels.size() != std::size_t{steps}) {
            _exit(1);
        }
    });
}

BENCHMARK(rapidjson_alone)->UseManualTime()->Unit(benchmark::kMillisecond)->Iterations(5);
BENCHMARK(event_table)->UseManualTime()->Unit(benchmark::kMillisecond)->Iterations(5);
BENCHMARK(classified)->UseManualTime()->Unit(benchmark::kMillisecond)->Iterations(5);

}  // namespace
}  // namespace npunet::profiles
