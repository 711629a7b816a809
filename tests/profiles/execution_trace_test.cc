// PyTorch execution traces of every schema.
#include "profiles/execution_trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "base/errors.h"
#include "tar_file.h"
#include "tests/support/refusals.h"
#include "tests/support/shared_data.h"
#include "tests/support/temporary_folder.h"

namespace npunet::profiles {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* older = R"({"schema": "1.0.1", "pid": 7, "start_ts": 1, "nodes": [
  {"name": "record_param_comms", "id": 5, "rf_id": 9, "parent": 4, "tid": 2,
   "inputs": [[[1, 2, 0, 6, 4, "cuda:0"], [3, 4, 0, 2, 4, "cuda:0"]], 147, 945, 3, "allreduce", [], []],
   "outputs": [[[1, 2, 0, 8, 4, "cuda:0"]]]},
  {"name": "aten::mm", "id": 4, "rf_id": 3, "parent": 1, "tid": 1, "inputs": [NaN, -Infinity]},
  {"name": "record_param_comms", "id": 3, "rf_id": 2, "parent": 1, "tid": 1,
   "inputs": [141, 0, 0, "wait", [], []], "outputs": []}
], "finish_ts": 2})";

constexpr const char* newer = R"({"schema": "1.1.0-chakra.0.0.4", "pid": 8, "nodes": [
  {"id": 436, "name": "record_param_comms", "ctrl_deps": 435,
   "inputs": {"values": [[1, 2, 0, 6, 8, "cuda:1"], 33, ["5", "tp"], 1, "all_to_allv", [2, 4], [1, 5], 4, 2, 2],
              "shapes": [], "types": []},
   "outputs": {"values": [[1, 2, 0, 6, 8, "cuda:1"]], "shapes": [], "types": []},
   "attrs": [{"name": "rf_id", "type": "uint64", "value": 115}, {"name": "tid", "type": "uint64", "value": 1},
             {"name": "in_msg_nelems", "type": "uint64", "value": 6}]}]})";

// Records come in the order in which they began, not in that of the file, where callees stand
// before their callers.
TEST(ExecutionTraces, OfTheOlderSchema) {
    const test::TemporaryFolder folder;
    const ExecutionTrace trace = read_execution_trace(folder.write("et_0.json", older));
    EXPECT_EQ(trace.schema, "1.0.1");
    EXPECT_EQ(trace.pid, 7);
    EXPECT_EQ(trace.nodes, 3U);
    EXPECT_EQ(trace.threads, 2U);
    ASSERT_EQ(trace.communications.size(), 2U);
    EXPECT_EQ(trace.communications[0].collective, "wait");
    const RecordedCommunication& sum = trace.communications[1];
    EXPECT_EQ(sum.collective, "allreduce");
    EXPECT_EQ(sum.record_function_id, 9U);
    EXPECT_EQ(sum.thread, 2U);
    EXPECT_EQ(sum.in_elements, 8) << "of both tensors";
    EXPECT_EQ(sum.out_elements, 8);
    EXPECT_EQ(sum.element_bytes, 4);
    EXPECT_EQ(sum.sequence, 147);
    EXPECT_EQ(sum.peer, 3);
    EXPECT_THAT(sum.in_split, IsEmpty());
    EXPECT_EQ(sum.group_size, -1);
}

// Group 5 is of two ranks from 4 on, every second.
TEST(ExecutionTraces, OfTheNewerSchema) {
    const test::TemporaryFolder folder;
    const fs::path file = folder.write("et_0.json", newer);
    EXPECT_TRUE(is_execution_trace(file));
    const ExecutionTrace trace = read_execution_trace(file);
    ASSERT_EQ(trace.communications.size(), 1U);
    const RecordedCommunication& one = trace.communications[0];
    EXPECT_EQ(one.record_function_id, 115U);
    EXPECT_EQ(one.collective, "all_to_allv");
    EXPECT_THAT(one.in_split, ElementsAre(2, 4));
    EXPECT_THAT(one.out_split, ElementsAre(1, 5));
    EXPECT_EQ(one.group_name, "5");
    EXPECT_EQ(one.group_description, "tp");
    EXPECT_EQ(one.group_size, 2);
    EXPECT_EQ(one.first_rank, 4);
    EXPECT_EQ(one.rank_stride, 2);
    EXPECT_EQ(one.element_bytes, 8);
}

