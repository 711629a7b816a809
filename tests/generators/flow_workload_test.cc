#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "base/flows/random_flows.h"
#include "generators/flows/flow_workload.h"

namespace npunet::generators {
namespace {

TEST(FlowWorkload, SendsWhenFlowsBeginAndWaitsForNothing) {
    const std::vector<RandomFlow> flows{{5, Rank(0), Rank(1), 100},
                                        {5, Rank(0), Rank(2), 200},
                                        {9, Rank(0), Rank(1), 300},
                                        {0, Rank(2), Rank(0), 400}};
    const GeneratedWorkload workload = workload_of(flows, 3);
    const std::vector<chakra::Node> nodes = workload.nodes(Rank(0));
    ASSERT_EQ(nodes.size(), 6U);  // a receive, two waits, three sends
    EXPECT_EQ(nodes[0].type, chakra::NodeType::CommReceive);
    EXPECT_EQ(nodes[0].integer("comm_src"), 2);
    EXPECT_EQ(nodes[0].integer("comm_tag"), 3);
    EXPECT_TRUE(nodes[0].data_deps.empty());
    EXPECT_EQ(nodes[1].name, "until_5_ns");
    EXPECT_TRUE(nodes[1].data_deps.empty());
    EXPECT_EQ(nodes[2].name, "flow_0");
    EXPECT_EQ(nodes[2].data_deps, std::vector<std::uint64_t>{nodes[1].id});
    EXPECT_EQ(nodes[3].integer("comm_dst"), 2);
    EXPECT_EQ(nodes[3].integer("comm_size"), 200);
    EXPECT_EQ(nodes[3].data_deps, std::vector<std::uint64_t>{nodes[1].id});
    EXPECT_EQ(nodes[4].data_deps, std::vector<std::uint64_t>{nodes[1].id});
    EXPECT_EQ(nodes[5].data_deps, std::vector<std::uint64_t>{nodes[4].id});
    // One that begins at once has nothing before it.
    EXPECT_TRUE(workload.nodes(Rank(2))[1].data_deps.empty());
    EXPECT_EQ(workload.nodes(Rank(1)).size(), 2U);
}

}  // namespace
}  // namespace npunet::generators
