// Reading the log of one rank: every operation, both dialects.
#include "generators/megatron/logs/call_log_reader.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include "call_log_reader_fixture.h"

namespace npunet::generators::megatron {
namespace {

using Numbers = std::vector<std::int32_t>;

// What sets groups up: a backend that is null is an empty text.
TEST_F(CallLogReader, ReadsSetUp) {
    const LoggedCall init =
        only(R"("op": "init_process_group", "backend": "gloo", "world_size": 48)");
    EXPECT_EQ(init.call.operation, Operation::InitProcessGroup);
    EXPECT_EQ(init.backend, "gloo");
    EXPECT_EQ(init.world_size, 48);
    EXPECT_EQ(init.call.group, -1);
    EXPECT_EQ(init.owner, Rank(0));
    EXPECT_EQ(init.call_id, 0);
    const LoggedCall group = only(R"("op": "new_group", "ranks": [4, 0], "backend": null)");
    EXPECT_EQ(group.call.operation, Operation::NewGroup);
    EXPECT_EQ(group.backend, "");
    EXPECT_EQ(ranks(group.call), (Numbers{4, 0}));
}

TEST_F(CallLogReader, ReadsCollectivesOfOneShape) {
    EXPECT_EQ(ranks(only(R"("op": "barrier", "ranks": [0, 1])").call), (Numbers{0, 1}));
    const Call reduce = only(R"("op": "all_reduce", "ranks": [0, 1], "shape": [2, 3],
        "dtype": "torch.float64", "reduce_op": "RedOpType.MIN")")
                            .call;
    EXPECT_EQ(reduce.reduce_op, ReduceOp::Min);
    EXPECT_TRUE(reduce.has_shape);
    EXPECT_EQ(reduce.shape, (Shape{2, 3}));
    EXPECT_EQ(payload_bytes(reduce), 48);
    // As objects print themselves.
    for (const auto& [text, meant] : {std::pair{"<RedOpType.SUM: 0>", ReduceOp::Sum},
                                      {"<RedOpType.AVG: 1>", ReduceOp::Average},
                                      {"<ReduceOp.MAX>", ReduceOp::Max}}) {
        const Call as_object = only(R"("op": "all_reduce", "ranks": [0], "shape": [1],
            "dtype": "torch.int8", "reduce_op": ")" +
                                    std::string(text) + "\"")
                                   .call;
        EXPECT_EQ(as_object.reduce_op, meant) << text;
    }
    // A scalar has one element.
    const Call scalar = only(R"("op": "all_reduce", "ranks": [0], "shape": [],
        "dtype": "torch.float32", "reduce_op": "ReduceOp.SUM")")
                            .call;
    EXPECT_EQ(payload_bytes(scalar), 4);
    const Call broadcast = only(R"("op": "broadcast", "ranks": [4, 5], "shape": [1, 1, 8, 8],
        "dtype": "torch.bool", "src": 5)")
                               .call;
    EXPECT_EQ(broadcast.peer, Rank(5));
    EXPECT_EQ(payload_bytes(broadcast), 64);
}

TEST_F(CallLogReader, ReadsMessages) {
    const std::string half = R"(, "batch_size": 2,
        "shape": [2, 2], "dtype": "torch.bfloat16", "peer": 9)";
    const Call batch = all({R"("op": "batch_isend", "batch_idx": 0)" + half,
                            R"("op": "batch_irecv", "batch_idx": 1)" + half})
                           .at(1)
                           .call;
    EXPECT_EQ(batch.operation, Operation::BatchReceive);
    EXPECT_EQ(batch.batch_index, 1);
    EXPECT_EQ(batch.batch_size, 2);
    EXPECT_EQ(batch.peer, Rank(9));
    EXPECT_EQ(batch.group, -1);
    EXPECT_EQ(payload_bytes(batch), 8);
    for (const char* name : {"send", "isend"}) {
        const Call send = only(R"("op": ")" + std::string(name) +
                               R"(", "ranks": [0, 3], "shape": [7],
            "dtype": "torch.int8", "dst": 3, "tag": 11)")
                              .call;
        EXPECT_EQ(name_of(send.operation), name);
        EXPECT_EQ(send.peer, Rank(3));
        EXPECT_EQ(send.tag, 11);
        EXPECT_EQ(send.batch_size, 0);
    }
    for (const char* name : {"recv", "irecv"}) {
        const std::string begin = R"("op": ")" + std::string(name) +
                                  R"(", "ranks": [0, 3], "shape": [7], "dtype": "torch.int8", )";
        EXPECT_EQ(only(begin + R"("src": 3, "tag": 0)").call.peer, Rank(3));
        // From anybody.
        EXPECT_FALSE(only(begin + R"("src": null, "tag": 0)").call.peer.valid());
    }
}

