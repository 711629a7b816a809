#include "chakra/trace/node.h"

#include <gtest/gtest.h>

#include <limits>

namespace npunet::chakra {
namespace {

// The numbers are the schema's; a name and its number must name the same thing.
TEST(Node, TypesCarryTheNamesOfTheSchema) {
    EXPECT_EQ(name_of(NodeType::Invalid), "INVALID_NODE");
    EXPECT_EQ(name_of(NodeType::Compute), "COMP_NODE");
    EXPECT_EQ(name_of(NodeType::CommCollective), "COMM_COLL_NODE");
    EXPECT_EQ(name_of(static_cast<NodeType>(8)), "UNKNOWN_NODE");
    EXPECT_EQ(name_of(static_cast<NodeType>(-1)), "UNKNOWN_NODE");
    EXPECT_EQ(name_of(CollectiveType::AllReduce), "ALL_REDUCE");
    EXPECT_EQ(name_of(CollectiveType::ReduceScatterBlock), "REDUCE_SCATTER_BLOCK");
    EXPECT_EQ(name_of(CollectiveType::Barrier), "BARRIER");
    EXPECT_EQ(name_of(static_cast<CollectiveType>(10)), "UNKNOWN_COLLECTIVE");
}

TEST(Node, TypesComeFromTheirNumbers) {
    EXPECT_EQ(node_type_from(7), NodeType::CommCollective);
    EXPECT_EQ(node_type_from(8), std::nullopt);
    EXPECT_EQ(node_type_from(-1), std::nullopt);
    EXPECT_EQ(collective_type_from(6), CollectiveType::AllToAll);
    EXPECT_EQ(collective_type_from(10), std::nullopt);
}

// integer() is the identity on every integer member whose value is within int64, and on booleans.
TEST(Node, IntegerReadsEveryIntegerMember) {
    Node node;
    node.set("bool", true);
    node.set("int32", std::int32_t{-5});
    node.set("int64", std::numeric_limits<std::int64_t>::min());
    node.set("uint32", std::numeric_limits<std::uint32_t>::max());
    node.set("uint64", std::uint64_t{1} << 62);
    EXPECT_EQ(node.integer("bool"), 1);
    EXPECT_EQ(node.integer("int32"), -5);
    EXPECT_EQ(node.integer("int64"), std::numeric_limits<std::int64_t>::min());
    EXPECT_EQ(node.integer("uint32"), 4'294'967'295);
    EXPECT_EQ(node.integer("uint64"), std::int64_t{1} << 62);
}

TEST(Node, IntegerIsEmptyForEverythingElse) {
    Node node;
    node.set("nothing", std::monostate{});
    node.set("double", 1.0);
    node.set("text", std::string("1"));
    node.set("list", std::vector<std::int64_t>{1});
    node.set("huge", std::uint64_t{1} << 63);
    for (const char* name : {"absent", "nothing", "double", "text", "list", "huge"}) {
        EXPECT_EQ(node.integer(name), std::nullopt) << name;
    }
}

TEST(Node, TextIsTextOnly) {
    Node node;
    node.set_text("pg_name", "3");
    node.set_integer("comm_size", 3);
    EXPECT_EQ(node.text("pg_name"), "3");
    EXPECT_EQ(node.text("comm_size"), std::nullopt);
    EXPECT_EQ(node.text("absent"), std::nullopt);
}

TEST(Node, SettingTwiceReplaces) {
    Node node;
    node.set_integer("comm_tag", 1);
    node.set_bool("is_cpu_op", false);
    node.set_int32("comm_tag", 2);
    ASSERT_EQ(node.attributes.size(), 2U);
    EXPECT_EQ(node.attributes[0], (Attribute{"comm_tag", std::int32_t{2}}));
    EXPECT_EQ(node.attributes[1], (Attribute{"is_cpu_op", false}));
}

}  // namespace
}  // namespace npunet::chakra
