// What of a network is drawn: every node and link once, in groups where there are many.
#include "topology/network/node_groups.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "topology/yaml/network_reader.h"

namespace npunet::topology::node_groups_test {
namespace {

NetworkDescription shipped(const std::string& name) {
    return read_network(name.find(':') != std::string::npos
                            ? name
                            : fmt::format("{}/configs/networks/{}.yml", NPUNET_SOURCE_DIR, name),
                        GigaByte::Decimal);
}

std::vector<const NodeGroup*> groups_in_row(const NodeGroups& groups, std::size_t row) {
    std::vector<const NodeGroup*> list;
    for (const NodeGroup& group : groups.groups()) {
        if (group.item.row == row) {
            list.push_back(&group);
        }
    }
    return list;
}

class EveryNetwork : public ::testing::TestWithParam<std::string> {};

// Each node is in one group, the one that group_of() says; each link within one group or in one
// bundle, of its two groups.
TEST_P(EveryNetwork, HasEveryNodeAndLinkOnce) {
    const NetworkDescription network = shipped(GetParam());
    const NodeGroups groups(network);
    std::size_t npus = 0;
    std::size_t switches = 0;
    std::size_t links = 0;
    for (std::size_t number = 0; number < groups.groups().size(); ++number) {
        const NodeGroup& group = groups.groups()[number];
        npus += group.npus;
        switches += group.switches;
        links += group.inner_links;
        EXPECT_EQ(group.nodes.size(), group.npus + group.switches);
        for (const NodeId node : group.nodes) {
            EXPECT_EQ(groups.group_of(node), number);
        }
    }
    std::vector<int> bundled(network.graph.links(), 0);
    for (const LinkBundle& bundle : groups.bundles()) {
        EXPECT_LT(bundle.from, bundle.to);
        links += bundle.links.size();
        for (const LinkId link : bundle.links) {
            ++bundled[link.index()];
            const Link& ends = network.graph.link(link);
            const auto [from, to] =
                std::minmax({groups.group_of(ends.from), groups.group_of(ends.to)});
            EXPECT_EQ(from, bundle.from);
            EXPECT_EQ(to, bundle.to);
        }
    }
    EXPECT_EQ(*std::max_element(bundled.begin(), bundled.end()), 1);
    EXPECT_EQ(npus, network.graph.npus());
    EXPECT_EQ(switches, network.graph.nodes() - network.graph.npus());
    EXPECT_EQ(links, network.graph.links());
    EXPECT_LE(groups.groups().size(), network.graph.npus() <= 64 ? network.graph.nodes() : 100U);
    EXPECT_EQ(groups.collapsed(), network.graph.npus() > 64);
}

// Groups of a row stand apart, and those above the NPUs within the width of their home.
TEST_P(EveryNetwork, StandsInRowsWithoutMeeting) {
    const NetworkDescription network = shipped(GetParam());
    const NodeGroups groups(network);
    std::vector<RowItem> items;
    for (const NodeGroup& group : groups.groups()) {
        items.push_back(group.item);
    }
    const std::vector<double> places = places_in_rows(groups.rows(), items);
    std::map<std::size_t, std::vector<double>> rows;
    for (std::size_t i = 0; i < items.size(); ++i) {
        EXPECT_GE(places[i], 0);
        rows[items[i].row].push_back(places[i]);
    }
    for (auto& [row, list] : rows) {
        std::sort(list.begin(), list.end());
        for (std::size_t i = 1; i < list.size(); ++i) {
            EXPECT_GE(list[i] - list[i - 1], row == 0 ? 1 - 1e-9 : 0.2) << "row " << row;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Shipped, EveryNetwork,
                         ::testing::Values("leaf-spine-64", "fat-tree-128", "rail-128",
                                           "dragonfly-72", "nvswitch-8x2", "dgx_2k", "two-sites",
                                           "dgx-h100:1", "dgx-h100:8", "dgx-h100:32",
                                           "dgx-h100:128", "gb200-nvl72:576", "mi300x:16"));

// 128 servers of 8 NPUs with 8 rails of 4 leaves and some spines: servers 0 to 5, 121 that are left
// out, server 127, each with its NVSwitch; a group of leaves and one of spines for each rail.
TEST(NodeGroups, OfRailsAreServersAndRails) {
    const NetworkDescription network = shipped("dgx-h100:128");
    ASSERT_EQ(network.graph.npus(), 1024U);
    const NodeGroups groups(network);
    ASSERT_EQ(groups.rows().rows(), 4U);
    const std::vector<const NodeGroup*> npus = groups_in_row(groups, 0);
    ASSERT_EQ(npus.size(), 8U);
    for (const std::size_t i : {0, 1, 2, 3, 4, 5, 7}) {
        EXPECT_EQ(npus[i]->npus, 8U);
        EXPECT_EQ(npus[i]->blocks, 0U);
    }
    EXPECT_EQ(npus[6]->blocks, 121U);
    EXPECT_EQ(npus[6]->npus, 968U);
    EXPECT_EQ(npus[6]->switches, 121U);
    EXPECT_EQ(groups_in_row(groups, 1).size(), 7U);
    EXPECT_EQ(groups_in_row(groups, 2).size(), 8U);
    EXPECT_EQ(groups_in_row(groups, 2)[3]->name, "rail3-leaf");
    EXPECT_EQ(groups_in_row(groups, 2)[3]->switches, 4U);
    EXPECT_EQ(groups_in_row(groups, 3).size(), 8U);
    EXPECT_EQ(groups.shown_blocks().size(), 7U);
}

// 64 NPUs are drawn one by one, in the servers' order: NVSwitches below the rails' switches, though
// both have links to NPUs.
TEST(NodeGroups, SwitchesOfServersAreBelowThoseOfTheNetwork) {
    const NetworkDescription network = shipped("dgx-h100:8");
    const NodeGroups groups(network);
    EXPECT_FALSE(groups.collapsed());
    ASSERT_EQ(groups.rows().rows(), 3U);
    EXPECT_EQ(groups_in_row(groups, 0).size(), 64U);
    EXPECT_EQ(groups_in_row(groups, 1).size(), 8U);
    EXPECT_EQ(groups_in_row(groups, 2).size(), 8U);
    for (const NodeGroup* group : groups_in_row(groups, 1)) {
        EXPECT_EQ(group->item.home.tier, 0);
    }
    EXPECT_EQ(groups.shown_blocks().size(), 8U);
}

// A switch of 100 NPUs has no blocks: the first six, 93 that are left out, the last one.
TEST(NodeGroups, WithoutBlocksLeaveOutNpus) {
    const NetworkDescription network = parse_network(
        "topology: [Switch]\nnpus_count: [100]\nbandwidth: [50]\nlatency: [500]\n", "switch.yml");
    const NodeGroups groups(network);
    const std::vector<const NodeGroup*> npus = groups_in_row(groups, 0);
    ASSERT_EQ(npus.size(), 8U);
    EXPECT_EQ(npus[6]->npus, 93U);
    EXPECT_EQ(npus[6]->blocks, 93U);
    EXPECT_EQ(npus[6]->tier, -1);
    EXPECT_EQ(groups.groups().back().name, network.graph.name(NodeId(100)));
}

}  // namespace
}  // namespace npunet::topology::node_groups_test
