#include <gtest/gtest.h>

#include <random>

#include "chakra/dependencies/dependency_check.h"
#include "chakra/files/trace_reader.h"
#include "chakra/files/trace_writer.h"
#include "chakra/trace/comm_groups.h"
#include "mutation.h"
#include "test_files.h"

namespace npunet::chakra {
namespace {

class MutatedInput : public ::testing::Test {
protected:
    std::mt19937 random_{20240229};
    test::TemporaryFolder folder_;
};

std::vector<Node> small_trace() {
    std::vector<Node> nodes(8);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        nodes[i].id = i * 100;
        nodes[i].name = "node_" + std::to_string(i);
        nodes[i].type = i % 2 == 0 ? NodeType::Compute : NodeType::CommCollective;
        nodes[i].duration_micros = 1000 * i;
        nodes[i].inputs.shapes = "[[4]]";
        for (std::size_t dep = 0; dep < i; ++dep) {
            nodes[i].data_deps.push_back(dep * 100);
        }
        nodes[i].set_integer("comm_size", 1 << 20);
        nodes[i].set("involved_dim", std::vector<bool>{true, false});
    }
    return nodes;
}

// Whatever happens to the bytes: nodes or an InputError, never anything else.
TEST_F(MutatedInput, TraceIsReadOrRefused) {
    write_trace(folder_ / "whole.0.et", small_trace());
    const std::string whole = bytes_of(folder_ / "whole.0.et");
    int refused = 0;
    int checked = 0;
    constexpr int rounds = 2000;
    for (int round = 0; round < rounds; ++round) {
        const auto path = folder_.write("mutated.0.et", mutated(whole, random_));
        try {
            const auto nodes = read_trace(path);
            ++checked;
            (void)check_dependencies(nodes, path.string(), FollowedDeps::DataAndCtrl);
        } catch (const InputError& error) {
            ++refused;
            ASSERT_FALSE(error.problem().file.empty());
        }
    }
    // Both happen: the mutations neither miss the format nor destroy everything.
    EXPECT_GT(refused, rounds / 10);
    EXPECT_GT(checked, rounds / 10);
}

TEST_F(MutatedInput, GroupsAreReadOrRefused) {
    const std::string whole = R"({"1": [0, 8], "2": [1, 9, 17], "pipe": [3]})";
    int refused = 0;
    for (int round = 0; round < 3000; ++round) {
        const auto path = folder_.write("groups.json", mutated(whole, random_));
        try {
            check_comm_groups(read_comm_groups(path), 16, path.string());
        } catch (const InputError& error) {
            ++refused;
            ASSERT_EQ(error.problem().file, path.string());
        }
    }
    EXPECT_GT(refused, 100);
}

}  // namespace
}  // namespace npunet::chakra
