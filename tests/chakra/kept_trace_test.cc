// A trace is told to be like a kept one exactly when its nodes are those, but for a constant that
// is added to all ids and the values of the named attributes.

#include "chakra/files/kept_trace.h"

#include <functional>

#include "chakra/files/trace_reader.h"
#include "chakra/files/trace_writer.h"
#include "tests/chakra/test_files.h"

namespace npunet::chakra {
namespace {

class KeptTraceTest : public ::testing::Test {
protected:
    /// Ten nodes with every kind of field.
    static std::vector<Node> sample() {
        std::vector<Node> nodes;
        for (std::uint64_t id = 3; id < 13; ++id) {
            Node node;
            node.id = id * id;
            node.name = std::to_string(id);
            node.type = id % 3 == 0 ? NodeType::CommCollective : NodeType::Compute;
            if (id > 4) {
                node.data_deps = {(id - 1) * (id - 1), 9};
                node.ctrl_deps = {(id - 2) * (id - 2)};
            }
            node.duration_micros = id;
            node.set_integer("num_ops", 1000);
            node.set_text("pg_name", "7");
            nodes.push_back(node);
        }
        return nodes;
    }

    /// What is found when the sample is changed.
    [[nodiscard]] std::optional<TraceDifference> difference(
        const std::function<void(std::vector<Node>&)>& change) const {
        write_trace(folder_ / "known.et", sample());
        std::vector<Node> nodes = sample();
        change(nodes);
        write_trace(folder_ / "other.et", nodes);
        return KeptTrace(folder_ / "known.et", sample())
            .difference(folder_ / "other.et", {true, {"pg_name"}});
    }