// The events of a batch stand together, from its first to its last.
TEST_F(CallLogReader, RefusesBrokenBatches) {
    const auto message = [](int index, int size) {
        return R"("op": "batch_isend", "shape": [1], "dtype": "torch.int8", "peer": 1, )" +
               ("\"batch_idx\": " + std::to_string(index)) +
               (", \"batch_size\": " + std::to_string(size));
    };
    const std::string barrier = R"("op": "barrier", "ranks": [0])";
    EXPECT_EQ(all({message(0, 1), message(0, 1), message(0, 3), message(1, 3), message(2, 3),
                   barrier, message(0, 2), message(1, 2)})
                  .size(),
              8U);
    const auto refused = [&](const std::vector<std::string>& events) {
        return refusal(log_of(events));
    };
    EXPECT_EQ(refused({message(1, 2)}).found, "batch_isend with batch_idx 1 of batch_size 2");
    EXPECT_EQ(refused({message(1, 2)}).expected, "batch_idx 0 of batch_size 2");
    const InputProblem apart = refused({message(0, 2), barrier, message(1, 2)});
    EXPECT_EQ(apart.found, "barrier");
    EXPECT_EQ(apart.expected, "batch_idx 1 of batch_size 2");
    const std::string first = "[\n{" + message(0, 2) + ", \"call_id\": 0, \"src_rank\": 0},\n";
    EXPECT_EQ(apart.place, "event 1, byte " + std::to_string(first.size()));
    EXPECT_EQ(refused({message(0, 2), message(0, 2)}).expected, "batch_idx 1 of batch_size 2");
    EXPECT_EQ(refused({message(0, 2), message(1, 3)}).expected, "batch_idx 1 of batch_size 2");
    EXPECT_EQ(refused({barrier, message(0, 2)}).found, "the end of the list within a batch");
}

// Payload: the rank's own part of an all-gather, all of its input otherwise.
TEST_F(CallLogReader, ReadsCollectivesOfTwoShapes) {
    const Call gather = only(R"("op": "all_gather", "ranks": [0, 1], "tensor_shape": [5],
        "output_shapes": [[5], [5]], "dtype": "torch.int64")")
                            .call;
    EXPECT_FALSE(gather.has_shape);
    EXPECT_EQ(gather.input, Shape{5});
    EXPECT_EQ(gather.output, Shape{5});
    EXPECT_EQ(gather.outputs, 2);
    EXPECT_EQ(payload_bytes(gather), 40);
    const Call scatter = only(R"("op": "reduce_scatter", "ranks": [0, 1], "output_shape": [3],
        "input_shapes": [[3], [3]], "dtype": "torch.float16", "reduce_op": "SUM")")
                             .call;
    EXPECT_EQ(scatter.inputs, 2);
    EXPECT_EQ(payload_bytes(scatter), 12);
    for (const char* name : {"_all_gather_base", "all_gather_into_tensor"}) {
        const Call into = only(R"("op": ")" + std::string(name) +
                               R"(", "ranks": [0, 1], "output_shape": [8, 2],
            "input_shape": [4, 2], "dtype": "torch.float32")")
                              .call;
        EXPECT_EQ(into.output, (Shape{8, 2}));
        EXPECT_EQ(payload_bytes(into), 32);
    }
    for (const char* name : {"reduce_scatter_base", "reduce_scatter_tensor"}) {
        const Call from = only(R"("op": ")" + std::string(name) +
                               R"(", "ranks": [0, 1], "input_shape": [8],
            "output_shape": [4], "dtype": "torch.float32", "reduce_op": "ReduceOp.AVG")")
                              .call;
        EXPECT_EQ(from.reduce_op, ReduceOp::Average);
        EXPECT_EQ(payload_bytes(from), 32);
    }
    const Call single = only(R"("op": "all_to_all_single", "ranks": [0, 1], "input_shape": [6],
        "output_shape": [9], "input_shapes": [[2], [4]], "dtype": "torch.float32")")
                            .call;
    EXPECT_EQ(single.input, Shape{6});
    EXPECT_EQ(single.output, Shape{9});
    EXPECT_EQ(payload_bytes(single), 24);
}

// Lists of unequal tensors have one dimension: their elements together.
TEST_F(CallLogReader, AddsUnequalTensorsUp) {
    const Call call = only(R"("op": "all_to_all", "ranks": [0, 1],
        "output_shapes": [[2, 3], [2, 3]], "input_shapes": [[1, 3], [5, 3]],
        "dtype": "torch.float32")")
                          .call;
    EXPECT_EQ(call.output, (Shape{2, 3}));
    EXPECT_EQ(call.outputs, 2);
    EXPECT_EQ(call.input, Shape{18});
    EXPECT_EQ(call.inputs, 1);
    EXPECT_EQ(payload_bytes(call), 72);
}

