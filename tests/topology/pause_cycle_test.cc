// Routes whose links can pause each other in a cycle: which networks have them, and the warning.

#include "topology/network/pause_cycle.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "networks.h"
#include "tests/support/random_faults.h"
#include "topology/yaml/network_reader.h"

namespace npunet::topology::pause_cycle_test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// What reading a network with these entries of `packet` warns of.
std::vector<std::string> warnings(const std::string& network, const std::string& packet) {
    std::vector<std::string> said;
    static_cast<void>(parse_network(network + "packet: {" + packet + "}\n", "net.yml", &said));
    return said;
}

std::string product(const std::string& topology, const std::string& sizes) {
    return fmt::format("topology: [{}]\nnpus_count: [{}]\nbandwidth: [50]\nlatency: [500]\n",
                       topology, sizes);
}

/// Switches in a ring, each with an NPU.
std::string ring_of_switches(int switches) {
    std::string nodes;
    std::string links;
    for (int i = 0; i < switches; ++i) {
        nodes += fmt::format("{}{{name: n{}, kind: npu}}", i == 0 ? "" : ", ", i);
    }
    for (int i = 0; i < switches; ++i) {
        nodes += fmt::format(", {{name: s{}, kind: switch}}", i);
        for (const std::string& to :
             {fmt::format("s{}", (i + 1) % switches), fmt::format("n{}", i)}) {
            links += fmt::format("{}{{from: s{}, to: {}, bandwidth: 50, latency: 500}}",
                                 links.empty() ? "" : ", ", i, to);
        }
    }
    return fmt::format("Custom:\n  nodes: [{}]\n  links: [{}]\n", nodes, links);
}

constexpr const char* fat_tree =
    "FatTree: {levels: 2, radix: 8, npus: 16, bandwidth: [50, 50], latency: [500, 500]}\n";

TEST(PauseCycle, TheWarningNamesACycleAndWhatToDo) {
    EXPECT_THAT(
        warnings(ring_of_switches(4), "flow_control: pfc, routing: ecmp"),
        ElementsAre(
            HasSubstr("layers are assigned"),
            AllOf(HasSubstr("net.yml: packet.flow_control: pfc, and links that routes of ecmp "
                            "take can pause each other in a cycle, such as s"),
                  HasSubstr(" -> s"), HasSubstr("with 2 virtual channels"),
                  HasSubstr("use routing: up-down, flow_control: none, or flow_control: credit"))));
    EXPECT_THAT(warnings(product("Ring", "4"), "flow_control: pfc"),
                ElementsAre(AllOf(HasSubstr("npu0 -> npu1 -> npu2 -> npu3 -> npu0"),
                                  HasSubstr("use flow_control: none"))));
    EXPECT_THAT(warnings(product("Mesh2D", "[3, 3]"), "flow_control: pfc, routing: adaptive"),
                ElementsAre(AllOf(HasSubstr("routes of adaptive"), HasSubstr("in a cycle, such"),
                                  HasSubstr("use routing: dimension-order, flow_control"))));
    EXPECT_THAT(warnings(product("Torus2D", "[3, 5]"), "flow_control: pfc, routing: adaptive"),
                ElementsAre(HasSubstr("npu0 -> npu3 -> npu6 -> npu9 -> npu12 -> npu0")));
}

TEST(PauseCycle, NoWarningWhereNoCycleCanClose) {
    for (const std::string& network :
         {std::string(fat_tree), product("Switch", "8"), product("Ring", "3"),
          product("Mesh2D", "[4, 4]"), product("FullyConnected", "6"), ring_of_switches(3),
          ring_of_switches(4)}) {
        EXPECT_THAT(warnings(network, "flow_control: pfc"),
                    Not(testing::Contains(HasSubstr("flow_control"))))
            << network;
    }
    for (const char* routing : {"up-down", "ecmp", "spray", "adaptive"}) {
        EXPECT_THAT(warnings(fat_tree, std::string("flow_control: pfc, routing: ") + routing),
                    IsEmpty());
    }
    EXPECT_THAT(warnings(product("Mesh1D", "6"), "flow_control: pfc, routing: adaptive"),
                IsEmpty());
    // Credits have the virtual channels, and without pauses packets are dropped.
    EXPECT_THAT(warnings(product("Ring", "4"), "flow_control: credit"), IsEmpty());
    EXPECT_THAT(warnings(product("Ring", "4"), "flow_control: none, transport: go-back-n"),
                IsEmpty());
}

/// Two servers whose `size` NPUs are in a ring, NPUs of equal places at a switch of their own.
std::string servers_of_rings(int size) {
    std::string nodes;
    std::string links;
    const auto add = [](std::string& list, const std::string& item) {
        list += (list.empty() ? "{" : ", {") + item + "}";
    };
    for (int i = 0; i < 2 * size; ++i) {
        add(nodes, fmt::format("name: n{}, kind: npu", i));
    }
    for (int i = 0; i < size; ++i) {
        add(nodes, fmt::format("name: s{}, kind: switch", i));
    }
    for (int i = 0; i < 2 * size; ++i) {
        const int next = i / size * size + (i + 1) % size;
        add(links, fmt::format("from: n{}, to: n{}, bandwidth: 400, latency: 500", i, next));
        add(links, fmt::format("from: n{}, to: s{}, bandwidth: 50, latency: 500", i, i % size));
    }
    return fmt::format(
        "Custom:\n  nodes: [{}]\n  links: [{}]\n  tiers: [{{name: server, size: {}}}]\n", nodes,
        links, size);
}

