// Ethernet-like switches that drop packets, compared with a simulator written from
// docs/transport.md.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <string>

#include "base/errors.h"
#include "ethernet_runs.h"
#include "plain_lossy_network.h"
#include "random_networks.h"
#include "tests/support/counted_cases.h"
#include "topology/builders/builder.h"
#include "topology/yaml/network_reader.h"
#include "traffic.h"

namespace npunet::packet_test {
namespace {

using topology::FlowControl;
using topology::TransportKind;

struct Scenario {
    topology::NetworkDescription network;
    Plan plan;
};

class Drawer {
public:
    explicit Drawer(std::uint64_t seed) : random_(seed) {}

    Scenario draw() {
        Scenario drawn;
        const bool incast = random_() % 3 != 0;
        if (!incast) {
            do {
                drawn.network =
                    random_network(static_cast<unsigned>(random_() % network_kinds), random_);
            } while (drawn.network.graph.npus() > 16);
            drawn.network.multipath = nullptr;
        } else if (random_() % 2 == 0) {
            drawn.network = star();
        } else {
            drawn.network = tree();
        }
        draw_parameters(drawn.network);
        if (incast) {
            drawn.plan = incasts(drawn.network);
        } else {
            const std::int64_t mtu = drawn.network.packet.mtu.value();
            drawn.plan = make_plan(static_cast<Pattern>(random_() % 5),
                                   static_cast<int>(drawn.network.graph.npus()),
                                   from_to(1, 16) * mtu, mtu, random_);
        }
        return drawn;
    }

private:
    [[nodiscard]] std::int64_t from_to(std::int64_t least, std::int64_t most) {
        return least +
               static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(most - least + 1));
    }
    template <class Value, std::size_t size>
    [[nodiscard]] Value one_of(const std::array<Value, size>& values) {
        return values[random_() % size];
    }

