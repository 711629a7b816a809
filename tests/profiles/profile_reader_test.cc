// Small traces in every dialect, and files that are compressed or are no traces.
#include "profiles/profile_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <string>

#include "base/errors.h"
#include "tests/support/refusals.h"
#include "tests/support/temporary_folder.h"

namespace npunet::profiles {
namespace {

const std::string today = R"json({
"schemaVersion": 1, "displayTimeUnit": "ms", "baseTimeNanoseconds": 1711964646000000000,
"distributedInfo": {"backend": "nccl", "rank": 3, "world_size": 8, "pg_config": [
  {"pg_name": "1", "pg_desc": "TENSOR_MODEL_PARALLEL_GROUP", "pg_size": 2, "ranks": [2, 3]},
  {"pg_name": 2, "pg_desc": "undefined", "pg_size": 2, "ranks": "[3, 7]"}]},
"traceEvents": [
{"ph": "M", "name": "process_name", "pid": 50, "tid": 0, "args": {"name": "python3"}},
{"ph": "M", "name": "thread_name", "pid": 50, "tid": 51, "args": {"name": "thread 51 (python3)"}},
{"ph": "X", "cat": "cpu_op", "name": "c10d::allreduce_", "pid": 50, "tid": 51, "ts": 10.001,
 "dur": 5, "args": {"External id": 9, "Record function id": 4, "Sequence number": 6,
 "Fwd thread id": 0, "Input Dims": [[6144], []], "Input type": ["float", "Scalar"]}},
{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 50, "tid": 51, "ts": 9,
 "dur": 5, "args": {"External id": 8, "Input Dims": [[3, 4], [4, 5]]}},
{"ph": "s", "id": 77, "pid": 50, "tid": 51, "ts": 10.5, "cat": "ac2g", "name": "ac2g"},
{"ph": "f", "id": 77, "pid": 0, "tid": 7, "ts": 12, "cat": "ac2g", "name": "ac2g", "bp": "e"},
{"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce", "pid": 0, "tid": 7, "ts": 12,
 "dur": 3.25, "args": {"device": 1, "stream": 7, "correlation": 77, "External id": 9,
 "Collective name": "allreduce", "In msg nelems": 64, "Out msg nelems": 64, "Group size": 2,
 "dtype": "BFloat16", "In split size": [], "Out split size": "[]", "Process Group Name": "1",
 "Process Group Description": "TENSOR_MODEL_PARALLEL_GROUP", "Process Group Ranks": "[2, 3]",
 "Seq": 5}},
{"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy DtoD", "pid": 0, "tid": 7, "ts": 16, "dur": 1,
 "args": {"device": 1, "stream": 7, "correlation": 78, "bytes": 4096}},
{"ph": "i", "s": "g", "name": "Record Window End", "pid": "", "tid": "", "ts": 20}
]})json";

TEST(ProfileReader, TakesWhatEventsSay) {
    const test::TemporaryFolder folder;
    const EventTable trace = read_profile(folder.write("a.json", today));
    EXPECT_FALSE(trace.damage.any());
    EXPECT_EQ(trace.rank, 3);
    EXPECT_EQ(trace.world_size, 8);
    EXPECT_EQ(trace.base_time_ns, 1711964646000000000);
    ASSERT_EQ(trace.groups.size(), 2U);
    EXPECT_EQ(trace.groups[0].description, "TENSOR_MODEL_PARALLEL_GROUP");
    EXPECT_EQ(trace.groups[1].name, "2");
    EXPECT_EQ(trace.groups[1].ranks, (std::vector<std::int32_t>{3, 7}));
    EXPECT_EQ(trace.events, 9U);
    ASSERT_EQ(trace.size(), 4U);
    EXPECT_EQ(trace.category[2], EventCategory::Kernel);
    EXPECT_EQ(trace.start_ns[0], 10001);
    EXPECT_EQ(trace.duration_ns[2], 3250);
    EXPECT_EQ(trace.correlation[0], absent);
    EXPECT_EQ(trace.correlation[2], 77);
    EXPECT_EQ(trace.external_id[0], 9);
    const Track& stream = trace.track_of(2);
    EXPECT_TRUE(stream.gpu);
    EXPECT_EQ(stream.device, 1);
    EXPECT_EQ(stream.stream, 7);
    EXPECT_EQ(trace.strings[trace.track_of(0).name], "thread 51 (python3)");
    EXPECT_EQ(trace.strings[trace.track_of(0).process_name], "python3");
}