// Shortest routes in rings of six wait for each other all around. Where links of servers have
// credits, those of the rings do not pause, and the NPUs between them and others store packets: the
// links that do pause have routes over one switch, which wait for no other.
TEST(PauseCycle, LinksWithCreditsAreInNone) {
    const std::string pfc = "flow_control: pfc, routing: ecmp";
    EXPECT_THAT(warnings(servers_of_rings(6), pfc),
                testing::Contains(HasSubstr("can pause each other in a cycle")));
    EXPECT_THAT(warnings(servers_of_rings(6), pfc + ", scale_up: {flow_control: credit}"),
                Not(testing::Contains(HasSubstr("pause each other"))));
}

/// Each link ends where the next one begins.
void expect_closed(const Graph& graph, const std::vector<Hop>& links) {
    for (std::size_t i = 0; i < links.size(); ++i) {
        EXPECT_EQ(graph.link(links[i].link).to,
                  graph.link(links[(i + 1) % links.size()].link).from);
    }
}

// All routes of a network on one channel, with one path for each pair: a cycle is found where there
// is one. With several paths: where the routing needs one channel only, there is none.
TEST(PauseCycle, IsThatOfTheRoutesOnOneChannel) {
    std::mt19937_64 random(5);
    int cycles = 0;
    int none = 0;
    for (const test::OfferedRouting& offer : test::offered_routings) {
        for (int i = 0; i < 12; ++i) {
            const NetworkDescription network = test::random_network(offer, random);
            const PauseCycle pauses = find_pause_cycle(network);
            SCOPED_TRACE(network.name + ", " + offer.routing);
            expect_closed(network.graph, pauses.links);
            EXPECT_EQ(pauses.is_possible, !pauses.links.empty());
            const bool of_routes = !cycle_with_one_channel(network).empty();
            // Of equal paths and parallel links any may be taken; the routes above take one.
            if (network.multipath || network.name == "Custom") {
                EXPECT_TRUE(pauses.is_possible || !of_routes);
            } else {
                EXPECT_EQ(pauses.is_possible, of_routes);
            }
            (pauses.is_possible ? cycles : none) += 1;
        }
    }
    EXPECT_GT(cycles, 30);
    EXPECT_GT(none, 30);
}

// On one line of these kinds no cycle can close, however many routes there are.
TEST(PauseCycle, LargeLinesWithoutCyclesAreNotWarnedOf) {
    for (const char* kind : {"FullyConnected", "Mesh1D", "Switch"}) {
        EXPECT_THAT(warnings(product(kind, "512"), "flow_control: pfc, routing: adaptive"),
                    IsEmpty())
            << kind;
    }
}

// Up to 65536 NPUs: no route is searched for.
TEST(PauseCycle, OfLargeNetworksIsFoundSoon) {
    for (const char* routing : {"dimension-order", "adaptive"}) {
        const std::string packet = std::string("flow_control: pfc, routing: ") + routing;
        EXPECT_THAT(warnings(product("Torus2D", "[256, 256]"), packet),
                    ElementsAre(HasSubstr("such as npu0 -> npu1 -> ")));
        EXPECT_THAT(warnings(product("Ring", "8192"), packet),
                    ElementsAre(HasSubstr("such as npu0 -> npu1 -> ")));
    }
    EXPECT_THAT(warnings(product("Mesh1D", "8192"), "flow_control: pfc, routing: adaptive"),
                IsEmpty());
    EXPECT_THAT(warnings(product("Mesh2D", "[128, 128]"), "flow_control: pfc, routing: adaptive"),
                ElementsAre(HasSubstr("such as npu0 -> npu1 -> npu129 -> npu128 -> npu0")));
}

std::string dragonfly(const std::string& sizes) {
    return fmt::format("Dragonfly: {{{}, bandwidth: [50, 50, 50], latency: [100, 100, 1us]}}\n",
                       sizes);
}

// Of 16512 NPUs some routes show one. Of two routers with 2000 NPUs each, which have none, not all
// routes are looked at: the warning does not state that there is one.
TEST(PauseCycle, OfDragonfliesIsSoughtAmongSomeRoutes) {
    for (const char* routing : {"minimal", "ugal"}) {
        EXPECT_THAT(warnings(dragonfly("a: 16, p: 8, h: 8, groups: 129"),
                             std::string("flow_control: pfc, routing: ") + routing),
                    ElementsAre(HasSubstr("can pause each other in a cycle, such as router")));
    }
    EXPECT_THAT(
        warnings(dragonfly("a: 1, p: 2000, h: 1, groups: 2"), "flow_control: pfc, routing: ugal"),
        ElementsAre(HasSubstr(
            "may pause each other in a cycle (not all routes were looked at): they are")));
}

}  // namespace
}  // namespace npunet::topology::pause_cycle_test
