#include "topology/network/link_changes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "topology/network/scale_up.h"
#include "topology/yaml/network_reader.h"

namespace npunet::topology::link_changes_test {
namespace {

using testing::ElementsAre;
using Kind = LinkGroup::Kind;

constexpr Factor twice{2 * Factor::one};
constexpr Factor half{Factor::one / 2};

NetworkDescription network_of(const std::string& yaml) {
    return parse_network(yaml, "network.yml");
}

const char* const rails =
    "Rail: {servers: 4, npus_per_server: 4, scale_up: {kind: switch, bandwidth: 450, latency: "
    "100}, scale_out: {levels: 2, radix: 4, bandwidth: 50, latency: 500}}\n";

std::string with_packet(const std::string& yaml, const std::string& packet) {
    return yaml + "packet: {" + packet + "}\n";
}

// Every link is in one group; NICs go with the links behind them.
TEST(LinkGroups, OfRailsAreTiers) {
    for (const std::string& yaml :
         {std::string(rails),
          with_packet(rails, "flow_control: pfc, scale_up: {flow_control: credit}")}) {
        const NetworkDescription network = network_of(yaml);
        const std::vector<LinkGroup> groups = link_groups(network);
        ASSERT_EQ(groups.size(), 2U);
        EXPECT_EQ(groups[0].kind, Kind::ScaleUp);
        EXPECT_THAT(groups[0].classes, ElementsAre("scale-up"));
        EXPECT_EQ(groups[1].kind, Kind::ScaleOut);
        EXPECT_THAT(groups[1].classes, ElementsAre("NIC", "leaf-spine"));
        for (std::size_t link = 0; link < network.graph.links(); ++link) {
            EXPECT_NE(groups[0].links[link], groups[1].links[link]);
            EXPECT_EQ(groups[0].links[link],
                      network.graph.link(LinkId(link)).rate == Rate(450'000'000'000));
        }
    }
}

TEST(LinkGroups, OfNetworksWithoutTiersAreOne) {
    EXPECT_EQ(
        link_groups(
            network_of("FatTree: {levels: 2, radix: 4, npus: 8, bandwidth: 50, latency: 500}"))
            .size(),
        1U);
    EXPECT_EQ(link_groups(network_of("{topology: [Mesh2D], npus_count: [16], bandwidth: [50], "
                                     "latency: [500]}"))
                  .size(),
              1U);
    EXPECT_TRUE(link_groups(network_of("{topology: [Ring], npus_count: [1], bandwidth: [50], "
                                       "latency: [500]}"))
                    .empty());
}

// What a file with the other numbers would give: links, dimensions, automatic buffers, routes.
TEST(LinkChanges, AreWhatAFileWithThemSays) {
    const auto yaml = [](const char* bandwidths, const char* latencies) {
        return std::string("{topology: [Ring, Switch], npus_count: [4, 3], bandwidth: [") +
               bandwidths + "], latency: [" + latencies + "], packet: {flow_control: pfc}}";
    };
    const NetworkDescription network = network_of(yaml("100, 25", "300, 5000"));
    const std::vector<LinkGroup> groups = link_groups(network);
    ASSERT_EQ(groups.size(), 2U);
    const auto expect_equal = [](const NetworkDescription& a, const NetworkDescription& b) {
        ASSERT_EQ(a.graph.links(), b.graph.links());
        for (std::size_t i = 0; i < a.graph.links(); ++i) {
            const Link& x = a.graph.link(LinkId(i));
            const Link& y = b.graph.link(LinkId(i));
            EXPECT_EQ(x.rate, y.rate);
            EXPECT_EQ(x.latency, y.latency);
            EXPECT_EQ(x.wraps, y.wraps);
            EXPECT_EQ(a.buffer_of(LinkId(i)), b.buffer_of(LinkId(i)));
        }
        for (std::size_t i = 0; i < a.dimensions.size(); ++i) {
            EXPECT_EQ(a.dimensions[i].rate, b.dimensions[i].rate);
            EXPECT_EQ(a.dimensions[i].bandwidth_gbps, b.dimensions[i].bandwidth_gbps);
            EXPECT_EQ(a.dimensions[i].latency, b.dimensions[i].latency);
            EXPECT_EQ(a.dimensions[i].latency_ns, b.dimensions[i].latency_ns);
        }
        for (std::size_t to = 1; to < a.graph.npus(); ++to) {
            EXPECT_EQ(a.route(NodeId(0), NodeId(to)), b.route(NodeId(0), NodeId(to)));
        }
    };
    expect_equal(with_rates(network, groups[0].links, twice),
                 network_of(yaml("200, 25", "300, 5000")));
    expect_equal(with_rates(network, groups[1].links, twice),
                 network_of(yaml("100, 50", "300, 5000")));
    expect_equal(with_latencies(network, half), network_of(yaml("100, 25", "150, 2500")));
}

// Hidden links stay so; rates and latencies of switches that add up follow their links.
TEST(LinkChanges, KeepWhatIsHiddenAndReachSwitches) {
    const NetworkDescription whole =
        network_of(with_packet(rails, "flow_control: pfc, scale_up: {flow_control: credit}"));
    const NetworkDescription inner = part_of(whole, TierPart::ScaleUp);
    EXPECT_EQ(with_latencies(inner, half).graph.shown_links(), inner.graph.shown_links());
    const NetworkDescription reducing = network_of(
        "{topology: [Switch, Switch], npus_count: [4, 2], bandwidth: [450, 50], latency: "
        "[100, 500], reduces: [{latency: 200, rate: 300}, false]}");
    ASSERT_FALSE(reducing.reducing_switches.empty());
    const std::vector<LinkGroup> groups = link_groups(reducing);
    const ReducingSwitch& before = reducing.reducing_switches.front();
    EXPECT_EQ(with_rates(reducing, groups[0].links, twice).reducing_switches.front().rate,
              Rate(2 * before.rate.bytes_per_second()));
    EXPECT_EQ(with_rates(reducing, groups[1].links, twice).reducing_switches.front().rate,
              before.rate);
    EXPECT_EQ(2 * with_latencies(reducing, half).reducing_switches.front().latency, before.latency);
}

}  // namespace
}  // namespace npunet::topology::link_changes_test
