// Recordings as logs of Megatron-LM: every call under its name there, also of ranks that were not
// recorded; all of it read again and met.
#include "generators/recorded/megatron_logs.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "generators/megatron/logs/log_folder.h"
#include "generators/megatron/matching/log_summary.h"
#include "tests/support/refusals.h"
#include "tests/support/temporary_folder.h"

namespace npunet::generators::recorded::recorded_megatron_logs_test {
namespace {

using megatron::Operation;

/// tp 2, dp 2, tp first: groups 1 and 2 are of tp, 3 and 4 of dp.
const std::string head = R"({"format": "npunet-record", "version": 1, "rank": 0, "ranks": 4}
{"group": 0, "ranks": [0, 1, 2, 3], "backend": "nccl"}
{"group": 1, "ranks": [0, 1], "backend": "nccl"}
{"group": 2, "ranks": [2, 3], "backend": "nccl"}
{"group": 3, "ranks": [0, 2], "backend": "gloo"}
{"group": 4, "ranks": [1, 3], "backend": "gloo"}
)";

std::string call(int number, const std::string& function, const std::string& type, int group,
                 const std::string& in, const std::string& out, const std::string& more = "") {
    return fmt::format(
        R"({{"call": {}, "type": "{}", "function": "{}", "group": {}, )"
        R"("dtype": "bfloat16", "in": {}, "out": {}, "bytes": 8, "at": "t.py:{}"{}}})"
        "\n",
        number, type, function, group, in, out, number, more);
}

class RecordedMegatronLogs : public ::testing::Test {
protected:
    /// Rank 0 is recorded, the others follow from it; or 1 does, and 3 from rank 2.
    void write(const std::string& calls, const std::string& calls_of_2 = "") {
        folder_.write("recording/rank.0.jsonl", head + calls + "{\"end\": 0}\n");
        std::string head_of_2 = head;
        head_of_2.replace(head.find("\"rank\": 0"), 9, "\"rank\": 2");
        folder_.write("recording/rank.2.jsonl", head_of_2 + calls_of_2 + "{\"end\": 0}\n");
        folder_.write(
            "recording/recording.json",
            fmt::format(R"({{"ranks": 4, {}, "families": [[0], [1, 2], [3, 4]]}})",
                        calls_of_2.empty() ? R"("recorded": [0], "log_of": [0, 0, 0, 0])"
                                           : R"("recorded": [0, 2], "log_of": [0, 0, 2, 2])"));
        megatron::TrainingRun run = megatron::npunet_run("small");
        run.parallelism.tp = 2;
        run.parallelism.dp = 2;
        run.micro_batches = 1;
        run.global_batch_size = 2;
        write_megatron_logs(open_recording(folder_ / "recording"), resolve_run(run), logs());
    }
    [[nodiscard]] std::filesystem::path logs() const { return folder_ / "logs"; }

    [[nodiscard]] nlohmann::json events(int rank) const {
        std::ifstream stream(logs() / fmt::format("comm_log_rank_{}.json", rank));
        return nlohmann::json::parse(stream);
    }