// Of scatter and gather the root has the list; the others have null and hand over nothing.
TEST_F(CallLogReader, ReadsListsOfRoots) {
    const std::string scatter =
        R"("op": "scatter", "ranks": [0, 1], "tensor_shape": [4], "dtype": "torch.float32",
           "src": 0, "scatter_list_shapes": )";
    EXPECT_EQ(payload_bytes(only(scatter + "[[4], [4]]").call), 32);
    EXPECT_EQ(payload_bytes(only(scatter + "null").call), 0);
    EXPECT_EQ(only(scatter + "null").call.output, Shape{4});
    const std::string gather =
        R"("op": "gather", "ranks": [0, 1], "tensor_shape": [4], "dtype": "torch.float32",
           "dst": 1, "gather_list_shapes": )";
    const Call root = only(gather + "[[4], [4]]").call;
    EXPECT_EQ(root.outputs, 2);
    EXPECT_EQ(root.peer, Rank(1));
    EXPECT_EQ(payload_bytes(root), 16);
    EXPECT_EQ(only(gather + "null").call.outputs, 0);
}

// The keys of the npunet dialect, and those of no dialect.
TEST_F(CallLogReader, ReadsWhereInTheStepItIs) {
    const LoggedCall event =
        only(R"("layer": 3, "op": "all_reduce", "phase": "backward", "group": "tp", "async": true,
        "micro_batch": 2, "chunk": 1, "shape": [1], "dtype": "torch.bfloat16", "comment":
        {"a": [1, {"b": null}], "c": "x  y"}, "ranks": [0, 1], "reduce_op": "SUM", "t": 1.5)");
    EXPECT_EQ(event.phase, Phase::Backward);
    EXPECT_EQ(event.group_name, "tp");
    EXPECT_TRUE(event.call.asynchronous);
    EXPECT_EQ(event.micro_batch, 2);
    EXPECT_EQ(event.chunk, 1);
    EXPECT_EQ(event.layer, 3);
    const LoggedCall without = only(R"("op": "barrier", "ranks": [0])");
    EXPECT_FALSE(without.phase.has_value());
    EXPECT_EQ(without.micro_batch, -1);
    EXPECT_EQ(without.chunk, -1);
    EXPECT_EQ(without.layer, -1);
}

// Without ranks, a call is on the last new group of its name; world is everybody.
TEST_F(CallLogReader, FindsGroupsByName) {
    const std::vector<LoggedCall> events =
        all({R"("op": "init_process_group", "backend": "nccl", "world_size": 4, "group": "world")",
             R"("op": "new_group", "group": "dp", "ranks": [0, 1], "backend": null)",
             R"("op": "new_group", "group": "dp", "ranks": [0, 2], "backend": null)",
             R"("op": "barrier", "group": "dp")", R"("op": "barrier", "group": "world")",
             R"("op": "barrier")", R"("op": "barrier", "group": "dp", "ranks": [0, 3])"});
    ASSERT_EQ(events.size(), 7U);
    EXPECT_EQ(ranks(events[3].call), (Numbers{0, 2}));
    EXPECT_EQ(ranks(events[4].call), (Numbers{0, 1, 2, 3}));
    EXPECT_EQ(events[5].call.group, -1);
    EXPECT_EQ(ranks(events[6].call), (Numbers{0, 3}));
}

// The same events whether the file is compressed, indented or in one line.
TEST_F(CallLogReader, ReadsCompressedLogs) {
    std::string text = log_of({R"("op": "barrier", "ranks": [0, 1])"});
    const auto path = folder_ / "log.json";
    gzFile file = gzopen(path.c_str(), "wb");
    gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
    gzclose(file);
    EXPECT_EQ(events_of(path, Rank(0), groups_).size(), 1U);
    text.insert(1, 100'000, '\n');
    EXPECT_EQ(events_of(folder_.write("b.json", text), Rank(0), groups_).size(), 1U);
    // Cut off within the compressed data.
    const std::string bytes = test::bytes_of(path);
    const auto cut = folder_.write("cut.json", bytes.substr(0, bytes.size() - 12));
    const InputProblem problem = test::problem_of([&] { events_of(cut, Rank(0), groups_); });
    EXPECT_NE(problem.place.find("decompressed"), std::string::npos) << problem.place;
}

TEST_F(CallLogReader, ReadsAnEmptyList) {
    EXPECT_TRUE(events_of(folder_.write("log.json", "[]"), Rank(0), groups_).empty());
}

}  // namespace
}  // namespace npunet::generators::megatron
