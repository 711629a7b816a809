#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include "chakra/files/frame_input.h"
#include "chakra/files/trace_reader.h"
#include "chakra/inspection/trace_summary.h"
#include "test_files.h"

namespace npunet::chakra::malformed_trace_test {
namespace {

using ::testing::HasSubstr;

class MalformedTrace : public ::testing::Test {
protected:
    InputProblem problem(std::string_view bytes) const {
        const auto path = folder_.write("t.0.et", bytes);
        const InputProblem found = problem_of([&] { (void)read_trace(path); });
        EXPECT_EQ(found.file, path.string());
        EXPECT_FALSE(found.found.empty());
        EXPECT_FALSE(found.expected.empty());
        EXPECT_FALSE(found.remedy.empty());
        return found;
    }

    test::TemporaryFolder folder_;
};

const std::string metadata = frame(field(1, "0.0.4"));                           // 8 bytes
const std::string compute = frame(field(1, 1) + field(2, "mul") + field(3, 4));  // 10 bytes
const std::string attribute = field(1, "comm_size") + field(9, 1024);

TEST_F(MalformedTrace, MissingFile) {
    const auto found = problem_of([&] { (void)read_trace(folder_ / "none.0.et"); });
    EXPECT_EQ(found.found, "no such file");
}

TEST_F(MalformedTrace, Folder) {
    EXPECT_EQ(problem_of([&] { (void)read_trace(folder_.path()); }).found, "a folder");
    // It has no end, and every byte of it is a frame without content.
    EXPECT_EQ(problem_of([&] { (void)read_trace("/dev/zero"); }).found, "a device or socket");
}

// Not malformed: what a rank without work may look like.
TEST_F(MalformedTrace, EmptyFilesAndEmptyFramesAreFine) {
    EXPECT_TRUE(read_trace(folder_.write("empty.0.et", "")).empty());
    EXPECT_TRUE(read_trace(folder_.write("metadata.0.et", frame(""))).empty());
    const auto nodes = read_trace(folder_.write("default.0.et", metadata + frame("") + compute));
    ASSERT_EQ(nodes.size(), 2U);
    EXPECT_EQ(nodes[0], Node{});
}

// Zeros after a trace are empty frames of one byte each. A megabyte of them takes a kilobyte as
// gzip, and readers must not store anything for them.
TEST_F(MalformedTrace, FramesWithoutContentAreFew) {
    const std::string zeros(std::size_t{1} << 20, '\0');
    const auto file = folder_ / "zeros.0.et.gz";
    const gzFile packed = gzopen(file.c_str(), "wb");
    for (const std::string& part : {metadata, compute, zeros}) {
        ASSERT_EQ(gzwrite(packed, part.data(), static_cast<unsigned>(part.size())),
                  static_cast<int>(part.size()));
    }
    ASSERT_EQ(gzclose(packed), Z_OK);
    const std::string found = std::to_string(most_empty_frames + 1) + " frames without content";
    EXPECT_EQ(problem(metadata + compute + zeros).found, found);
    const InputProblem of_gzip = problem_of([&] { (void)read_trace(file); });
    EXPECT_EQ(of_gzip.found, found);
    EXPECT_EQ(of_gzip.place, "frame " + std::to_string(2 + most_empty_frames) + " at byte " +
                                 std::to_string(18 + most_empty_frames) +
                                 " of the decompressed data");
    // The summary stops there, too.
    const TraceSummary summary = summarize_trace(file);
    EXPECT_EQ(summary.nodes, 1 + most_empty_frames);
    ASSERT_TRUE(summary.problem.has_value());
    EXPECT_EQ(summary.problem->found, found);
}

TEST_F(MalformedTrace, BlanksOfJsonAreBounded) {
    const std::string begin = "{\"metadata\": {\"version\": \"0.0.4\", \"attributes\": []},";
    const std::string end = "\"workload_graph\": []}";
    const std::string most(std::size_t{1} << 20, ' ');
    EXPECT_TRUE(read_trace(folder_.write("few.0.json", begin + most + end)).empty());
    const auto many = folder_.write("many.0.json", begin + most + ' ' + end);
    EXPECT_EQ(problem_of([&] { (void)read_trace(many); }).found,
              "more than 1048576 blanks in a row");
}

TEST_F(MalformedTrace, MetadataMayBeMissing) {
    const auto path = folder_.write("t.0.et", compute + compute);
    TraceReader reader(path);
    EXPECT_FALSE(reader.has_metadata());
    EXPECT_EQ(reader.metadata().version, "");
    EXPECT_EQ(read_trace(path).size(), 2U);
    // Id 0 is not on the wire: the node begins with its name, in the place of an attribute.
    const std::string root = frame(field(2, "COMP_NODE") + field(3, 4));
    EXPECT_EQ(read_trace(folder_.write("root.0.et", root + compute)).size(), 2U);
    // Even a name that is an attribute, byte for byte, does not make metadata of a node.
    const std::string odd = frame(field(2, attribute) + field(3, 4));
    EXPECT_EQ(read_trace(folder_.write("odd.0.et", odd + compute)).size(), 2U);
}

TEST_F(MalformedTrace, MetadataWithAttributesOnly) {
    const TraceReader reader(folder_.write("t.0.et", frame(field(2, attribute)) + compute));
    EXPECT_TRUE(reader.has_metadata());
    EXPECT_EQ(reader.metadata().attributes,
              (std::vector<Attribute>{{"comm_size", std::int64_t{1024}}}));
}

TEST_F(MalformedTrace, TruncatedLastFrame) {
    const std::string whole = metadata + compute + compute;
    for (std::size_t missing = 1; missing < compute.size() - 1; ++missing) {
        const auto found = problem(std::string_view(whole).substr(0, whole.size() - missing));
        EXPECT_EQ(found.place, "frame 2 at byte 18");
        EXPECT_EQ(found.found,
                  "a frame of 9 bytes, of which " + std::to_string(9 - missing) + " are there");
        EXPECT_THAT(found.remedy, HasSubstr("truncated"));
    }
}

TEST_F(MalformedTrace, TruncatedLength) {
    const auto found = problem(metadata + "\x80");
    EXPECT_EQ(found.place, "frame 1 at byte 8");
    EXPECT_EQ(found.found, "the end of the file within a frame's length");
}

// A length within the limit but beyond the end must not be believed: it costs no memory.
TEST_F(MalformedTrace, LengthBeyondTheEnd) {
    const auto found = problem(metadata + varint(max_frame_bytes) + "abc");
    EXPECT_EQ(found.found, "a frame of 67108864 bytes, of which 3 are there");
}

TEST_F(MalformedTrace, HostileLengths) {
    EXPECT_EQ(problem(metadata + varint(0xFFFFFFFF)).found, "a frame of 4294967295 bytes");
    EXPECT_EQ(problem(metadata + varint(0x7FFFFFFFF)).found, "a frame of 34359738367 bytes");
    EXPECT_EQ(problem(metadata + std::string(10, '\xFF')).found, "a length of more than 5 bytes");
}

TEST_F(MalformedTrace, NodeThatIsNone) {
    const auto found = problem(metadata + compute + frame("\x0A\xFFxyz"));
    EXPECT_EQ(found.place, "frame 2 at byte 18");
    EXPECT_EQ(found.found, "the bytes are no fields");
}

TEST_F(MalformedTrace, TextIsNoTrace) {
    problem("this is not a trace at all, but a file of text that goes on for a while");
}

TEST_F(MalformedTrace, UnknownNodeType) {
    EXPECT_EQ(problem(metadata + frame(field(1, 3) + field(3, 8))).found, "node 3 of type 8");
}

TEST_F(MalformedTrace, FieldsOfAFutureSchemaAreIgnored) {
    const std::string future = frame(field(1, 3) + field(3, 4) + field(21, 1) + field(40, "x"));
    EXPECT_EQ(read_trace(folder_.write("t.0.et", metadata + future)).size(), 1U);
}

// Each alone would be of an older schema; together they are of none.
TEST_F(MalformedTrace, MixedSchemas) {
    const std::string v1 = field(1, 1) + field(2, "COMP_NODE_fwd") + field(3, 3) + field(12, 7);
    const std::string v3 = field(1, 1) + field(2, "add") + field(3, 4) + field(6, "[[2, 2]]");
    EXPECT_EQ(problem(metadata + frame(v1)).place, "frame 1 at byte 8");
    EXPECT_EQ(problem(frame(v1) + frame(v3)).place, "frame 1 at byte 22");
}

// The first frame decides what a file is, however long it is.
TEST_F(MalformedTrace, LongFirstFrame) {
    const std::string text(600'000, 'x');
    const std::string old = field(1, 1) + field(2, "COMP_NODE" + text) + field(3, 3) + field(7, 5);
    const auto nodes = read_trace(folder_.write(
        "old.0.et",
        frame(old) + frame(field(1, 2) + field(2, "COMP_NODE") + field(3, 3) + field(7, 2))));
    ASSERT_EQ(nodes.size(), 2U);
    EXPECT_EQ(nodes[0].type, NodeType::Compute);
    const TraceReader reader(folder_.write("new.0.et", frame(field(1, text)) + compute));
    EXPECT_EQ(reader.metadata().version, text);
}

TEST_F(MalformedTrace, DamagedGzip) {
    const std::string bytes = [&] {
        std::string whole = metadata;
        for (int i = 0; i < 1000; ++i) {
            whole += frame(field(1, static_cast<unsigned>(i * i)) + field(3, 4));
        }
        return whole;
    }();
    const auto path = folder_ / "packed.0.et";
    gzFile file = gzopen(path.c_str(), "wb");
    gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size()));
    gzclose(file);
    const std::string packed = bytes_of(path);
    EXPECT_THAT(problem(packed.substr(0, packed.size() / 2)).found, HasSubstr("damaged gzip"));
    EXPECT_THAT(problem(packed.substr(0, 2)).file, HasSubstr("t.0.et"));
    std::string flipped = packed;
    flipped[packed.size() / 2] = static_cast<char>(~flipped[packed.size() / 2]);
    problem(flipped);
}

}  // namespace
}  // namespace npunet::chakra::malformed_trace_test
