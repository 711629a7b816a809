// What is no log of a rank, and what is said of it.

#include <gtest/gtest.h>

#include <string>

#include "call_log_reader_fixture.h"

namespace npunet::generators::megatron {
namespace {

// One message that says which event, which byte, what stands there and what should.
TEST_F(CallLogReader, SaysWhereItIsWrong) {
    const std::string good = R"("op": "barrier", "ranks": [0])";
    const std::string text = log_of({good, good, R"("op": "barier", "ranks": [0])"});
    const InputProblem problem = refusal(text);
    const std::size_t behind = text.find("barier\"") + 7;
    EXPECT_EQ(problem.file, (folder_ / "log.json").string());
    EXPECT_EQ(problem.place, "event 2, byte " + std::to_string(behind));
    EXPECT_EQ(problem.found, "op 'barier'");
    EXPECT_NE(problem.expected.find("barrier"), std::string::npos);
    EXPECT_FALSE(problem.remedy.empty());
}

struct Refused {
    const char* event;
    const char* found;
};

class RefusedEvents : public CallLogReader, public ::testing::WithParamInterface<Refused> {};

TEST_P(RefusedEvents, AreNamed) {
    const InputProblem problem =
        refusal(log_of({R"("op": "barrier", "ranks": [0])", GetParam().event}));
    EXPECT_EQ(problem.place.rfind("event 1, byte ", 0), 0U) << problem.place;
    EXPECT_EQ(problem.found, GetParam().found);
    EXPECT_FALSE(problem.expected.empty());
    EXPECT_FALSE(problem.remedy.empty());
}

const char* const reduce_begin =
    R"("op": "all_reduce", "ranks": [0], "dtype": "torch.float32", "reduce_op": "SUM", )";
const std::string huge = std::string(reduce_begin) + R"("shape": [4294967296, 4294967296])";
const std::string heavy = std::string(reduce_begin) + R"("shape": [1152921504606846976])";
const std::string deep_shape =
    std::string(reduce_begin) + R"("shape": [1, 1, 1, 1, 1, 1, 1, 1, 1])";
const std::string negative_size = std::string(reduce_begin) + R"("shape": [-1])";
const std::string nested_size = std::string(reduce_begin) + R"("shape": [[1]])";
const std::string text_size = std::string(reduce_begin) + R"("shape": ["a"])";
const std::string float_size = std::string(reduce_begin) + R"("shape": [2.0])";
const std::string no_shape = std::string(reduce_begin) + R"("shape": null)";
const std::string missing_shape = std::string(reduce_begin) + R"("async": false)";
const std::string nested =
    R"("op": "barrier", "x": )" + std::string(65, '[') + std::string(65, ']');

INSTANTIATE_TEST_SUITE_P(
    All, RefusedEvents,
    ::testing::Values(
        Refused{R"("op": 7)", "7 for op"}, Refused{R"("ranks": [0])", "an event without op"},
        Refused{R"("op": "barrier", "op": "barrier")", "the key op twice"},
        Refused{R"("op": "barrier", "ranks": [0, 1, 0])", "rank 0 twice in ranks"},
        Refused{R"("op": "barrier", "ranks": [-1])", "-1 in ranks"},
        Refused{R"("op": "barrier", "ranks": [1048576])", "1048576 in ranks"},
        Refused{R"("op": "barrier", "ranks": [18446744073709551615])",
                "18446744073709551615 in ranks"},
        Refused{R"("op": "barrier", "ranks": [])", "an empty list of ranks"},
        Refused{R"("op": "barrier", "ranks": {"a": 1})", "an object for ranks"},
        Refused{R"("op": "barrier", "ranks": [{}])", "an object in ranks"},
        Refused{R"("op": "barrier", "ranks": [[0]])", "a list in ranks"},
        Refused{R"("op": "barrier", "ranks": null)", "null for ranks"},
        Refused{R"("op": "barrier", "ranks": [true])", "true in ranks"},
        Refused{R"("op": "barrier", "async": 1)", "1 for async"},
        Refused{R"("op": "barrier", "group": "tp")", "barrier on group \"tp\" without ranks"},
        Refused{R"("op": "barrier", "phase": "sideways")", "phase 'sideways'"},
        Refused{R"("op": "barrier", "layer": -2)", "layer -2"},
        Refused{R"("op": "new_group", "backend": null)", "new_group without ranks"},
        Refused{R"("op": "new_group", "ranks": [0])", "new_group without backend"},
        Refused{R"("op": "init_process_group", "backend": "gloo", "world_size": 0)",
                "world_size 0"},
        Refused{R"("op": "broadcast", "ranks": [0], "shape": [1], "dtype": "torch.int64")",
                "broadcast without src"},
        Refused{R"("op": "recv", "ranks": [0], "shape": [1], "dtype": "torch.int64")",
                "recv without src"},
        Refused{R"("op": "isend", "ranks": [0], "shape": [1], "dtype": "torch.int64")",
                "isend without dst"},
        Refused{R"("op": "batch_isend", "batch_idx": 2, "batch_size": 2, "shape": [1],
                  "dtype": "torch.int64", "peer": 1)",
                "batch_idx 2 of batch_size 2"},
        Refused{R"("op": "all_reduce", "dtype": "float32")", "dtype 'float32'"},
        Refused{R"("op": "all_reduce", "reduce_op": "SUM: 0>x")", "reduce_op 'SUM: 0>x'"},
        Refused{R"("op": "all_reduce", "reduce_op": "RedOpType.BAND")",
                "reduce_op 'RedOpType.BAND'"},
        Refused{R"("op": "all_gather", "ranks": [0], "tensor_shape": [1], "dtype": "torch.int64")",
                "all_gather without output_shapes or output_shape"},
        Refused{R"("op": "all_gather", "output_shapes": [1])", "1 in output_shapes"},
        Refused{huge.c_str(), "shape of more than 2^60 elements"},
        Refused{heavy.c_str(), "all_reduce of more than 2^60 bytes"},
        Refused{deep_shape.c_str(), "a tensor of more than 8 dimensions"},
        Refused{negative_size.c_str(), "-1 in shape"},
        Refused{nested_size.c_str(), "a list in shape"},
        Refused{text_size.c_str(), "\"a\" in shape"}, Refused{float_size.c_str(), "2.0 in shape"},
        Refused{no_shape.c_str(), "null for shape"},
        Refused{missing_shape.c_str(), "all_reduce without shape"},
        Refused{nested.c_str(), "values nested too deeply"}));

// Logs that are none as a whole.
TEST_F(CallLogReader, RefusesWhatIsNoLog) {
    const std::string good = log_of({R"("op": "barrier", "ranks": [0])"});
    EXPECT_EQ(refusal("").found, "an empty file");
    EXPECT_EQ(refusal("{}").found, "an object");
    EXPECT_EQ(refusal("3").found, "3");
    EXPECT_EQ(refusal("[1]").found, "1");
    EXPECT_EQ(refusal("[[]]").found, "a list");
    EXPECT_EQ(refusal(good + "]").found, "text that is not JSON");
    EXPECT_EQ(refusal("[{\"op\": 1e999}]").found, "a number beyond all bounds");
    EXPECT_EQ(refusal("[{\"op\": \"" + std::string(70'000, 'a') + "\"}]").found,
              "a text or number of more than 65536 bytes");
    for (std::size_t length = 0; length < good.size(); ++length) {
        const InputProblem problem = refusal(good.substr(0, length));
        EXPECT_EQ(problem.place.rfind("event ", 0), 0U) << length;
        EXPECT_TRUE(problem.found == "the end of the file" || problem.found == "an empty file")
            << problem.found;
    }
    EXPECT_EQ(test::problem_of([&] { events_of(folder_ / "none.json", Rank(0), groups_); }).found,
              "no such file");
    EXPECT_EQ(test::problem_of([&] { events_of(folder_.path(), Rank(0), groups_); }).found,
              "a folder");
}

// call_id counts from 0 without gaps, and all events are of the rank whose log it is.
TEST_F(CallLogReader, ChecksNumbersAndOwner) {
    const std::string barrier = R"({"op": "barrier", "ranks": [0], "src_rank": 0, "call_id": )";
    EXPECT_EQ(refusal("[" + barrier + "1}]").found, "call_id 1");
    EXPECT_EQ(refusal("[" + barrier + "0}," + barrier + "2}]").found, "call_id 2");
    EXPECT_EQ(refusal("[" + barrier + "0}," + barrier + "0}]").place,
              "event 1, byte " + std::to_string(barrier.size() + 4));
    const auto other = folder_.write("other.json", log_of({R"("op": "barrier")"}, 5));
    EXPECT_EQ(test::problem_of([&] { events_of(other, Rank(3), groups_); }).found,
              "an event of rank 5");
    EXPECT_EQ(events_of(other, Rank(5), groups_).front().owner, Rank(5));
}

}  // namespace
}  // namespace npunet::generators::megatron
