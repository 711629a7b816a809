#include "chakra/schemas/older_nodes.h"

#include <gtest/gtest.h>

#include "test_files.h"

namespace npunet::chakra::older_nodes_test {
namespace {

std::string error_of(Schema schema, const std::string& frame) {
    Node node;
    std::string error;
    EXPECT_FALSE(decode_older_node(schema, frame, node, error));
    return error;
}

Node node_of(Schema schema, const std::string& frame) {
    Node node;
    node.set_text("left", "over");
    std::string error;
    EXPECT_TRUE(decode_older_node(schema, frame, node, error)) << error;
    return node;
}

std::string start(std::uint64_t type) {
    return field(1, 5) + field(2, "x") + field(3, type);
}

/// An attribute of 0.0.3a: INT.
std::string int_attribute(std::string_view name, std::uint64_t value) {
    return field(11, field(1, name) + field(2, 2) + field(6, value));
}

TEST(OlderNodes, NumbersWithoutMeaningAreNamed) {
    EXPECT_EQ(error_of(Schema::V0_0_1, start(7)), "node 5 of type 7");
    EXPECT_EQ(error_of(Schema::V0_0_2, start(7)), "node 5 of type 7");
    EXPECT_EQ(error_of(Schema::V0_0_3a, start(8)), "node 5 of type 8");
    EXPECT_EQ(error_of(Schema::V0_0_1, start(6) + field(13, 5)), "node 5 with comm_type 5");
    EXPECT_EQ(error_of(Schema::V0_0_3a, start(7) + int_attribute("comm_type", 4)),
              "node 5 with comm_type 4");
    EXPECT_EQ(error_of(Schema::V0_0_3d, start(4) + field(11, field(1, "a") + field(2, 10))),
              "node 5 with attribute 'a' of type 10");
    EXPECT_EQ(error_of(Schema::V0_0_2, start(3) + field(11, field(1, "a"))),
              "node 5 with attribute 'a' without a type");
    EXPECT_EQ(error_of(Schema::V0_0_1, start(4) + field(17, std::uint64_t{1} << 32U)),
              "node 5 with comm_dst 4294967296");
    EXPECT_EQ(error_of(Schema::V0_0_1, "\x0A\xFF"), "2 bytes that are no message");
}

// No collective is what 0 says in 0.0.1, and nothing is said about nodes that are none later on.
TEST(OlderNodes, NumbersThatMeanNothing) {
    EXPECT_EQ(node_of(Schema::V0_0_1, start(3) + field(13, 0)).find("comm_type"), nullptr);
    const Node send = node_of(Schema::V0_0_3a, start(5) + int_attribute("comm_type", 5));
    EXPECT_EQ(send.integer("comm_type"), 5);
}

TEST(OlderNodes, LargeNumbersKeepTheirValue) {
    const Node node = node_of(
        Schema::V0_0_1, start(4) + field(7, ~std::uint64_t{0}) + field(12, ~std::uint64_t{0}) +
                            field(16, 0xFFFFFFFF) + field(18, std::uint64_t{1} << 40U));
    EXPECT_EQ(node.duration_micros, ~std::uint64_t{0});
    EXPECT_EQ(node.attributes, (std::vector<Attribute>{{"comm_size", std::uint64_t{1} << 40U},
                                                       {"num_ops", ~std::uint64_t{0}},
                                                       {"comm_src", std::uint32_t{0xFFFFFFFF}}}));
}

// Dependencies and lists are read packed and unpacked.
TEST(OlderNodes, PackedNumbers) {
    const Node packed = node_of(Schema::V0_0_1, start(3) + field(4, std::string("\x01\x02")));
    const Node unpacked = node_of(Schema::V0_0_1, start(3) + field(4, 1) + field(4, 2));
    EXPECT_EQ(packed, unpacked);
    EXPECT_EQ(packed.data_deps, (std::vector<std::uint64_t>{1, 2}));
}

TEST(OlderNodes, RunTimesBecomeDurations) {
    for (const char* name : {"runtime", "simulated_run_time"}) {
        const Node node =
            node_of(Schema::V0_0_3a, start(4) + int_attribute("before", 1) +
                                         int_attribute(name, 70) + int_attribute("after", 2));
        EXPECT_EQ(node.duration_micros, 70U);
        EXPECT_EQ(node.attributes, (std::vector<Attribute>{{"before", std::int64_t{1}},
                                                           {"after", std::int64_t{2}}}));
    }
    // A negative one is no time.
    const Node negative = node_of(Schema::V0_0_3a, start(4) + int_attribute("runtime", ~0ULL));
    EXPECT_EQ(negative.integer("runtime"), -1);
}

TEST(OlderNodes, AttributesWithoutValueHaveNone) {
    const Node node = node_of(Schema::V0_0_3a, start(4) + field(11, field(1, "a") + field(2, 2)) +
                                                   field(11, field(1, "b") + field(2, 6)));
    EXPECT_EQ(node.attributes, (std::vector<Attribute>{{"a", std::monostate{}},
                                                       {"b", std::vector<std::int64_t>{}}}));
}

class WritingTheOldestSchema : public ::testing::Test {
protected:
    [[nodiscard]] bool write(const Node& node) {
        error_.clear();
        return encode_node_0_0_1(node, frame_, losses_, error_);
    }

