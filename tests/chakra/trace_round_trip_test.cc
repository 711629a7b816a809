#include <et_def.pb.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <limits>

#include "chakra/files/trace_reader.h"
#include "chakra/files/trace_writer.h"
#include "test_files.h"

namespace npunet::chakra {
namespace {

class TraceRoundTrip : public ::testing::Test {
protected:
    /// A trace with one node, whatever message a foreign producer made of it.
    Node read_foreign(const ChakraProtoMsg::Node& message) const {
        const auto nodes = read_trace(
            folder_.write("foreign.0.et", frame("") + frame(message.SerializeAsString())));
        EXPECT_EQ(nodes.size(), 1U);
        return nodes.empty() ? Node{} : nodes.front();
    }

    test::TemporaryFolder folder_;
};

Node node_with_everything() {
    Node node;
    node.id = std::numeric_limits<std::uint64_t>::max();
    node.name = "all_reduce \xFF\xC3";  // not UTF-8
    node.type = NodeType::CommCollective;
    node.ctrl_deps = {7, 300};
    node.data_deps = {0, 1, std::uint64_t{1} << 40};
    node.start_time_micros = 12;
    node.duration_micros = 345;
    node.inputs = {"[1, 2]", "[[2]]", "['Tensor(float)']"};
    node.outputs = {"", "[]", ""};
    node.set("nothing", std::monostate{});
    node.set("true", true);
    node.set("false", false);
    node.set("int32", std::numeric_limits<std::int32_t>::min());
    node.set("int64", std::numeric_limits<std::int64_t>::min());
    node.set("uint32", std::numeric_limits<std::uint32_t>::max());
    node.set("uint64", std::numeric_limits<std::uint64_t>::max());
    node.set("float", 0.1F);
    node.set("double", -0.0);
    node.set("text", std::string("a\0b", 3));
    node.set("no_text", std::string());
    node.set("integers", std::vector<std::int64_t>{-1, 0, 1});
    node.set("texts", std::vector<std::string>{"", "x"});
    node.set("bools", std::vector<bool>{true, false, true});
    return node;
}

std::vector<Node> chain(std::uint64_t count) {
    std::vector<Node> nodes(count);
    for (std::uint64_t id = 0; id < count; ++id) {
        nodes[id].id = id;
        nodes[id].name = fmt::format("COMP_NODE_{}", id);
        nodes[id].type = NodeType::Compute;
        nodes[id].duration_micros = id % 7;
        if (id > 0) {
            nodes[id].data_deps = {id - 1};
        }
    }
    return nodes;
}

// read(write(x)) = x for every member a node has.
TEST_F(TraceRoundTrip, KeepsEveryMember) {
    const std::vector<Node> nodes{node_with_everything(), Node{}, chain(2).back()};
    write_trace(folder_ / "t.0.et", nodes);
    EXPECT_EQ(read_trace(folder_ / "t.0.et"), nodes);
}

// A reused node must not keep anything of the node before.
TEST_F(TraceRoundTrip, ReusedNodeForgetsItsPast) {
    write_trace(folder_ / "t.0.et", {node_with_everything(), Node{}});
    TraceReader reader(folder_ / "t.0.et");
    Node node;
    ASSERT_TRUE(reader.next(node));
    ASSERT_TRUE(reader.next(node));
    EXPECT_EQ(node, Node{});
    EXPECT_FALSE(reader.next(node));
    EXPECT_FALSE(reader.next(node));
}

TEST_F(TraceRoundTrip, KeepsTheMetadata) {
    TraceMetadata metadata;
    metadata.attributes = {{"schema", std::string("1.0.2-chakra.0.0.4")},
                           {"pid", std::uint64_t{42}}};
    write_trace(folder_ / "t.0.et", {}, metadata);
    const TraceReader reader(folder_ / "t.0.et");
    EXPECT_TRUE(reader.has_metadata());
    EXPECT_EQ(reader.metadata().version, "0.0.4");
    EXPECT_EQ(reader.metadata().attributes, metadata.attributes);
}

// The bytes themselves, by hand: 0.0.4 as field 1 of the metadata; id 1, name, type 4, packed
// dependencies on 0 and 300 (0xAC 0x02), duration 5.
TEST_F(TraceRoundTrip, WritesTheWireFormat) {
    Node node;
    node.id = 1;
    node.name = "c";
    node.type = NodeType::Compute;
    node.data_deps = {0, 300};
    node.duration_micros = 5;
    write_trace(folder_ / "t.0.et", {node});
    const std::string expected = std::string("\x07\x0A\x05") + "0.0.4" +
                                 std::string(
                                     "\x0E\x08\x01\x12\x01"
                                     "c\x18\x04\x2A\x03\x00\xAC\x02\x38\x05",
                                     15);
    EXPECT_EQ(bytes_of(folder_ / "t.0.et"), expected);
}

TEST_F(TraceRoundTrip, SameNodesGiveTheSameBytes) {
    std::vector<Node> nodes = chain(1000);
    nodes.push_back(node_with_everything());
    write_trace(folder_ / "a.0.et", nodes);
    write_trace(folder_ / "b.0.et", nodes);
    EXPECT_EQ(bytes_of(folder_ / "a.0.et"), bytes_of(folder_ / "b.0.et"));
}

TEST_F(TraceRoundTrip, NothingIsLeftWithoutCommit) {
    {
        TraceWriter writer(folder_ / "t.0.et");
        writer.write(Node{});
    }
    EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

TEST_F(TraceRoundTrip, RefusesANodeThatCannotBeReadBack) {
    TraceWriter writer(folder_ / "t.0.et");
    Node node;
    node.id = 9;
    node.inputs.values.assign(std::size_t{1} << 26, 'x');
    EXPECT_EQ(problem_of([&] { writer.write(node); }).place, "node 9 ''");
}

// More than any buffer holds, so that frames straddle its end.
TEST_F(TraceRoundTrip, LongTracesAndLongFrames) {
    std::vector<Node> nodes = chain(60'000);
    nodes[500].inputs.values.assign(5'000'000, 'v');
    nodes[40'000].data_deps.assign(700'000, 123);
    write_trace(folder_ / "t.0.et", nodes);
    EXPECT_EQ(read_trace(folder_ / "t.0.et"), nodes);
}

TEST_F(TraceRoundTrip, ReadsGzipWhateverTheName) {
    const std::vector<Node> nodes = chain(60'000);
    write_trace(folder_ / "plain.0.et", nodes);
    const std::string bytes = bytes_of(folder_ / "plain.0.et");
    const auto path = folder_ / "packed.0.et";
    gzFile file = gzopen(path.c_str(), "wb");
    gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size()));
    gzclose(file);
    ASSERT_LT(std::filesystem::file_size(path), bytes.size());
    EXPECT_EQ(read_trace(path), nodes);
}

// Each encoding of the number 5 is the integer 5.
TEST_F(TraceRoundTrip, EveryIntegerMemberOfTheSchemaReadsAsInteger) {
    ChakraProtoMsg::Node message;
    int count = 0;
    const auto add = [&]() -> ChakraProtoMsg::AttributeProto& {
        auto& attribute = *message.add_attr();
        attribute.set_name(fmt::format("a{}", count++));
        return attribute;
    };
    add().set_int32_val(5);
    add().set_int64_val(5);
    add().set_uint32_val(5);
    add().set_uint64_val(5);
    add().set_sint32_val(5);
    add().set_sint64_val(5);
    add().set_fixed32_val(5);
    add().set_fixed64_val(5);
    add().set_sfixed32_val(5);
    add().set_sfixed64_val(5);
    const Node node = read_foreign(message);
    for (int i = 0; i < count; ++i) {
        EXPECT_EQ(node.integer(fmt::format("a{}", i)), 5) << i;
    }
    message.clear_attr();
    count = 0;
    add().set_sint32_val(-5);
    add().set_sfixed64_val(-5);
    add().set_bool_val(true);
    add().set_bytes_val("five");
    const Node negative = read_foreign(message);
    EXPECT_EQ(negative.integer("a0"), -5);
    EXPECT_EQ(negative.integer("a1"), -5);
    EXPECT_EQ(negative.integer("a2"), 1);
    EXPECT_EQ(negative.text("a3"), "five");
}

TEST_F(TraceRoundTrip, IntegerListsReadAsIntegers) {
    ChakraProtoMsg::Node message;
    const auto add = [&](const char* name) -> ChakraProtoMsg::AttributeProto& {
        auto& attribute = *message.add_attr();
        attribute.set_name(name);
        return attribute;
    };
    add("int32").mutable_int32_list()->add_values(-2);
    add("uint32").mutable_uint32_list()->add_values(2);
    add("sint32").mutable_sint32_list()->add_values(-2);
    add("sint64").mutable_sint64_list()->add_values(-2);
    add("fixed32").mutable_fixed32_list()->add_values(2);
    add("sfixed32").mutable_sfixed32_list()->add_values(-2);
    add("sfixed64").mutable_sfixed64_list()->add_values(-2);
    const Node node = read_foreign(message);
    for (const Attribute& attribute : node.attributes) {
        const std::int64_t sign =
            attribute.name.find('u') == 0 || attribute.name == "fixed32" ? 1 : -1;
        EXPECT_EQ(attribute.value, AttributeValue(std::vector<std::int64_t>{2 * sign}))
            << attribute.name;
    }
}

// A list the simulator has no use for neither breaks reading nor is lost by a copy.
TEST_F(TraceRoundTrip, UnmodelledValuesSurviveACopy) {
    ChakraProtoMsg::Node message;
    message.set_id(3);
    auto* doubles = message.add_attr();
    doubles->set_name("doubles");
    doubles->mutable_double_list()->add_values(0.25);
    auto* large = message.add_attr();
    large->set_name("large");
    large->mutable_uint64_list()->add_values(std::numeric_limits<std::uint64_t>::max());
    const Node node = read_foreign(message);
    ASSERT_EQ(node.attributes.size(), 2U);
    EXPECT_EQ(node.attributes[0].name, "doubles");
    EXPECT_EQ(node.integer("doubles"), std::nullopt);
    write_trace(folder_ / "copy.0.et", {node});
    const std::string copy = bytes_of(folder_ / "copy.0.et");
    EXPECT_NE(copy.find(frame(message.SerializeAsString())), std::string::npos);
    EXPECT_EQ(read_trace(folder_ / "copy.0.et").front(), node);
}

// proto3 packs repeated numbers, but a reader must take them one by one as well.
TEST_F(TraceRoundTrip, ReadsDependenciesThatAreNotPacked) {
    const std::string message = field(1, 3) + field(3, 4) + field(5, 1) + field(5, 2);
    const auto nodes = read_trace(folder_.write("t.0.et", frame("") + frame(message)));
    ASSERT_EQ(nodes.size(), 1U);
    EXPECT_EQ(nodes[0].data_deps, (std::vector<std::uint64_t>{1, 2}));
}

}  // namespace
}  // namespace npunet::chakra