TEST(ProfileReader, TakesArguments) {
    const test::TemporaryFolder folder;
    const EventTable trace = read_profile(folder.write("a.json", today));
    const CollectiveArgs* kernel = trace.collective_of(2);
    ASSERT_NE(kernel, nullptr);
    EXPECT_EQ(trace.strings[kernel->collective], "allreduce");
    EXPECT_EQ(kernel->in_elements, 64);
    EXPECT_EQ(kernel->sequence, 5);
    EXPECT_EQ(trace.strings[kernel->in_split], "[]");
    EXPECT_EQ(trace.strings[kernel->out_split], "[]");
    EXPECT_EQ(element_bytes(trace.strings[kernel->dtype]), 2);
    const CollectiveArgs* operation = trace.collective_of(0);
    ASSERT_NE(operation, nullptr);
    EXPECT_EQ(trace.strings[operation->input_dims], "[[6144], []]");
    EXPECT_EQ(trace.strings[operation->input_types], "[\"float\", \"Scalar\"]");
    EXPECT_EQ(trace.collective_of(1), nullptr);
    ASSERT_EQ(trace.operators.size(), 1U);
    EXPECT_EQ(trace.operators[0].event, 1U);
    EXPECT_EQ(trace.strings[trace.operators[0].input_dims], "[[3, 4], [4, 5]]");
    EXPECT_EQ(trace.operators[0].input_types, 0U);
    ASSERT_EQ(trace.cpu_ops.size(), 1U);
    EXPECT_EQ(trace.cpu_ops[0].record_function_id, 4);
    EXPECT_EQ(trace.cpu_ops[0].sequence, 6);
    ASSERT_EQ(trace.copies.size(), 1U);
    EXPECT_EQ(trace.copies[0].event, 3U);
    EXPECT_EQ(trace.copies[0].bytes, 4096);
    ASSERT_EQ(trace.flows.size(), 2U);
    EXPECT_TRUE(trace.flows[0].begins);
    EXPECT_EQ(trace.flows[0].track, trace.track[0]);
    EXPECT_EQ(trace.flows[1].track, trace.track[2]);
    EXPECT_EQ(trace.flows[1].start_ns, 12000);
}