    test::TemporaryFolder folder_;
};

void shift(std::vector<Node>& nodes, std::uint64_t by) {
    for (Node& node : nodes) {
        node.id += by;
        for (std::uint64_t& id : node.data_deps) {
            id += by;
        }
        for (std::uint64_t& id : node.ctrl_deps) {
            id += by;
        }
    }
}

TEST_F(KeptTraceTest, TheSameTraceDiffersInNothing) {
    const auto found = difference([](auto&) {});
    ASSERT_TRUE(found);
    EXPECT_EQ(found->id_shift, 0U);
    EXPECT_TRUE(found->values.empty());
}

TEST_F(KeptTraceTest, ValuesOfTheNamedAttributesAreFound) {
    const auto found = difference([](std::vector<Node>& nodes) {
        nodes[2].set_text("pg_name", "eleven");
        nodes[9].set_integer("pg_name", 12);
    });
    ASSERT_TRUE(found);
    ASSERT_EQ(found->values.size(), 2U);
    EXPECT_EQ(found->values[0].node, 2U);
    EXPECT_EQ(found->values[0].attribute, (Attribute{"pg_name", std::string("eleven")}));
    EXPECT_EQ(found->values[1].node, 9U);
    EXPECT_EQ(found->values[1].attribute, (Attribute{"pg_name", std::int64_t{12}}));
}

// By little, and so that numbers need more bytes than before; up and down.
TEST_F(KeptTraceTest, IdsMayCountFromElsewhere) {
    for (const std::uint64_t by :
         {std::uint64_t{1}, std::uint64_t{1} << 20, std::uint64_t{1} << 62, ~std::uint64_t{7}}) {
        const auto found = difference([by](std::vector<Node>& nodes) {
            shift(nodes, by);
            nodes[4].set_text("pg_name", "8");
        });
        ASSERT_TRUE(found) << by;
        EXPECT_EQ(found->id_shift, by);
        EXPECT_EQ(found->values.size(), 1U);
    }
}

// Ids that must not move; and an id of 0, which is not written: where neither file has one, that
// node has not moved with the others.
TEST_F(KeptTraceTest, IdsThatMustNotMove) {
    std::vector<Node> moved = sample();
    shift(moved, 4);
    write_trace(folder_ / "known.et", sample());
    write_trace(folder_ / "other.et", moved);
    const KeptTrace kept(folder_ / "known.et", sample());
    EXPECT_TRUE(kept.difference(folder_ / "other.et", {true, {}}));
    EXPECT_TRUE(kept.difference(folder_ / "known.et", {false, {}}));
    EXPECT_FALSE(kept.difference(folder_ / "other.et", {false, {}}));

    std::vector<Node> nodes = sample();
    nodes[7].id = 0;
    write_trace(folder_ / "zero.et", nodes);
    moved[7].id = 0;
    write_trace(folder_ / "other_zero.et", moved);
    const KeptTrace zero(folder_ / "zero.et", nodes);
    EXPECT_TRUE(zero.difference(folder_ / "zero.et", {true, {}}));
    EXPECT_FALSE(zero.difference(folder_ / "other_zero.et", {true, {}}));
}

// 2^64 - 20 added to 9 is no number beyond it, to 144 it is.
TEST_F(KeptTraceTest, IdsThatChangeTheirOrderAreAnotherTrace) {
    EXPECT_FALSE(
        difference([](std::vector<Node>& nodes) { shift(nodes, ~std::uint64_t{0} - 19); }));
}

TEST_F(KeptTraceTest, AnythingElseIsAnotherTrace) {
    using Change = std::function<void(std::vector<Node>&)>;
    for (const Change& change : std::vector<Change>{
             [](auto& nodes) { nodes.pop_back(); },
             [](auto& nodes) { nodes.push_back(nodes.back()); },
             [](auto& nodes) { std::swap(nodes[5], nodes[6]); }, [](auto& nodes) { ++nodes[3].id; },
             [](auto& nodes) { ++nodes[3].data_deps[1]; },
             [](auto& nodes) { ++nodes[3].ctrl_deps[0]; },
             [](auto& nodes) { nodes[3].data_deps.pop_back(); },
             [](auto& nodes) { nodes[3].ctrl_deps.push_back(9); },
             [](auto& nodes) { nodes[3].ctrl_deps.clear(); },
             [](auto& nodes) { nodes[3].name.push_back('s'); },
             [](auto& nodes) { nodes[3].type = NodeType::MemoryLoad; },
             [](auto& nodes) { ++nodes[3].duration_micros; },
             [](auto& nodes) { nodes[3].inputs.values.push_back('x'); },
             [](auto& nodes) { nodes[3].set_integer("num_ops", 1001); },
             [](auto& nodes) { nodes[3].set_integer("tensor_size", 1); },
             [](auto& nodes) { nodes[3].attributes.pop_back(); },
             [](auto& nodes) { nodes[3].attributes[0].name = "pg_name"; },
             [](auto& nodes) { nodes[3].attributes[1].name = "comm_tag"; },
             [](auto& nodes) { std::swap(nodes[3].attributes[0], nodes[3].attributes[1]); }}) {
        EXPECT_FALSE(difference(change));
        EXPECT_FALSE(difference([&change](std::vector<Node>& nodes) {
            change(nodes);
            shift(nodes, 5);
        }));
    }
}

// A file cut off anywhere is told to be truncated or another trace; one with any byte changed is
// the same trace, another one, or damaged: never a crash, and never a value that the file lacks.
TEST_F(KeptTraceTest, DamagedFiles) {
    write_trace(folder_ / "known.et", sample());
    const std::string bytes = bytes_of(folder_ / "known.et");
    const KeptTrace kept(folder_ / "known.et", sample());
    for (std::size_t length = 0; length < bytes.size(); ++length) {
        const auto path = folder_.write("cut.et", bytes.substr(0, length));
        try {
            EXPECT_FALSE(kept.difference(path, {true, {"pg_name"}})) << length;
        } catch (const InputError&) {
        }
    }
    for (std::size_t at = 0; at < bytes.size(); ++at) {
        std::string changed = bytes;
        changed[at] = static_cast<char>(changed[at] ^ (1 << (at % 8)));
        const auto path = folder_.write("changed.et", changed);
        try {
            const auto found = kept.difference(path, {true, {"pg_name"}});
            if (found) {
                const std::vector<Node> nodes = read_trace(path);
                std::vector<Node> expected = sample();
                shift(expected, found->id_shift);
                for (const auto& value : found->values) {
                    expected[value.node].set(value.attribute.name, value.attribute.value);
                }
                EXPECT_EQ(nodes, expected) << at;
            }
        } catch (const InputError&) {
        }
    }
}

}  // namespace
}  // namespace npunet::chakra
