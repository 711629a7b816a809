// Logs of Megatron-LM's calls.
#include <fmt/format.h>

#include "generators/megatron/logs/call_log_reader.h"
#include "generators/megatron/logs/repeated_events.h"
#include "generators/megatron/matching/rank_digest.h"
#include "memory_file.h"
#include "memory_watch.h"
#include "targets.h"

namespace npunet::fuzz {

namespace {

using namespace generators::megatron;

/// A group of as many ranks as world_size may name, which the number alone explains.
constexpr std::size_t world_bytes = std::size_t{48} << 20;

}  // namespace

// Whatever is passed on can be counted and compared.
void run_megatron_log(std::string_view input) {
    const std::size_t bytes = decompressed_size(input, most_input_bytes);
    if (bytes >= most_input_bytes) {
        return;
    }
    const MemoryFile file(input);
    const std::filesystem::path path = file.path();
    const bool names_world =
        bytes != input.size() || input.find("world_size") != std::string_view::npos;
    const MemoryWatch watch(
        memory_limit(bytes, reader_buffers + (names_world ? world_bytes : std::size_t{0})));
    accepts([&] {
        GroupTable groups;
        RankDigest digest(Rank(0));
        std::int64_t events = 0;
        std::int64_t passed = 0;
        RepeatedEvents once(Dialect::Genstack, [&](const LoggedCall&) { ++passed; });
        read_call_log(path, Rank(0), groups, [&](const LoggedCall& event) {
            expect(event.call_id == events, "an event out of order");
            expect(payload_bytes(event.call) >= 0, "a negative size");
            expect(event.call.group < groups.size(), "a group that is not in the table");
            ++events;
            digest.add(event, groups);
            once.add(event);
        });
        once.finish();
        expect(passed <= events, "more calls than events");
    });
    watch.check();
}

std::vector<std::string> megatron_log_seeds() {
    std::vector<std::string> seeds{
        "[]",
        R"([{"op": "init_process_group", "call_id": 0, "backend": "gloo", "world_size": 2},
            {"op": "new_group", "call_id": 1, "ranks": [0, 1], "backend": null, "group": "tp"},
            {"op": "barrier", "call_id": 2, "group": "world", "src_rank": 0},
            {"op": "all_reduce", "call_id": 3, "group": "tp", "shape": [2, 3],
             "dtype": "torch.bfloat16", "reduce_op": "RedOpType.SUM", "async": true,
             "phase": "forward", "micro_batch": 0, "chunk": 1, "layer": 2}])",
        R"([{"op": "broadcast", "call_id": 0, "ranks": [1, 0], "shape": [], "dtype": "torch.bool",
             "src": 1, "src_rank": 0},
            {"op": "batch_isend", "call_id": 1, "batch_idx": 0, "batch_size": 1, "shape": [4],
             "dtype": "torch.float32", "peer": 1},
            {"op": "recv", "call_id": 2, "ranks": [0, 1], "shape": [4], "dtype": "torch.int8",
             "src": null, "tag": 7}])",
        R"([{"op": "all_to_all", "call_id": 0, "ranks": [0, 1], "output_shapes": [[2], [3]],
             "input_shapes": [[4], [4]], "dtype": "torch.int64"},
            {"op": "scatter", "call_id": 1, "ranks": [0], "tensor_shape": [1], "src": 0,
             "scatter_list_shapes": null, "dtype": "torch.uint8", "other": {"a": [1, [2.5]]}}])",
        R"([{"op": "init_process_group", "call_id": 0, "backend": "x", "world_size": 1048576},
            {"op": "barrier", "call_id": 1, "group": "world"}])"};
    std::string ranks = R"([{"op": "barrier", "call_id": 0, "ranks": [0)";
    std::string shapes = R"([{"op": "all_to_all", "call_id": 0, "input_shapes": [[])";
    std::string groups = "[";
    for (int i = 1; i < 20'000; ++i) {
        ranks += fmt::format(",{}", i);
        shapes += ",[]";
        groups += fmt::format(R"({}{{"op":"barrier","ranks":[{}],"call_id":{}}})",
                              i == 1 ? "" : ",", i, i - 1);
    }
    seeds.push_back(ranks + "]}]");
    seeds.push_back(shapes + "]}]");
    seeds.push_back(groups + "]");
    seeds.push_back("[{\"op\": \"" + std::string(100'000, 'a'));
    seeds.push_back("[{\"x\": " + std::string(100'000, '['));
    seeds.push_back("[{\"x\": " + std::string(100'000, '1'));
    seeds.push_back("[" + std::string(100'000, '\n'));
    return seeds;
}

}  // namespace npunet::fuzz
