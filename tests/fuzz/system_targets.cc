// The JSON files of a machine: system.json and remote_memory.json.
#include "engine/machine/remote_memory.h"
#include "engine/machine/system_config.h"
#include "memory_file.h"
#include "memory_watch.h"
#include "seeds.h"
#include "targets.h"

namespace npunet::fuzz {

namespace {

using namespace engine;

/// A value, the least being two bytes, with the keys of its object, and twice in an override.
constexpr std::size_t system_bytes_for_each = 40;

engine::Dialect dialect_of(unsigned char choice) {
    const std::vector<std::string> names = engine::Dialect::names();
    return engine::Dialect::named(names[choice % names.size()]);
}

/// Has a file of a dialect, which the first byte chooses, read by `read`(path, dialect, warnings)
/// within the memory that it explains, and what was read looked at by `check`.
template <class Read, class Check>
void run_in_dialect(std::string_view input, const Read& read, const Check& check) {
    const engine::Dialect dialect = dialect_of(take_byte(input));
    const MemoryFile file(input);
    const std::string path = file.path().string();
    accepts_written([&] {
        const MemoryWatch watch(memory_limit(system_bytes_for_each * input.size(), reader_buffers));
        std::vector<std::string> warnings;
        const auto config = read(path, dialect, warnings);
        watch.check();
        check(config);
    });
}

}  // namespace

void run_system(std::string_view input) {
    run_in_dialect(input, read_system_config, [](const SystemConfig& config) {
        expect(config.endpoint_delay >= Time() && config.active_chunks_per_dimension >= 0 &&
                   config.preferred_dataset_splits >= 0 && config.comm_compute_slowdown >= 1,
               "a number out of its range");
        expect(config.compute_rates(4).size() == 4 && config.memory_capacities(4).size() == 4,
               "rates of other ranks");
    });
}

std::vector<std::string> system_seeds() {
    using namespace std::string_view_literals;
    std::vector<std::string> seeds{
        "{}",
        R"({"scheduling-policy": "LIFO", "endpoint-delay": 10, "active-chunks-per-dimension": 1,
            "preferred-dataset-splits": 4, "all-reduce-implementation": ["ring", "direct"],
            "all-gather-implementation": ["halvingDoubling"],
            "reduce-scatter-implementation": ["doubleBinaryTree"],
            "all-to-all-implementation": ["direct2"], "collective-optimization": "localBWAware",
            "local-mem-bw": 1600, "peak-perf": 900, "roofline-enabled": 1})",
        R"({"boost-mode": 0, "trace-enabled": 1, "replay-only": 0, "track-local-mem": true,
            "peak-perf": 312, "local-mem-bw": 2039, "memory-capacity": 80,
            "max-concurrent-comms": 2, "comm-compute-slowdown": 1.1, "data-type-bytes": 2,
            "npus": [{"ranks": [0, 3], "peak-perf": 125, "local-mem-bw": 900,
                      "memory-capacity": 16}]})",
        R"({"peak-perf": "989 TFLOPS", "local-mem-bw": "3.35TB/s", "memory-capacity": "80GB",
            "endpoint-delay": "2us", "L": 1, "model-shared-bus": 0})",
        "peak-perf: 312\n",
        R"({"npus": )" + std::string(300, '[')};
    return with_prefix("\0"sv, std::move(seeds));
}

void run_remote_memory(std::string_view input) {
    run_in_dialect(input, read_remote_memory, [](const RemoteMemoryConfig& config) {
        expect(config.latency >= Time() && (config.kind == RemoteMemoryConfig::Kind::None ||
                                            config.bandwidth.bytes_per_second() > 0),
               "a memory without a rate");
    });
}

std::vector<std::string> remote_memory_seeds() {
    using namespace std::string_view_literals;
    return with_prefix("\0"sv, {R"({"memory-type": "NO_MEMORY_EXPANSION"})",
                                R"({"memory-type": "PER_NPU_MEMORY_EXPANSION",
                                    "remote-mem-latency": 100, "remote-mem-bw": 50})",
                                R"({"memory-type": "PER_NODE_MEMORY_EXPANSION",
                                    "remote-mem-latency": 1, "remote-mem-bw": 0.5,
                                    "num-nodes": 2, "num-npus-per-node": 4})",
                                R"({"memory-type": "MEMORY_POOL", "remote-mem-latency": 1,
                                    "remote-mem-bw": 50})"});
}

}  // namespace npunet::fuzz
