// Nothing crosses a cut faster than its links can carry it.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "network_run.h"
#include "random_networks.h"
#include "traffic.h"

namespace npunet::packet_test {
namespace {

__extension__ using Wide = __int128;

/// Of every node: whether it is on the near side.
using Side = std::vector<bool>;

std::vector<Side> cuts_of(const topology::NetworkDescription& network, std::mt19937_64& random) {
    const topology::Graph& graph = network.graph;
    std::vector<Side> cuts;
    for (int i = 0; i < 20; ++i) {
        Side side(graph.nodes());
        for (std::size_t node = 0; node < side.size(); ++node) {
            side[node] = random() % 2 == 0;
        }
        cuts.push_back(side);
    }
    for (std::size_t node = 0; node < graph.nodes(); ++node) {
        Side side(graph.nodes());
        side[node] = true;
        cuts.push_back(side);
    }
    // Bisections by dimension. A switch is with the most of its neighbours.
    for (std::size_t d = 0; d < network.dimensions.size(); ++d) {
        Side side(graph.nodes());
        for (std::size_t npu = 0; npu < graph.npus(); ++npu) {
            side[npu] = 2 * network.coordinate(NodeId(npu), d) < network.dimensions[d].size;
        }
        for (std::size_t node = graph.npus(); node < graph.nodes(); ++node) {
            std::size_t near = 0;
            const std::vector<LinkId>& links = graph.links_from(NodeId(node));
            for (const LinkId link : links) {
                near += side[graph.link(link).to.index()] ? 1 : 0;
            }
            side[node] = 2 * near >= links.size();
        }
        cuts.push_back(side);
    }
    return cuts;
}

struct Crossing {
    Wide wire = 0;
    Wide payload = 0;
    Wide rates = 0;
};

Crossing crossing_of(const topology::Graph& graph, const Side& side,
                     const std::vector<engine::LinkUse>& uses) {
    Crossing result;
    for (std::size_t i = 0; i < graph.links(); ++i) {
        const topology::Link& link = graph.link(LinkId(i));
        if (side[link.from.index()] && !side[link.to.index()]) {
            result.wire += uses[i].wire.value();
            result.payload += uses[i].payload.value();
            result.rates += link.rate.bytes_per_second();
        }
    }
    return result;
}

// For every set of nodes: bytes with headers that leave it <= time x sum of the rates of the links
// that leave it, the time being from the first start to the last delivery, by the accounts of the
// links. What was delivered from inside to outside must have crossed, headers included: the
// accounts cannot be too small. Single links likewise, with busy <= time.
TEST(Cuts, CarryNoMoreThanTheirLinks) {
    std::mt19937_64 random(11);
    for (int round = 0; round < 150; ++round) {
        const auto kind = static_cast<unsigned>(round) % network_kinds;
        const topology::NetworkDescription network = random_network(kind, random);
        const topology::Graph& graph = network.graph;
        const std::int64_t mtu = network.packet.mtu.value();
        Plan plan = make_plan(static_cast<Pattern>(random() % 5), static_cast<int>(graph.npus()),
                              20 * mtu, mtu, random);
        // A permutation may leave everybody alone.
        plan.push_back(message(0, 1, mtu));
        const CreditRun run(network, plan);

        ASSERT_TRUE(all_came_once(run.outcomes()));
        Time start = Time::max();
        for (const Outcome& outcome : run.outcomes()) {
            start = std::min(start, outcome.first_byte_left);
        }
        const Wide time = (run.finish() - start).ps();
        constexpr Wide second = 1'000'000'000'000;
        const std::vector<engine::LinkUse> uses = run.machine.link_use();
        for (std::size_t i = 0; i < uses.size(); ++i) {
            ASSERT_LE(uses[i].busy.ps(), time);
            ASSERT_TRUE(uses[i].wire.value() * second <=
                        graph.link(LinkId(i)).rate.bytes_per_second() * time);
        }
        for (const Side& side : cuts_of(network, random)) {
            const Crossing crossing = crossing_of(graph, side, uses);
            ASSERT_TRUE(crossing.wire * second <= crossing.rates * time) << "round " << round;
            Wide bytes = 0;
            Wide headers = 0;
            for (const PlannedMessage& message : plan) {
                if (side[message.source.index()] && !side[message.destination.index()]) {
                    bytes += message.bytes.value();
                    headers += std::max<std::int64_t>(1, (message.bytes.value() + mtu - 1) / mtu) *
                               network.packet.header.value();
                }
            }
            ASSERT_TRUE(bytes <= crossing.payload) << "round " << round;
            ASSERT_TRUE(bytes + headers <= crossing.wire) << "round " << round;
        }
    }
}

}  // namespace
}  // namespace npunet::packet_test