    test::TemporaryFolder folder_;
};

// A wait right behind the call makes it a blocking one.
TEST_F(RecordedMegatronLogs, AllCallsAreReadAgainAndMeet) {
    const std::string sum = R"(, "reduce_op": "sum")";
    write(call(0, "allreduce", "all_reduce", 3, "[[2, 2]]", "[[2, 2]]", sum) + "{\"wait\": 0}\n" +
          call(1, "_allgather_base", "all_gather", 1, "[[4]]", "[[8]]") +
          call(2, "_reduce_scatter_base", "reduce_scatter", 1, "[[8]]", "[[4]]", sum) +
          "{\"wait\": 1}\n{\"wait\": 2}\n" +
          call(3, "broadcast", "broadcast", 1, "[[4]]", "[[4]]", R"(, "root": 0)") +
          call(4, "allgather", "all_gather", 1, "[[4]]", "[[4], [4]]") +
          call(5, "reduce_scatter", "reduce_scatter", 1, "[[4], [4]]", "[[4]]", sum) +
          call(6, "alltoall_base", "all_to_all", 3, "[[4]]", "[[4]]", R"(, "sizes": [4, 4])") +
          call(7, "alltoall", "all_to_all", 3, "[[2], [2]]", "[[2], [2]]") +
          call(8, "allgather_into_tensor_coalesced", "all_gather", 1, "[[4], [3]]", "[[8], [6]]") +
          call(9, "barrier", "barrier", 0, "[]", "[]"));
    const auto first = events(0);
    EXPECT_EQ(first[0]["op"], "init_process_group");
    EXPECT_EQ(first[0]["world_size"], 4);
    EXPECT_EQ(first[1], nlohmann::json::parse(R"({"op": "new_group", "call_id": 1,
        "ranks": [0, 1], "backend": "nccl", "src_rank": 0})"));
    EXPECT_EQ(first[2]["ranks"], (std::vector<int>{0, 2}));
    EXPECT_EQ(first[3], nlohmann::json::parse(R"({"op": "all_reduce", "call_id": 3,
        "ranks": [0, 2], "shape": [2, 2], "dtype": "torch.bfloat16", "reduce_op": "SUM",
        "src_rank": 0})"));
    EXPECT_EQ(first[4]["op"], "all_gather_into_tensor");
    EXPECT_EQ(first[4]["async"], true);
    const auto last = events(3);
    EXPECT_EQ(last[3]["ranks"], (std::vector<int>{1, 3}));
    EXPECT_EQ(last[6]["op"], "broadcast");
    EXPECT_EQ(last[6]["src"], 2);
    EXPECT_EQ(last[6]["src_rank"], 3);
    const megatron::LogFolder folder = megatron::open_log_folder(logs());
    EXPECT_EQ(folder.run.parallelism.tp, 2);
    const megatron::LogSummary summary = summarize_logs(folder, [] {});
    EXPECT_TRUE(summary.rendezvous.meets());
    EXPECT_EQ(summary.of(Operation::AllGatherIntoTensor).calls.max, 3);
    EXPECT_EQ(summary.of(Operation::AllGatherIntoTensor).bytes.max, 2 * (4 + 4 + 3));
    for (const Operation operation :
         {Operation::AllReduce, Operation::ReduceScatterTensor, Operation::Broadcast,
          Operation::AllGather, Operation::ReduceScatter, Operation::AllToAllSingle,
          Operation::AllToAll, Operation::Barrier}) {
        EXPECT_EQ(summary.of(operation).calls.min, 1) << name_of(operation);
    }
}

// Rank 0 sends to 2 and receives from it, as 1 does with 3.
TEST_F(RecordedMegatronLogs, MessagesNameTheirPeers) {
    const auto exchange = [](int peer) {
        const std::string more = fmt::format(R"(, "peer": {}, "tag": 5)", peer);
        return call(0, "send", "send", 3, "[[4]]", "[]", more) + "{\"wait\": 0}\n" +
               call(1, "recv", "recv", 3, "[]", "[[4]]", more);
    };
    write(exchange(2), exchange(0));
    const auto log = events(1);
    EXPECT_EQ(log[3], nlohmann::json::parse(R"({"op": "send", "call_id": 3, "ranks": [1, 3],
        "shape": [4], "dtype": "torch.bfloat16", "dst": 3, "tag": 5, "src_rank": 1})"));
    EXPECT_EQ(log[4]["op"], "irecv");
    EXPECT_EQ(log[4]["src"], 3);
    EXPECT_TRUE(summarize_logs(megatron::open_log_folder(logs()), [] {}).rendezvous.meets());
}

TEST_F(RecordedMegatronLogs, WhatSuchLogsDoNotHaveIsRefused) {
    const auto found = [this](const std::string& calls) {
        const InputProblem problem = test::problem_of([&] {
            write(calls);
            return 0;
        });
        EXPECT_TRUE(problem.file.empty() || problem.file.rfind("t.py:", 0) == 0) << problem.file;
        return problem.found;
    };
    EXPECT_EQ(found(call(7, "reduce", "reduce", 1, "[[4]]", "[[4]]", R"(, "root": 0)")),
              "the call reduce");
    EXPECT_EQ(
        found(call(7, "allreduce", "all_reduce", 1, "[[4]]", "[[4]]", R"(, "reduce_op": "bxor")")),
        "a reduction by bxor");
    std::string complex = call(7, "broadcast", "broadcast", 1, "[[4]]", "[[4]]");
    complex.replace(complex.find("bfloat16"), 8, "complex64");
    EXPECT_EQ(found(complex), "a call with elements of torch.complex64");
}

}  // namespace
}  // namespace npunet::generators::recorded::recorded_megatron_logs_test
