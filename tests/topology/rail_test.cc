// Rail-optimised networks: links, routes by the destination's rail, and what is refused.

#include "topology/builders/rail.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "networks.h"
#include "own_networks.h"

namespace npunet::topology::rail_test {
namespace {

using testing::HasSubstr;

constexpr LinkSpeed fast{Rate(450'000'000'000), Time::ns(100)};
constexpr LinkSpeed slow{Rate(50'000'000'000), Time::ns(500)};

NetworkDescription rail(const RailShape& shape) {
    return make_rail(shape, fast,
                     std::vector<LinkSpeed>(static_cast<std::size_t>(shape.rail.levels), slow));
}

std::vector<RailShape> shapes() {
    std::vector<RailShape> list;
    for (const DimensionKind kind : {DimensionKind::Switch, DimensionKind::FullyConnected}) {
        for (const std::int64_t npus : {1, 2, 3, 4}) {
            for (const std::int64_t servers : {1, 2, 5, 8}) {
                list.push_back({npus, kind, {2, 4, servers, {2, 0}, {2, 0}}});
                list.push_back({npus, kind, {2, 6, servers, {4, 0}, {2, 0}}});
                list.push_back({npus, kind, {3, 4, servers, {2, 2}, {2, 2}}});
            }
        }
    }
    return list;
}

// S servers of g NPUs: S scale-ups with g (g - 1) links (clique) or 2 g (switch), and g rails.
TEST(Rail, HasAScaleUpForEachServerAndARailForEachPlace) {
    for (const RailShape& shape : shapes()) {
        const std::int64_t g = shape.npus_per_server;
        const bool clique = shape.scale_up == DimensionKind::FullyConnected;
        const std::int64_t inner = clique ? g * (g - 1) : g > 1 ? 2 * g : 0;
        const NetworkDescription network = rail(shape);
        EXPECT_EQ(network.graph.npus(), static_cast<std::size_t>(shape.servers() * g));
        EXPECT_EQ(network.graph.links(),
                  static_cast<std::size_t>(shape.servers() * inner + g * shape.rail.links()));
        EXPECT_EQ(network.graph.nodes() - network.graph.npus(),
                  static_cast<std::size_t>((clique || g == 1 ? 0 : shape.servers()) +
                                           g * shape.rail.switches()));
    }
}

// Between places j and k of servers s and t: to NPU (s, k) by scale-up, then by rail k alone.
TEST(Rail, RoutesTakeTheRailOfTheDestination) {
    for (const RailShape& shape : shapes()) {
        for (const UpLinks up_links : {UpLinks::ByDestination, UpLinks::ByHash}) {
            NetworkDescription network = rail(shape);
            network.router = std::make_shared<RailRouter>(shape, up_links, 5);
            expect_valid_routes(network);
            const int g = static_cast<int>(shape.npus_per_server);
            const int npus = static_cast<int>(network.graph.npus());
            for (int from = 0; from < npus; ++from) {
                for (int to = 0; to < npus; ++to) {
                    const std::vector<int> nodes = nodes_of(network, from, to);
                    const int relay = from / g * g + to % g;
                    for (const int node : nodes) {
                        EXPECT_TRUE(node >= npus || node == from || node == to || node == relay);
                    }
                    if (from / g != to / g) {
                        EXPECT_NE(std::find(nodes.begin(), nodes.end(), relay), nodes.end());
                        const std::string name = "rail" + std::to_string(to % g) + "-";
                        for (auto node = std::find(nodes.begin(), nodes.end(), relay) + 1;
                             *node != to; ++node) {
                            EXPECT_EQ(network.graph.name(NodeId(*node)).rfind(name, 0), 0U);
                        }
                    }
                }
            }
        }
    }
}

// One relay more than the rail alone is the least between different places: rails are apart.
TEST(Rail, RoutesAreShortestAndFreeOfDeadlock) {
    for (const RailShape& shape : shapes()) {
        const NetworkDescription network = rail(shape);
        EXPECT_EQ(network.virtual_channels_needed(), 1);
        expect_shortest_routes(network);
        expect_no_deadlock(network);
    }
}

// All of one place to the next server by their own rails: a shift, no link with two flows.
TEST(Rail, ShiftsOfServersMeetOnNoLink) {
    const RailShape shape{4, DimensionKind::Switch, {2, 4, 8, {2, 0}, {2, 0}}};
    const NetworkDescription network = rail(shape);
    for (std::size_t shift = 1; shift < 8; ++shift) {
        EXPECT_EQ(most_on_a_link(network, [&](std::size_t i) { return (i + 4 * shift) % 32; }), 1);
    }
}

// Halves of whole servers: g rails with S / 2 cables across the middle each.
TEST(Rail, BisectionFollowsTheClosedForm) {
    const RailShape shape{4, DimensionKind::FullyConnected, {2, 4, 8, {2, 0}, {2, 0}}};
    EXPECT_EQ(middle_cut_of(rail(shape).graph).bytes_per_second, 4 * 4 * 50e9);
}

const std::string up = "scale_up: {kind: switch, bandwidth: 450, latency: 100}";
const std::string out = "scale_out: {levels: 2, radix: 8, bandwidth: 50, latency: 500}";

TEST(RailSection, IsRead) {
    const NetworkDescription network =
        network_from("Rail: {servers: 16, npus_per_server: 8, " + up + ", " + out + "}\n");
    EXPECT_EQ(network.name, "Rail");
    EXPECT_EQ(network.graph.npus(), 128U);
    EXPECT_EQ(network.graph.link(LinkId(0)).rate, fast.rate);
    EXPECT_EQ(network.graph.link(LinkId(network.graph.links() - 1)).latency, slow.latency);
    EXPECT_EQ(network_from("Rail: {servers: 2, npus_per_server: 2, " + up + ", " + out +
                           "}\npacket: {routing: ecmp}\n")
                  .routing_name(),
              "ecmp");
}

TEST(RailSection, RefusesWhatDoesNotFit) {
    const std::string small = "servers: 2, npus_per_server: 2, ";
    EXPECT_EQ(refusal_of("Rail: {servers: 33, npus_per_server: 2, " + up + ", " + out + "}\n"),
              "line 1, Rail.scale_out: found 33 NPUs with radix: 8; expected at most 32: 8 leaves "
              "x 4 NPUs. Use a larger radix or 3 levels");
    EXPECT_EQ(refusal_of("Rail: {" + small + up +
                         ", scale_out: {levels: 2, radix: 8, npus: 4, bandwidth: 50, latency: "
                         "500}}\n"),
              "line 1, Rail.scale_out.npus: found '4'; expected 2, one for each server, as in "
              "servers. Leave it out");
    for (const auto& [parameters, part] : std::vector<std::pair<std::string, std::string>>{
             {"npus_per_server: 2, " + up + ", " + out, "expected the key 'servers'"},
             {"servers: 2, " + up + ", " + out, "expected the key 'npus_per_server'"},
             {small + up, "expected the key 'scale_out'"},
             {small + out, "expected the key 'scale_up'"},
             {"servers: -2, npus_per_server: 2, " + up + ", " + out, "a whole number from 1"},
             {"servers: 2, npus_per_server: 1e40, " + up + ", " + out, "a whole number from 1"},
             {"servers: 32, npus_per_server: 1000000, " + up + ", " + out,
              "32000000 NPUs; expected at most"},
             {small + out + ", scale_up: {kind: ring, bandwidth: 4, latency: 1}",
              "expected one of switch, fully-connected"},
             {small + out + ", scale_up: 4", "found '4'"},
             {small + out + ", scale_up: {kind: switch, bandwidth: -4, latency: 1}", "above 0"},
             {small + up + ", " + out + ", scale_in: 3", "the unknown key 'scale_in'"}}) {
        EXPECT_THAT(refusal_of("Rail: {" + parameters + "}\n"), HasSubstr(part)) << parameters;
    }
}

}  // namespace
}  // namespace npunet::topology::rail_test