TEST(ExecutionTraces, WhatIsNoneIsRefusedWithItsPlace) {
    const test::TemporaryFolder folder;
    const auto error = [&](const std::string& text) {
        return test::message_of<InputError>(
            [&] { return read_execution_trace(folder.write("et.json", text)); });
    };
    const std::string whole = older;
    for (std::size_t size = 0; size + 1 < whole.size(); size += 7) {
        EXPECT_THAT(error(whole.substr(0, size)), HasSubstr("byte ")) << size;
    }
    EXPECT_THAT(error("[]"), HasSubstr("expected an object"));
    EXPECT_THAT(error(R"({"schema": "1"})"), HasSubstr("without \"nodes\""));
    EXPECT_EQ(error(R"({"nodes": []})"), "no error");
    EXPECT_FALSE(
        is_execution_trace(folder.write("k.json", R"({"schemaVersion": 1, "traceEvents": []})")));
}

// Counts, sizes and ids are whole numbers; an invalid one must not be treated as missing.
TEST(ExecutionTraces, NumbersThatAreNoneAreRefused) {
    const test::TemporaryFolder folder;
    for (const char* value : {"1e308", "9223372036854775808", "6.5", "NaN"}) {
        for (const char* number : {"6, 8,", "33,", "115}", "6}"}) {
            std::string text = newer;
            const std::string old_text = number;
            text.replace(text.find(old_text), old_text.find_first_of(",}"), value);
            EXPECT_THAT(test::message_of<InputError>(
                            [&] { (void)read_execution_trace(folder.write("et_0.json", text)); }),
                        HasSubstr("whole numbers below 2^63"))
                << text;
        }
    }
}

// Nodes, threads and records of the public files, as an independent reader counted them.
TEST(ExecutionTraces, OfPublicRepositories) {
    const fs::path data = fs::path(NPUNET_SHARED_DIR) / "data/pytorch";
    NPUNET_SKIP_WITHOUT_SHARED_DATA();
    std::ifstream stream(data / "expected.json");
    const nlohmann::json expected = nlohmann::json::parse(stream);
    const test::TemporaryFolder folder;
    std::size_t checked = 0;
    const auto check = [&](const fs::path& file, const std::string& name) {
        for (const auto& [key, record] : expected.items()) {
            if (record.value("kind", "") != "pytorch_et" || !key.ends_with(name)) {
                continue;
            }
            const ExecutionTrace trace = read_execution_trace(file);
            EXPECT_TRUE(is_execution_trace(file)) << name;
            EXPECT_EQ(trace.schema, record["schema"].get<std::string>()) << name;
            EXPECT_EQ(trace.pid, record["pid"].get<std::int64_t>()) << name;
            EXPECT_EQ(trace.nodes, record["nodes"].get<std::uint64_t>()) << name;
            EXPECT_EQ(trace.threads, record["threads"].get<std::uint64_t>()) << name;
            EXPECT_EQ(trace.communications.size(), record["record_param_comms"].get<std::size_t>())
                << name;
            ++checked;
        }
    };
    for (const fs::directory_entry& entry : fs::directory_iterator(data / "execution_traces")) {
        const std::string name = entry.path().filename().string();
        if (name.ends_with(".tar.gz")) {
            for (const auto& [member, contents] : files_of_tar(entry.path())) {
                if (member.ends_with(".json")) {
                    check(folder.write(fs::path(member).filename().string(), contents), member);
                }
            }
        } else {
            check(entry.path(), name);
        }
    }
    EXPECT_GE(checked, 9U);
}

}  // namespace
}  // namespace npunet::profiles
