#include "topology/graph/graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace npunet::topology {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Link from_to(NodeId from, NodeId to) {
    return {from, to, Rate(1), Time()};
}

// Links are shown in the order of their numbers, whichever nodes they leave, unless they are
// hidden; links that are added afterwards are shown.
TEST(Graph, ShowsTheLinksThatAreNotHidden) {
    Graph graph;
    const NodeId a = graph.add_node(NodeKind::Npu, "a");
    const NodeId b = graph.add_node(NodeKind::Npu, "b");
    EXPECT_THAT(graph.shown_links(), IsEmpty());
    const LinkId back = graph.add_link(from_to(b, a));
    const LinkId forth = graph.add_link(from_to(a, b));
    const LinkId beside = graph.add_link(from_to(a, b));
    EXPECT_THAT(graph.shown_links(), ElementsAre(back, forth, beside));
    graph.hide(forth);
    EXPECT_THAT(graph.shown_links(), ElementsAre(back, beside));
    const LinkId last = graph.add_link(from_to(b, a));
    EXPECT_THAT(graph.shown_links(), ElementsAre(back, beside, last));
    EXPECT_THAT(graph.links_from(a), ElementsAre(beside));
    EXPECT_THAT(graph.links_to(a), ElementsAre(back, last));
    EXPECT_EQ(graph.find_link(a, b), beside);
    graph.hide(last);
    graph.hide(back);
    graph.hide(beside);
    EXPECT_THAT(graph.shown_links(), IsEmpty());
    EXPECT_EQ(graph.links(), 4U);
    EXPECT_EQ(graph.link(forth).to, b);
}

}  // namespace
}  // namespace npunet::topology
