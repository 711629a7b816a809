// Profiles and execution traces of PyTorch.
#include <fmt/format.h>

#include "generators/profiler/measured_replay.h"
#include "memory_file.h"
#include "memory_watch.h"
#include "profiles/execution_trace.h"
#include "profiles/profile_reader.h"
#include "targets.h"

namespace npunet::fuzz {

using namespace generators::profiler;

// Records come in their order, whatever that of the file.
void run_execution_trace(std::string_view input) {
    const std::size_t bytes = decompressed_size(input, most_input_bytes);
    if (bytes >= most_input_bytes) {
        return;
    }
    const MemoryFile file(input);
    const std::filesystem::path path = file.path();
    // "[," begins an element of a tree, which is held node by node.
    const MemoryWatch watch(
        memory_limit(12 * bytes, reader_buffers + decompression_buffers(input)));
    accepts([&] {
        static_cast<void>(profiles::is_execution_trace(path));
        const profiles::ExecutionTrace trace = profiles::read_execution_trace(path);
        expect(trace.communications.size() <= trace.nodes, "more calls than nodes");
        std::uint64_t last = 0;
        for (const profiles::RecordedCommunication& one : trace.communications) {
            expect(one.record_function_id >= last, "a call out of order");
            last = one.record_function_id;
        }
    });
    watch.check();
}

std::vector<std::string> execution_trace_seeds() {
    return {R"({"schema": "1.0.1", "pid": 7, "nodes": []})",
            R"({"schema": "1.0.1", "nodes": [{"name": "record_param_comms", "id": 5, "rf_id": 9,
                "tid": 2, "inputs": [[[1, 2, 0, 6, 4, "cuda:0"]], 147, 945, 3, "allreduce", [], []],
                "outputs": [[1, 2, 0, 8, 4, "cuda:0"]]}], "finish_ts": 2})",
            R"({"schema": "1.1.0-chakra.0.0.4", "nodes": [{"id": 4, "name": "record_param_comms",
                "inputs": {"values": [[1, 2, 0, 6, 8, "cuda:1"], 33, ["5", "tp"], 1, "all_to_allv",
                [2, 4], [1, 5], 4, 2, 2]}, "outputs": {"values": []},
                "attrs": [{"name": "rf_id", "type": "uint64", "value": 115}]}]})"};
}

// What is read can be converted, and the conversion runs to its end.
void run_profile_conversion(std::string_view input) {
    if (decompressed_size(input, most_input_bytes) >= most_input_bytes) {
        return;
    }
    const MemoryFile file(input);
    accepts([&] {
        const profiles::EventTable table = profiles::read_profile(file.path());
        std::vector<RankGraph> graphs;
        graphs.push_back(rank_graph(activity_of(table, nullptr), CpuModel::Gap));
        graphs.front().rank = Rank(table.rank.value_or(0));
        std::uint32_t last = 0;
        for (std::size_t i = 0; i < graphs.front().nodes.size(); ++i) {
            const GraphNode& node = graphs.front().nodes[i];
            expect(node.first >= last && node.span.begin_ns <= node.span.end_ns, "a bad node");
            last = node.first;
            for (const std::uint32_t before : graphs.front().after(i)) {
                expect(before < i, "a node that follows a later one");
            }
        }
        MatchingOptions options;
        options.missing_left_out = true;
        options.unknown_as_compute = true;
        const MatchedRun run = match_communication(graphs, options);
        expect(measured_replay(graphs, run, {0}).replayed_ns >= 0, "a time before the beginning");
    });
}

std::vector<std::string> profile_conversion_seeds() {
    const auto event = [](const char* category, const char* name, int tid, double begin,
                          double duration, const char* arguments) {
        return fmt::format(R"({{"ph": "X", "cat": "{}", "name": "{}", "pid": 0, "tid": {}, )"
                           R"("ts": {:.3f}, "dur": {:.3f}, "args": {{{}}}}})",
                           category, name, tid, begin, duration, arguments);
    };
    const std::string launch =
        event("cpu_op", "aten::mm", 1, 0, 20, "") + ",\n" +
        event("cuda_runtime", "cudaLaunchKernel", 1, 10, 3, R"("correlation": 1)") + ",\n" +
        event("kernel", "gemm", 7, 15, 30, R"("device": 0, "stream": 7, "correlation": 1)");
    const std::string communication =
        event("cpu_op", "record_param_comms", 1, 25, 9, R"("Collective name": "coalesced")") +
        ",\n" + event("cuda_runtime", "cudaLaunchKernel", 1, 26, 3, R"("correlation": 2)") + ",\n" +
        event("kernel", "ncclDevKernel_AllReduce_Sum_f32", 20, 50, 9,
              R"("device": 0, "stream": 20, "correlation": 2, "Collective name": "allreduce", )"
              R"("In msg nelems": 8, "Out msg nelems": 8, "dtype": "Float", "Seq": 4, )"
              R"("Process Group Name": "0", "Process Group Ranks": "[0, 1]")");
    const std::string synchronization =
        event("cuda_runtime", "cudaStreamSynchronize", 1, 40, 30, R"("correlation": 3)") + ",\n" +
        event("cuda_sync", "Stream Sync", 20, 41, 29, R"("stream": 20, "correlation": 3)");
    const char* whole = R"({{"schemaVersion": 1, "distributedInfo": {{"rank": 0, )"
                        R"("world_size": 2}}, "traceEvents": [{}]}})";
    return {
        fmt::format(fmt::runtime(whole), launch),
        fmt::format(fmt::runtime(whole), launch + ",\n" + communication),
        fmt::format(fmt::runtime(whole), launch + ",\n" + communication + ",\n" + synchronization)};
}

}  // namespace npunet::fuzz