    /// Identical links: packets sent together arrive together.
    [[nodiscard]] topology::NetworkDescription star() {
        return topology::make_network(
            {topology::make_dimension(topology::DimensionKind::Switch,
                                      static_cast<std::int32_t>(from_to(3, 12)),
                                      Rate(one_of(std::array<std::int64_t, 3>{
                                          12'500'000'000, 50'000'000'000, 33'333'333'333})),
                                      Time::ns(one_of(std::array<std::int64_t, 3>{0, 200, 1000})))},
            "star");
    }

    /// Leaf switches with fewer up-links than down-links.
    [[nodiscard]] topology::NetworkDescription tree() {
        const std::int64_t leaves = from_to(2, 3);
        const std::int64_t npus = from_to(2, 4);
        std::string text = "Custom:\n  nodes:\n";
        for (std::int64_t i = 0; i < leaves * npus; ++i) {
            text += "    - {name: n" + std::to_string(i) + ", kind: npu}\n";
        }
        for (std::int64_t i = 0; i <= leaves; ++i) {
            text += "    - {name: s" + std::to_string(i) + ", kind: switch}\n";
        }
        text += "  links:\n";
        const std::string latency = std::to_string(one_of(std::array<int, 3>{0, 300, 1000}));
        for (std::int64_t i = 0; i < leaves * npus; ++i) {
            text += "    - {from: n" + std::to_string(i) + ", to: s" + std::to_string(i / npus) +
                    ", bandwidth: 25, latency: " + latency + "}\n";
        }
        const std::string up = std::to_string(one_of(std::array<int, 3>{25, 50, 100}));
        for (std::int64_t i = 0; i < leaves; ++i) {
            text += "    - {from: s" + std::to_string(i) + ", to: s" + std::to_string(leaves) +
                    ", bandwidth: " + up + ", latency: " + latency + "}\n";
        }
        return topology::parse_network(text, "tree.yml");
    }

    void draw_parameters(topology::NetworkDescription& network) {
        topology::PacketParameters& packet = network.packet;
        packet.switching = topology::Switching::StoreAndForward;
        packet.arbitration = topology::Arbitration::RoundRobin;
        packet.mtu = Bytes(one_of(std::array<std::int64_t, 3>{256, 1024, 4096}));
        packet.header = Bytes(one_of(std::array<std::int64_t, 3>{0, 16, 64}));
        const std::int64_t wire = (packet.mtu + packet.header).value();
        packet.flow_control = random_() % 5 == 0 ? FlowControl::Pfc : FlowControl::None;
        packet.buffer = Bytes(wire * from_to(4, 60) + from_to(0, 100));
        packet.shared_buffer.alpha = one_of(std::array<double, 5>{0.3, 0.5, 1, 2, 8});
        if (random_() % 2 == 0) {
            packet.shared_buffer.headroom = Bytes(wire * from_to(1, 6));
        }
        packet.error_rate =
            random_() % 4 == 0 ? one_of(std::array<double, 3>{0.001, 0.01, 0.05}) : 0;
        packet.seed = random_() % 1000;
        packet.congestion_control = {};
        packet.transport.kind =
            random_() % 3 == 0 ? TransportKind::SelectiveRepeat : TransportKind::GoBackN;
        packet.transport.window =
            Bytes(one_of(std::array<std::int64_t, 4>{0, 0, wire * from_to(1, 20), 200 * wire}));
        packet.transport.ack_every = one_of(std::array<std::int32_t, 4>{1, 1, 4, 16});
        packet.transport.rto = Time::ns(one_of(std::array<std::int64_t, 4>{0, 0, 10'000, 70'000}));
        // Queue pairs that time out together may do so forever until one gives up.
        packet.transport.retries = random_() % 6 == 0 ? 3 : 12;
        if (random_() % 3 == 0) {
            packet.transport.start_jitter =
                Time::ps(one_of(std::array<std::int64_t, 3>{1, 100'000, 5'000'000}));
        }
        if (packet.transport.kind == TransportKind::SelectiveRepeat && random_() % 2 == 0) {
            packet.transport.reordering = one_of(std::array<std::int32_t, 2>{0, 3});
        }
    }

    /// Several NPUs send to one, with other pairs as background traffic.
    [[nodiscard]] Plan incasts(const topology::NetworkDescription& network) {
        const auto npus = static_cast<std::int64_t>(network.graph.npus());
        const std::int64_t mtu = network.packet.mtu.value();
        const bool together = random_() % 2 == 0;
        const bool equal = random_() % 2 == 0;
        const std::int64_t most = one_of(std::array<std::int64_t, 3>{30, 80, 150});
        const std::int64_t size = from_to(most / 3, most);
        Plan plan;
        const auto add = [&](std::int64_t from, std::int64_t to) {
            PlannedMessage message;
            message.source = NodeId(static_cast<int>(from));
            message.destination = NodeId(static_cast<int>(to));
            message.bytes = Bytes(equal ? size * mtu : from_to(1, most * mtu));
            message.start = together ? Time() : Time::ps(from_to(0, 5'000'000));
            message.wants_sent = random_() % 2 == 0;
            plan.push_back(message);
        };
        for (std::int64_t npu = 1; npu < npus; ++npu) {
            add(npu, 0);
            if (random_() % 4 == 0) {
                add(npu, 1 + (npu % (npus - 1)) == npu ? 0 : 1 + npu % (npus - 1));
            }
        }
        for (std::int64_t more = from_to(0, 4); more > 0; --more) {
            PlannedMessage message;
            message.after =
                static_cast<int>(from_to(0, static_cast<std::int64_t>(plan.size()) - 1));
            message.source = plan[static_cast<std::size_t>(message.after)].destination;
            message.destination = NodeId(static_cast<int>((message.source.value() + 1) % npus));
            message.bytes = Bytes(from_to(0, 20 * mtu));
            message.wants_sent = true;
            plan.push_back(message);
        }
        return plan;
    }

    std::mt19937_64 random_;
};

/// A run's results as text; only the outcomes of messages in a PFC deadlock, since the duration of
/// the pauses then depends on the time of the last event.
std::string told(const std::vector<Outcome>& outcomes, const std::vector<engine::LinkUse>& uses,
                 std::uint64_t packet_hops, const std::string& flows) {
    const std::string text = transcript(outcomes, uses, packet_hops);
    const bool stalled = std::any_of(outcomes.begin(), outcomes.end(), [](const Outcome& outcome) {
        return outcome.deliveries == 0;
    });
    return stalled ? text.substr(0, text.find("link")) : text + flows;
}

std::string flow_text(NodeId source, NodeId destination, std::uint64_t packets,
                      std::uint64_t repeated, std::uint64_t timeouts) {
    return "flow " + std::to_string(source.value()) + "-" + std::to_string(destination.value()) +
           " " + std::to_string(packets) + " " + std::to_string(repeated) + " " +
           std::to_string(timeouts) + "\n";
}

std::string run_network(const Scenario& drawn) {
    engine::EventQueue queue;
    packet::EthernetNetwork machine(drawn.network, queue);
    const Traffic traffic(drawn.plan, queue, machine);
    try {
        queue.run();
    } catch (const StallError& error) {
        const std::string text = error.what();
        return text.substr(0, text.find(')'));
    }
    std::string flows;
    for (const engine::FlowUse& use : machine.flow_use()) {
        flows += flow_text(use.flow.source, use.flow.destination, use.counts.packets,
                           use.counts.retransmissions, use.counts.timeouts);
    }
    return told(traffic.outcomes(), machine.link_use(), machine.packet_hops(), flows);
}

struct Expected {
    std::string text;
    std::uint64_t drops = 0;
};

Expected run_oracle(const Scenario& drawn) {
    const LossyRun run = run_plainly(drawn.network, drawn.plan);
    Expected expected;
    for (const engine::LinkUse& use : run.uses) {
        expected.drops += use.drops;
    }
    if (!run.gave_up.empty()) {
        expected.text = run.gave_up;
        return expected;
    }
    std::string flows;
    for (const auto& [pair, use] : run.flows) {
        flows += flow_text(pair.first, pair.second, use.packets, use.repeated, use.timeouts);
    }
    expected.text = told(run.outcomes, run.uses, run.packet_hops, flows);
    return expected;
}

// In every case these agree with the rules: each message's times of sending, of its first byte and
// of its delivery; each link's bytes, packets, busy time, longest queue, pauses, drops and
// retransmissions; each queue pair's packets, retransmissions and timeouts.
class LossyNetworkOracle : public testing::TestWithParam<unsigned> {};

TEST_P(LossyNetworkOracle, EqualsTheRulesInTheDocumentation) {
    const std::uint64_t cases = test::random_cases(100, 5000);
    std::uint64_t lossy = 0;
    for (unsigned i = 0; i < cases; ++i) {
        const unsigned seed = 100'000 * GetParam() + i;
        const Scenario drawn = Drawer(seed).draw();
        const Expected expected = run_oracle(drawn);
        lossy += expected.drops > 0 ? 1 : 0;
        ASSERT_EQ(run_network(drawn), expected.text) << "seed " << seed;
    }
    // Enough cases must have losses.
    EXPECT_GT(3 * lossy, cases);
    test::count_cases(cases);
}

INSTANTIATE_TEST_SUITE_P(Seeds, LossyNetworkOracle, testing::Range(0U, 10U));

}  // namespace
}  // namespace npunet::packet_test