TEST(ProfileReader, KnowsTheDialectOf2021) {
    const test::TemporaryFolder folder;
    const EventTable trace = read_profile(folder.write("worker0.1623143089861.pt.trace.json", R"(
{"schemaVersion": 1, "traceEvents": [
{"ph": "X", "cat": "Runtime", "name": "cudaLaunchKernel", "pid": 25738, "tid": "25738",
 "ts": 1623142623529088, "dur": 20, "args": {"correlation": 5, "external id": 4}},
{"ph": "s", "id": 5, "pid": 25738, "tid": 25738, "ts": 1623142623529088, "cat": "async",
 "name": "launch"},
{"ph": "X", "cat": "Kernel", "name": "gemm", "pid": 0, "tid": "stream 7", "ts": 1623142623531625,
 "dur": 2, "args": {"device": 0, "stream": 7, "correlation": 5, "external id": 4}}]})"));
    EXPECT_EQ(trace.rank, 0);
    ASSERT_EQ(trace.size(), 2U);
    EXPECT_EQ(trace.category[0], EventCategory::Runtime);
    EXPECT_EQ(trace.category[1], EventCategory::Kernel);
    EXPECT_EQ(trace.external_id[1], 4);
    EXPECT_EQ(trace.start_ns[1], 1623142623531625000);
    // A thread is the same whether its number is text or not.
    EXPECT_EQ(trace.flows[0].track, trace.track[0]);
    EXPECT_EQ(trace.track_of(1).stream, 7);
}

TEST(ProfileReader, ReadsAListOfEventsAlone) {
    const test::TemporaryFolder folder;
    const EventTable trace = read_profile(folder.write(
        "rank1.json", R"([{"ph": "X", "name": "a", "pid": 1, "tid": 1, "ts": 1, "dur": 2}])"));
    EXPECT_EQ(trace.size(), 1U);
    EXPECT_EQ(trace.rank, 1);
}

// Events do not end where the window of text does: a trace of many windows is the same as its
// parts.
TEST(ProfileReader, ReadsBeyondItsWindow) {
    std::string text = "{\"traceEvents\": [\n";
    const int events = 30'000;
    for (int i = 0; i < events; ++i) {
        text += (i > 0 ? ",\n" : "") +
                std::string("{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"k") +
                std::to_string(i % 100) +
                "\", \"pid\": 0, \"tid\": 7, \"ts\": " + std::to_string(i) +
                ", \"dur\": 1, \"args\": {\"correlation\": " + std::to_string(i) + "}}";
    }
    const test::TemporaryFolder folder;
    const EventTable trace = read_profile(folder.write("rank0.json", text + "\n]}"));
    EXPECT_FALSE(trace.damage.any());
    ASSERT_EQ(trace.size(), static_cast<std::size_t>(events));
    for (EventId event = 0; event < trace.size(); ++event) {
        ASSERT_EQ(trace.start_ns[event], std::int64_t{event} * 1000);
        ASSERT_EQ(trace.correlation[event], event);
        ASSERT_EQ(trace.name_of(event), "k" + std::to_string(event % 100));
    }
    EXPECT_EQ(trace.bytes, text.size() + 3);
}

TEST(ProfileReader, ReadsCompressedFiles) {
    const test::TemporaryFolder folder;
    const auto path = folder.path() / "rank_3.json.gz";
    gzFile file = gzopen(path.c_str(), "wb");
    gzwrite(file, today.data(), static_cast<unsigned>(today.size()));
    gzclose(file);
    EXPECT_EQ(read_profile(path).size(), 4U);
    // A frame of zstd (RFC 8878) that holds its bytes as they are: magic, a header that says one
    // segment and a content of so many bytes (2 of them, less 256), one last raw block.
    std::string zstd("\x28\xB5\x2F\xFD\x60", 5);
    const auto little_endian = [&](std::size_t value, int bytes) {
        for (int i = 0; i < bytes; ++i) {
            zstd += static_cast<char>(value >> (8 * i) & 0xFFU);
        }
    };
    little_endian(today.size() - 256, 2);
    little_endian(today.size() << 3 | 1, 3);
    const EventTable trace = read_profile(folder.write("rank_3.json.zst", zstd + today));
    EXPECT_EQ(trace.size(), 4U);
    EXPECT_FALSE(trace.damage.any());
}

TEST(ProfileReader, RefusesWhatIsNoTrace) {
    const test::TemporaryFolder folder;
    const auto message = [&](const std::string& contents) {
        return test::message_of<InputError>(
            [&] { return read_profile(folder.write("x.json", contents)); });
    };
    EXPECT_THAT(message(""), testing::HasSubstr("an empty file"));
    EXPECT_THAT(message("rank,time"), testing::HasSubstr("begins with 'r'"));
    EXPECT_THAT(message("{\"a\": 1}"), testing::HasSubstr("traceEvents"));
    EXPECT_THAT(message("{\"schema\": \"1.0.1\", \"nodes\": []}"),
                testing::HasSubstr("execution trace"));
    EXPECT_THROW((void)read_profile(folder.path() / "none.json"), InputError);
    EXPECT_THROW((void)read_profile(folder.path()), InputError);
}

TEST(ProfileReader, FindsRanksInNames) {
    EXPECT_EQ(rank_in_name("rank_0003_iter_15.pt.trace.json"), 3);
    EXPECT_EQ(rank_in_name("rank4.1767595720694.pt.trace.json"), 4);
    EXPECT_EQ(rank_in_name("rank-4.json.gz"), 4);
    EXPECT_EQ(rank_in_name("worker7_step_12.1694128201553.pt.trace.json"), 7);
    EXPECT_EQ(rank_in_name("node3_812.1767.pt.trace.json"), std::nullopt);
    EXPECT_EQ(rank_in_name("ranking.json"), std::nullopt);
}

}  // namespace
}  // namespace npunet::profiles
