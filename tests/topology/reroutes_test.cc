// Ways round links that are down, without packets: what is offered where, and what waits for what.

#include "topology/network/reroutes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "base/errors.h"
#include "tests/support/random_faults.h"
#include "topology/builders/builder.h"
#include "topology/network/deadlock.h"
#include "topology/routing/shortest_paths.h"

namespace npunet::topology {
namespace {

LinkFault outage(const Graph& graph, int from, int to, Time at = Time(), Time until = Time::max()) {
    LinkFault fault;
    fault.link = graph.find_link(NodeId(from), NodeId(to));
    fault.at = at;
    fault.until = until;
    fault.bandwidth.billionths = 0;
    return fault;
}

void cut(NetworkDescription& network, int a, int b, Time at = Time(), Time until = Time::max()) {
    network.faults.links.push_back(outage(network.graph, a, b, at, until));
    network.faults.links.push_back(outage(network.graph, b, a, at, until));
}

NetworkDescription ring_of_four() {
    return make_network(
        {make_dimension(DimensionKind::Ring, 4, Rate(100'000'000'000), Time::ns(5))}, "ring");
}

/// The nodes that a packet visits, always by the first hop offered; "*" before those it reaches
/// by the channel of reroutes. Ends where it goes in a cycle.
std::string walk(const NetworkDescription& network, const Reroutes& reroutes, int from, int to) {
    PacketPlace place{NodeId(from), NodeId(from), NodeId(to), Hop(), 0, 0};
    std::string text = std::to_string(from);
    std::vector<OfferedHop> next_hops;
    for (int hops = 0; place.at != place.destination && hops < 20; ++hops) {
        reroutes.list_next_hops(network.graph, place, next_hops);
        place.in = next_hops.front().hop;
        place.at = network.graph.link(place.in.link).to;
        place.memory = next_hops.front().memory;
        const bool around = place.in.virtual_channel + 1 == reroutes.virtual_channels_needed();
        text += (around ? " *" : " ") + std::to_string(place.at.value());
    }
    return text;
}

// A ring 0 - 1 - 2 - 3; 0 - 1 is down from 10 to 20 ns and for good from 30 ns on, 2 - 3 from 20 to
// 25 and 25 to 40. Epochs begin at 0, 10, 20, 25, 30, 40. In the end 0 - 1 is missing: the order of
// up*/down* is 0, 3, 2, 1. Usual routes go the shorter way, upwards on ties.
//
// Epoch 1 (0 - 1 down): 0 to 1 goes round, 0 to 2 too, for its route leads over 0 - 1; 3 to 1 goes
// by 2 as its route 3 - 0 - 1 is cut. Nothing else changes.
// Epoch 2 (2 - 3 down): round from 2 to 3 is down to 1 and then up to 0, and round from 3 to 2 is
// down to 1 and then up: up*/down* offers neither, and packets wait for the link.
// Epoch 4 (both down; 0 - 1 dead): 0 to 1 waits for 2 - 3, which comes back, never for 0 - 1.
TEST(Reroutes, OnARingOfFour) {
    NetworkDescription network = ring_of_four();
    cut(network, 0, 1, Time::ns(10), Time::ns(20));
    cut(network, 0, 1, Time::ns(30));
    cut(network, 2, 3, Time::ns(20), Time::ns(25));
    cut(network, 2, 3, Time::ns(25), Time::ns(40));
    EXPECT_EQ(network.virtual_channels_needed(), 3);
    Reroutes reroutes(network);
    EXPECT_EQ(reroutes.virtual_channels_needed(), 3);
    EXPECT_EQ(reroutes.epochs(), (std::vector<Time>{Time(), Time::ns(10), Time::ns(20),
                                                    Time::ns(25), Time::ns(30), Time::ns(40)}));
    const LinkId first = network.graph.find_link(NodeId(0), NodeId(1));
    const LinkId other = network.graph.find_link(NodeId(2), NodeId(3));
    EXPECT_EQ(reroutes.dead_from(first), Time::ns(30));
    EXPECT_EQ(reroutes.dead_from(other), Time::max());

    EXPECT_EQ(walk(network, reroutes, 0, 1), "0 1");
    EXPECT_EQ(walk(network, reroutes, 0, 2), "0 1 2");
    reroutes.set_epoch(1);
    EXPECT_FALSE(reroutes.is_dead(first));
    EXPECT_EQ(walk(network, reroutes, 0, 1), "0 *3 *2 *1");
    EXPECT_EQ(walk(network, reroutes, 0, 2), "0 *3 *2");
    EXPECT_EQ(walk(network, reroutes, 3, 1), "3 *2 *1");
    EXPECT_EQ(walk(network, reroutes, 1, 2), "1 2");
    EXPECT_EQ(walk(network, reroutes, 2, 0), "2 3 0");
    reroutes.set_epoch(2);
    EXPECT_EQ(walk(network, reroutes, 2, 3), "2 3");
    EXPECT_EQ(walk(network, reroutes, 3, 2), "3 2");
    reroutes.set_epoch(4);
    EXPECT_TRUE(reroutes.is_dead(first));
    EXPECT_FALSE(reroutes.is_dead(other));
    EXPECT_EQ(walk(network, reroutes, 0, 1), "0 *3 *2 *1");
    EXPECT_EQ(walk(network, reroutes, 1, 0), "1 *2 *3 *0");
    EXPECT_EQ(walk(network, reroutes, 3, 2), "3 2");
    reroutes.set_epoch(5);
    EXPECT_EQ(walk(network, reroutes, 0, 1), "0 *3 *2 *1");
    EXPECT_EQ(walk(network, reroutes, 3, 2), "3 2");
}

// A cycle of links of one direction only, 0 -> 1 -> 2 -> 3 -> 0, one of them down for good: of the
// routes from a node to the one before it, by three links, up*/down* offers those that go up first.
// A packet that has to be rerouted where no route is left is an error.
TEST(Reroutes, RefusePacketsThatNothingBringsOn) {
    NetworkDescription network;
    for (int i = 0; i < 4; ++i) {
        network.graph.add_node(NodeKind::Npu, "npu" + std::to_string(i));
    }
    for (std::size_t i = 0; i < 4; ++i) {
        network.graph.add_link(
            {NodeId(i), NodeId((i + 1) % 4), Rate(100'000'000'000), Time::ns(5)});
    }
    network.router = std::make_shared<ShortestPathRouter>();
    network.faults.links.push_back(outage(network.graph, 3, 0));
    const Reroutes reroutes(network);
    int stalls = 0;
    for (std::size_t at = 0; at < 4; ++at) {
        const NodeId to((at + 3) % 4);
        const PacketPlace place{NodeId(at), NodeId(at), to, Hop(), 0, Reroutes::rerouted_bit};
        std::vector<OfferedHop> next_hops;
        try {
            reroutes.list_next_hops(network.graph, place, next_hops);
            EXPECT_EQ(next_hops.size(), 1U);
        } catch (const StallError& stall) {
            ++stalls;
            const std::string text = "a packet at npu" + std::to_string(at) + " for npu" +
                                     std::to_string(to.value()) + " has to be rerouted";
            EXPECT_NE(std::string(stall.what()).find(text), std::string::npos) << stall.what();
        }
    }
    EXPECT_GT(stalls, 0);
}

// 0 in the middle of 1 to 5, which stand in a line, too, with 6 behind 1; 0 - 5 is down. From 1 to
// 5 there is a way that only leads down, along the line, and a shorter one up to 0 first; whoever
// comes up from 6 may still take it.
TEST(Reroutes, TakeTheShorterOfUpAndDown) {
    NetworkDescription network;
    for (int i = 0; i < 7; ++i) {
        network.graph.add_node(NodeKind::Npu, "npu" + std::to_string(i));
    }
    const auto join = [&](int a, int b) {
        network.graph.add_link({NodeId(a), NodeId(b), Rate(100'000'000'000), Time::ns(5)});
        network.graph.add_link({NodeId(b), NodeId(a), Rate(100'000'000'000), Time::ns(5)});
    };
    for (int i = 1; i < 6; ++i) {
        join(0, i);
    }
    for (int i = 1; i < 5; ++i) {
        join(i, i + 1);
    }
    join(1, 6);
    network.router = std::make_shared<ShortestPathRouter>();
    cut(network, 0, 5);
    const Reroutes reroutes(network);
    EXPECT_EQ(walk(network, reroutes, 6, 5), "6 *1 *0 *4 *5");
    EXPECT_EQ(walk(network, reroutes, 1, 5), "1 *0 *4 *5");
    EXPECT_EQ(walk(network, reroutes, 5, 1), "5 *4 *0 *1");
    EXPECT_EQ(walk(network, reroutes, 2, 5), "2 *0 *4 *5");
    EXPECT_EQ(walk(network, reroutes, 3, 5), "3 *4 *5");
}

// Down in one direction only: the other one stays in use.
TEST(Reroutes, OneWay) {
    NetworkDescription network = ring_of_four();
    network.faults.links.push_back(outage(network.graph, 0, 1));
    const Reroutes reroutes(network);
    EXPECT_EQ(walk(network, reroutes, 0, 1), "0 *3 *2 *1");
    EXPECT_EQ(walk(network, reroutes, 1, 0), "1 0");
    EXPECT_EQ(walk(network, reroutes, 2, 0), "2 3 0");
    EXPECT_EQ(walk(network, reroutes, 1, 3), "1 2 3");
}

// Nothing is missing in the end, so the order is 0, 1 and 3, 2. A reroute may begin upwards: from 1
// to 2 over 0, rather than to wait for 1 - 2, the only route that leads down alone.
TEST(Reroutes, BeginUpwards) {
    NetworkDescription network = ring_of_four();
    cut(network, 1, 2, Time(), Time::ns(10));
    const Reroutes reroutes(network);
    EXPECT_EQ(walk(network, reroutes, 1, 2), "1 *0 *3 *2");
    EXPECT_EQ(walk(network, reroutes, 2, 1), "2 *3 *0 *1");
}

// A packet on the reroute 0 - 3 - 2 - 1 when 0 - 1 comes back and 2 - 1 goes down. In the end 0 - 1
// is missing, so the order is as above: at 3, having gone down, up*/down* does not lead to 0; as 2
// - 1 comes back, the packet goes on towards it rather than to begin anew.
TEST(Reroutes, WaitForWhatComesBack) {
    NetworkDescription network = ring_of_four();
    cut(network, 0, 1, Time(), Time::ns(10));
    cut(network, 2, 1, Time::ns(10), Time::ns(20));
    cut(network, 0, 1, Time::ns(20));
    Reroutes reroutes(network);
    std::vector<OfferedHop> next_hops;
    reroutes.list_next_hops(network.graph, {NodeId(0), NodeId(0), NodeId(1), Hop(), 0, 0},
                            next_hops);
    ASSERT_EQ(next_hops.size(), 1U);
    const Hop to_three{network.graph.find_link(NodeId(0), NodeId(3)), 2};
    EXPECT_EQ(next_hops.front().hop, to_three);
    reroutes.set_epoch(1);
    reroutes.list_next_hops(
        network.graph, {NodeId(3), NodeId(0), NodeId(1), to_three, 0, next_hops.front().memory},
        next_hops);
    ASSERT_EQ(next_hops.size(), 1U);
    EXPECT_EQ(next_hops.front().hop, (Hop{network.graph.find_link(NodeId(3), NodeId(2)), 2}));
}

/// A copy whose multi-path routing is the reroutes of the original.
NetworkDescription seen_by(const NetworkDescription& network,
                           const std::shared_ptr<Reroutes>& reroutes) {
    NetworkDescription copy = network;
    copy.multipath = reroutes;
    return copy;
}

// On random networks of every kind with every routing: while nothing blocks them packets are
// offered what the routing offers; where all are joined by links that are up in both directions and
// that stay, no way leads over a link that is down, each leads on, and every choice ends at the
// destination, in at most twice as many hops as there are nodes.
TEST(Reroutes, LeadToTheDestination) {
    std::mt19937_64 random(11);
    int around = 0;
    for (const test::OfferedRouting& offer : test::offered_routings) {
        for (int round = 0; round < 6; ++round) {
            NetworkDescription network = test::random_network(offer, random);
            network.faults.links = test::random_outages(
                network.graph, 1 + static_cast<int>(random() % 5), Time::ns(1000), random);
            Reroutes reroutes(network);
            reroutes.set_epoch(reroutes.epochs().size() - 1);
            const Graph& graph = network.graph;
            std::vector<OfferedHop> next_hops;
            std::vector<OfferedHop> usual;
            for (std::size_t pair = 0; pair < graph.npus() * graph.npus(); ++pair) {
                const NodeId from(pair / graph.npus());
                const NodeId to(pair % graph.npus());
                PacketPlace place{from, from, to, Hop(), random(), 0};
                Hop then;
                std::size_t hops = 0;
                for (; place.at != to && hops < 2 * graph.nodes(); ++hops) {
                    Hop hop = then;
                    std::uint32_t memory = place.memory;
                    then = Hop();
                    if (!hop.link.valid()) {
                        reroutes.list_next_hops(graph, place, next_hops);
                        ASSERT_FALSE(next_hops.empty());
                        const bool promises = std::any_of(
                            next_hops.begin(), next_hops.end(),
                            [](const OfferedHop& next_hop) { return next_hop.needs_room; });
                        for (const OfferedHop& next_hop : next_hops) {
                            ASSERT_EQ(next_hop.escape, promises && !next_hop.needs_room);
                            ASSERT_EQ(graph.link(next_hop.hop.link).from, place.at);
                            ASSERT_FALSE(reroutes.is_dead(next_hop.hop.link)) << network.name;
                            ASSERT_LT(next_hop.hop.virtual_channel, network.virtual_channels());
                            around +=
                                next_hop.hop.virtual_channel + 1 == network.virtual_channels();
                        }
                        const OfferedHop& taken = next_hops[random() % next_hops.size()];
                        hop = taken.hop;
                        then = taken.then;
                        memory = taken.memory;
                    }
                    ASSERT_FALSE(reroutes.is_dead(hop.link));
                    place.at = graph.link(hop.link).to;
                    place.in = hop;
                    place.memory = memory;
                }
                ASSERT_EQ(place.at, to) << network.name << ", " << offer.routing;
            }
        }
    }
    EXPECT_GT(around, 1000);
}

/// What packets on reroutes remember: that they have gone down.
bool gone_down(std::uint32_t memory) {
    return (memory >> 30U & 1U) != 0;
}

/// Where a packet can be: node and what it came by, source, memory; and the hop that it takes there
/// without a choice.
using State = std::tuple<NodeId, Hop, NodeId, std::uint32_t, Hop>;
struct Earlier {
    static auto key(const State& s) {
        const auto& [at, in, source, memory, then] = s;
        return std::tuple(at.value(), in.link.value(), in.virtual_channel, source.value(), memory,
                          then.link.value(), then.virtual_channel);
    }
    bool operator()(const State& a, const State& b) const { return key(a) < key(b); }
};

// Channel dependencies of all epochs together, since a packet that reached a node in one epoch may
// choose there in a later one. They are acyclic except for packets that restart their route
// (topology/network/reroutes.h); within an epoch they always are.
TEST(Reroutes, WaitInNoCycleInAnyEpoch) {
    std::mt19937_64 random(12);
    int anew = 0;
    for (const test::OfferedRouting& offer : test::offered_routings) {
        for (int round = 0; round < 5; ++round) {
            NetworkDescription network = test::random_network(offer, random);
            const Graph& graph = network.graph;
            if (graph.npus() > 20) {
                --round;
                continue;
            }
            network.faults.links = test::random_outages(graph, 1 + static_cast<int>(random() % 4),
                                                        Time::ns(1000), random);
            const auto reroutes = std::make_shared<Reroutes>(network);
            ChannelDependencies together(graph.links(), network.virtual_channels());
            std::vector<OfferedHop> next_hops;
            for (std::size_t to = 0; to < graph.npus(); ++to) {
                std::set<State, Earlier> seen;
                for (std::size_t from = 0; from < graph.npus(); ++from) {
                    if (from != to) {
                        seen.insert({NodeId(from), Hop(), NodeId(from), 0, Hop()});
                    }
                }
                for (std::size_t epoch = 0; epoch < reroutes->epochs().size(); ++epoch) {
                    reroutes->set_epoch(epoch);
                    std::vector<State> open(seen.begin(), seen.end());
                    while (!open.empty()) {
                        const auto [at, in, source, memory, then] = open.back();
                        open.pop_back();
                        const auto reach = [&](const State& state) {
                            if (std::get<0>(state) != NodeId(to) && seen.insert(state).second) {
                                open.push_back(state);
                            }
                        };
                        if (then.link.valid() && !reroutes->is_dead(then.link)) {
                            together.add(in, then);
                            reach({graph.link(then.link).to, then, source, memory, Hop()});
                            continue;
                        }
                        for (std::uint64_t hash = 0; hash < 8; ++hash) {
                            reroutes->list_next_hops(
                                graph, {at, source, NodeId(to), in, hash, memory}, next_hops);
                            for (const OfferedHop& next_hop : next_hops) {
                                const bool begins =
                                    gone_down(memory) && !gone_down(next_hop.memory);
                                anew += begins;
                                if (in.link.valid() && !next_hop.needs_room && !begins) {
                                    together.add(in, next_hop.hop);
                                }
                                reach({graph.link(next_hop.hop.link).to, next_hop.hop, source,
                                       next_hop.memory, next_hop.then});
                            }
                        }
                    }
                }
            }
            const std::vector<Hop> cycle = together.find_cycle();
            ASSERT_TRUE(cycle.empty())
                << network.name << ", " << offer.routing << ": " << describe_cycle(graph, cycle);
            const NetworkDescription seen = seen_by(network, reroutes);
            for (std::size_t epoch = 0; epoch < reroutes->epochs().size(); ++epoch) {
                reroutes->set_epoch(epoch);
                const std::vector<Hop> within = waiting_dependencies(seen, 8).find_cycle();
                ASSERT_TRUE(within.empty())
                    << network.name << ", epoch " << epoch << ": " << describe_cycle(graph, within);
            }
        }
    }
    EXPECT_GT(anew, 0);
}

// The reroutes have a channel of their own, above those of the routes.
TEST(Reroutes, NeedOneChannelMore) {
    std::mt19937_64 random(13);
    for (const test::OfferedRouting& offer : test::offered_routings) {
        NetworkDescription network = test::random_network(offer, random);
        const std::uint8_t before = network.virtual_channels_needed();
        LinkFault slow;
        slow.link = LinkId(std::size_t{0});
        slow.bandwidth.billionths = 1;
        network.faults.links.push_back(slow);
        EXPECT_EQ(network.virtual_channels_needed(), before);
        slow.bandwidth.billionths = 0;
        network.faults.links.push_back(slow);
        EXPECT_EQ(network.virtual_channels_needed(), before + 1);
        EXPECT_EQ(Reroutes(network).virtual_channels_needed(), before + 1);
    }
}

}  // namespace
}  // namespace npunet::topology
