// Reading a trace of schema 0.0.4 and writing it gives the same bytes, whatever the messages hold;
// compressed files hold the same as others.

#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>

#include "chakra/files/trace_reader.h"
#include "chakra/files/trace_writer.h"
#include "random_messages.h"
#include "test_files.h"

namespace npunet::chakra::faithful_copy_test {
namespace {

class FaithfulCopy : public ::testing::Test {
protected:
    [[nodiscard]] std::filesystem::path copy(const std::filesystem::path& from,
                                             const std::string& name) const {
        TraceReader reader(from);
        TraceWriter writer(folder_ / name, reader.metadata());
        Node node;
        while (reader.next(node)) {
            writer.write(node);
        }
        writer.commit();
        return folder_ / name;
    }
    [[nodiscard]] std::string copied(const std::string& bytes) const {
        return bytes_of(copy(folder_.write("t.0.et", bytes), "copy.0.et"));
    }

    test::TemporaryFolder folder_;
};

const std::string node = frame(field(1, 1) + field(2, "COMP_NODE_x") + field(3, 4));
const std::string metadata = frame(field(1, "0.0.4"));
/// Fields that no message of the schema has.
const std::string later = field(40, 300) + field(41, "x") + varint(42U << 3U | 5U) + "abcd" +
                          varint(43U << 3U | 1U) + "abcdefgh";

TEST_F(FaithfulCopy, MetadataFrames) {
    const std::string attribute = field(1, "schema") + field(29, "1.0.2-chakra.0.0.4");
    for (const std::string& bytes :
         {node, frame("") + node, frame(""), metadata, metadata + node, frame(field(1, "1.0.0")),
          frame(field(2, attribute)) + node, frame(field(1, "x") + field(2, attribute + later)),
          frame(field(1, "0.0.4") + later) + node,
          frame(field(2, attribute) + field(2, field(1, "pid") + field(13, 42))) + node}) {
        EXPECT_TRUE(copied(bytes) == bytes);
    }
    EXPECT_EQ(copied(""), "");
}

TEST_F(FaithfulCopy, PartsOfANode) {
    const std::string name = field(1, "a");
    const std::string doc = field(2, "what it is");
    for (const std::string& message :
         {std::string(),
          field(1, ~0ULL),
          field(8, ""),
          field(9, ""),
          field(8, "") + field(9, ""),
          field(8, field(2, "[[4]]")),
          field(8, later),
          field(9, field(1, "v") + later),
          later,
          field(4, "\x01\x02") + field(5, "\x03\x01"),
          field(6, 5) + field(7, ~0ULL),
          field(10, ""),
          field(10, name),
          field(10, doc),
          field(10, name + doc),
          field(10, name + doc + field(9, 5) + later),
          field(10, name + later),
          field(10, name + field(29, "")),
          field(10, name + field(27, 0)),
          field(10, name + field(9, 0)) + field(10, name + field(9, 1))}) {
        const std::string bytes = plain_beginning() + frame(message) + node;
        EXPECT_TRUE(copied(bytes) == bytes) << ::testing::PrintToString(message);
    }
}

// Each list with nothing in it, with values, and with fields of a later schema.
TEST_F(FaithfulCopy, EveryMember) {
    RandomMessages random(41);
    for (unsigned member = first_value_member; member <= last_value_member; ++member) {
        std::string bytes = plain_beginning();
        for (int round = 0; round < 30; ++round) {
            ChakraProtoMsg::Node message;
            message.add_attr()->set_name("a");
            random.fill(static_cast<ValueMember>(member), *message.mutable_attr(0));
            bytes += frame(message.SerializeAsString());
        }
        if (member % 2 == 0) {
            bytes += frame(field(10, field(1, "empty") + field(member, "")));
            bytes += frame(field(10, field(1, "later") + field(member, later)));
        }
        EXPECT_TRUE(copied(bytes) == bytes) << member;
    }
}

TEST_F(FaithfulCopy, RandomTraces) {
    RandomMessages random(42);
    for (int round = 0; round < 50; ++round) {
        std::string bytes = plain_beginning();
        for (int nodes = 0; nodes < 100; ++nodes) {
            bytes += frame(random.node().SerializeAsString());
        }
        ASSERT_TRUE(copied(bytes) == bytes) << round;
    }
}

// What Protobuf would write of what Protobuf takes.
TEST_F(FaithfulCopy, BecomesCanonical) {
    RandomMessages random(43);
    std::string odd = plain_beginning();
    std::string canonical = plain_beginning();
    for (int count = 0; count < 2000;) {
        const std::string bytes = random.odd_node();
        ChakraProtoMsg::Node message;
        if (message.ParseFromString(bytes) && ChakraProtoMsg::NodeType_IsValid(message.type())) {
            odd += frame(bytes);
            canonical += frame(message.SerializeAsString());
            ++count;
        }
    }
    EXPECT_TRUE(copied(odd) == canonical);
}

std::string unpacked(const std::filesystem::path& path) {
    std::string bytes(std::size_t{16} << 20U, ' ');
    gzFile file = gzopen(path.c_str(), "rb");
    const int got = gzread(file, bytes.data(), static_cast<unsigned>(bytes.size()));
    gzclose(file);
    bytes.resize(static_cast<std::size_t>(std::max(got, 0)));
    return bytes;
}

// Sizes from nothing to beyond zlib's buffers.
TEST_F(FaithfulCopy, NamesThatEndInGzCompress) {
    RandomMessages random(44);
    for (const int count : {0, 1, 500, 20'000}) {
        std::string bytes = count == 0 ? metadata : plain_beginning();
        for (int nodes = 1; nodes < count; ++nodes) {
            bytes += frame(random.node().SerializeAsString());
        }
        const auto plain = folder_.write("plain.0.et", bytes);
        const auto packed = copy(plain, "packed.0.et.gz");
        const auto again = copy(packed, "again.0.et.gz");
        EXPECT_EQ(bytes_of(packed).substr(0, 2), "\x1F\x8B");
        EXPECT_TRUE(bytes_of(again) == bytes_of(packed));
        EXPECT_TRUE(unpacked(packed) == bytes);
        EXPECT_TRUE(TraceReader(packed).format().gzip);
        EXPECT_FALSE(TraceReader(plain).format().gzip);
        EXPECT_TRUE(bytes_of(copy(packed, "plain_again.0.et")) == bytes);
    }
}

TEST_F(FaithfulCopy, EveryFormMayBeCompressed) {
    std::vector<Node> nodes(100);
    for (std::uint64_t id = 0; id < nodes.size(); ++id) {
        nodes[id].id = id;
        nodes[id].name = "COMP_NODE";
        nodes[id].type = NodeType::Compute;
        nodes[id].duration_micros = 5;
    }
    for (const WrittenForm form : {WrittenForm::V0_0_4, WrittenForm::V0_0_1, WrittenForm::Json}) {
        TraceMetadata none;
        none.present = false;
        write_trace(folder_ / "t.0", nodes, none, form);
        write_trace(folder_ / "t.0.gz", nodes, none, form);
        EXPECT_TRUE(unpacked(folder_ / "t.0.gz") == bytes_of(folder_ / "t.0"));
        EXPECT_EQ(read_trace(folder_ / "t.0.gz"), nodes);
        EXPECT_LT(std::filesystem::file_size(folder_ / "t.0.gz"),
                  std::filesystem::file_size(folder_ / "t.0"));
    }
}

}  // namespace
}  // namespace npunet::chakra::faithful_copy_test
