#include "topology/network/scale_up.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "topology/yaml/network_reader.h"

namespace npunet::topology {
namespace {

using ::testing::ElementsAre;

/// Two servers of two NPUs, each with a NIC; two further switches lead to each other only.
NetworkDescription two_servers() {
    return parse_network(
        "Custom:\n"
        "    nodes: [{name: a0, kind: npu}, {name: a1, kind: npu}, {name: b0, kind: npu},\n"
        "            {name: b1, kind: npu}, {name: leaf, kind: switch}, {name: x, kind: switch},\n"
        "            {name: y, kind: switch}]\n"
        "    links:\n"
        "        - {from: a0, to: a1, bandwidth: 400, latency: 1}\n"
        "        - {from: b0, to: b1, bandwidth: 400, latency: 1}\n"
        "        - {from: a0, to: leaf, bandwidth: 100, latency: 5}\n"
        "        - {from: b0, to: leaf, bandwidth: 100, latency: 5}\n"
        "        - {from: x, to: y, bandwidth: 100, latency: 5}\n"
        "    tiers: [{name: server, size: 2}]\n"
        "packet: {flow_control: pfc, transport: go-back-n, scale_up: {flow_control: credit}}\n",
        "two.yml");
}

std::vector<std::string> names_of(const Graph& graph) {
    std::vector<std::string> names;
    for (const LinkId link : graph.shown_links()) {
        names.push_back(graph.name(graph.link(link).from) + " " + graph.name(graph.link(link).to));
    }
    return names;
}

// A link is scale-up if both ends are in one block; switches that reach no NPU are in none.
TEST(ScaleUp, PartsHaveTheLinksOfBlocksAndTheOthers) {
    const std::vector<NetworkDescription> parts = parts_of(two_servers());
    EXPECT_THAT(names_of(parts[0].graph), ElementsAre("a0 a1", "a1 a0", "b0 b1", "b1 b0"));
    EXPECT_THAT(names_of(parts[1].graph),
                ElementsAre("a0 leaf", "leaf a0", "b0 leaf", "leaf b0", "x y", "y x"));
}

// The routes of parts are those of the whole network, which both share.
TEST(ScaleUp, PartsShareTheRoutesOfTheWhole) {
    const NetworkDescription network = two_servers();
    const std::vector<NetworkDescription> parts = parts_of(network);
    EXPECT_EQ(parts[0].router, parts[1].router);
    for (const NetworkDescription& part : parts) {
        EXPECT_EQ(part.route(NodeId(1), NodeId(3)), network.route(NodeId(1), NodeId(3)));
    }
}

}  // namespace
}  // namespace npunet::topology