    std::string frame_;
    Losses losses_;
    std::string error_;
};

// What has a place comes back, and what has none is counted once for each node.
TEST_F(WritingTheOldestSchema, LossesAreCounted) {
    Node node;
    node.id = 3;
    node.name = "x";
    node.type = NodeType::CommCollective;
    node.data_deps = {1, 2};
    node.duration_micros = 9;
    node.set("comm_size", std::uint64_t{4294967295});
    node.set_text("pg_name", "12");
    node.set_integer("comm_type", static_cast<std::int64_t>(CollectiveType::ReduceScatter));
    const Node kept = [&] {
        Node sorted = node;
        std::swap(sorted.attributes[1], sorted.attributes[2]);
        return sorted;
    }();
    node.ctrl_deps = {1, 2, 3};
    node.start_time_micros = 1;
    node.inputs.values = "[1]";
    node.set_bool("is_cpu_op", false);
    node.attributes.push_back({"is_cpu_op", true});
    node.set_text("tensor_size", "large");
    ASSERT_TRUE(write(node));
    ASSERT_TRUE(write(node));
    EXPECT_EQ(losses_, (Losses{{"control dependencies", 2},
                               {"start times", 2},
                               {"inputs and outputs", 2},
                               {"attribute is_cpu_op", 2},
                               {"attribute tensor_size", 2}}));
    EXPECT_EQ(node_of(Schema::V0_0_1, frame_), kept);
}

TEST_F(WritingTheOldestSchema, TypesAndCollectivesWithoutNumber) {
    Node node;
    node.type = NodeType::Metadata;
    ASSERT_TRUE(write(node));
    EXPECT_EQ(node_of(Schema::V0_0_1, frame_).type, NodeType::Invalid);
    node.type = NodeType::CommCollective;
    node.set_integer("comm_type", static_cast<std::int64_t>(CollectiveType::Broadcast));
    ASSERT_TRUE(write(node));
    EXPECT_EQ(node_of(Schema::V0_0_1, frame_).find("comm_type"), nullptr);
    node.attributes.clear();
    node.set_text("pg_name", "tensor");
    ASSERT_TRUE(write(node));
    EXPECT_EQ(losses_, (Losses{{"METADATA nodes", 1},
                               {"collective types without number in 0.0.1", 1},
                               {"attribute pg_name", 1}}));
}

// All collectives of 0.0.1 and all its node types, there and back.
TEST_F(WritingTheOldestSchema, EveryNumberComesBack) {
    for (const NodeType type :
         {NodeType::Invalid, NodeType::MemoryLoad, NodeType::MemoryStore, NodeType::Compute,
          NodeType::CommSend, NodeType::CommReceive, NodeType::CommCollective}) {
        Node node;
        node.type = type;
        ASSERT_TRUE(write(node));
        EXPECT_EQ(node_of(Schema::V0_0_1, frame_), node);
    }
    for (const CollectiveType type : {CollectiveType::AllReduce, CollectiveType::AllToAll,
                                      CollectiveType::AllGather, CollectiveType::ReduceScatter}) {
        Node node;
        node.type = NodeType::CommCollective;
        node.set_integer("comm_type", static_cast<std::int64_t>(type));
        ASSERT_TRUE(write(node));
        EXPECT_EQ(node_of(Schema::V0_0_1, frame_), node);
    }
    EXPECT_TRUE(losses_.empty());
}

TEST_F(WritingTheOldestSchema, SizesBeyond32BitsCannotBeSaid) {
    Node node;
    node.id = 4;
    node.set_integer("comm_size", std::int64_t{1} << 32U);
    EXPECT_FALSE(write(node));
    EXPECT_EQ(error_, "node 4 with comm_size 4294967296");
    node.set_integer("comm_size", -1);
    EXPECT_FALSE(write(node));
    node.set_text("comm_size", "1");
    EXPECT_FALSE(write(node));
    EXPECT_TRUE(losses_.empty());
}

}  // namespace
}  // namespace npunet::chakra::older_nodes_test
