// Ethernet-like switches that drop packets, compared with a simulator written from
// docs/transport.md.
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>

#include "base/errors.h"
#include "network_run.h"
#include "plain_lossy_network.h"
#include "random_networks.h"
#include "tests/support/counted_cases.h"
#include "tests/support/draw.h"
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

class Drawer : test::DrawFrom {
public:
    explicit Drawer(std::mt19937_64& random) : DrawFrom(random), random_(random) {}

    Scenario draw() {
        Scenario drawn;
        const bool incast = !one_in(3);
        if (!incast) {
            do {
                drawn.network =
                    random_network(static_cast<unsigned>(random_() % network_kinds), random_);
            } while (drawn.network.graph.npus() > 16);
            drawn.network.multipath = nullptr;
        } else if (one_in(2)) {
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
    /// Identical links: packets sent together arrive together.
    [[nodiscard]] topology::NetworkDescription star() {
        return topology::make_network(
            {topology::make_dimension(
                topology::DimensionKind::Switch, static_cast<std::int32_t>(from_to(3, 12)),
                Rate(any_of<std::int64_t>({12'500'000'000, 50'000'000'000, 33'333'333'333})),
                Time::ns(any_of<std::int64_t>({0, 200, 1000})))},
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
        const std::string latency = std::to_string(any_of<int>({0, 300, 1000}));
        for (std::int64_t i = 0; i < leaves * npus; ++i) {
            text += "    - {from: n" + std::to_string(i) + ", to: s" + std::to_string(i / npus) +
                    ", bandwidth: 25, latency: " + latency + "}\n";
        }
        const std::string up = std::to_string(any_of<int>({25, 50, 100}));
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
        packet.mtu = Bytes(any_of<std::int64_t>({256, 1024, 4096}));
        packet.header = Bytes(any_of<std::int64_t>({0, 16, 64}));
        const std::int64_t wire = (packet.mtu + packet.header).value();
        packet.flow_control = one_in(5) ? FlowControl::Pfc : FlowControl::None;
        packet.buffer = Bytes(wire * from_to(4, 60) + from_to(0, 100));
        packet.shared_buffer.alpha = any_of<double>({0.3, 0.5, 1, 2, 8});
        if (one_in(2)) {
            packet.shared_buffer.headroom = Bytes(wire * from_to(1, 6));
        }
        packet.error_rate = one_in(4) ? any_of<double>({0.001, 0.01, 0.05}) : 0;
        packet.seed = random_() % 1000;
        packet.congestion_control = {};
        packet.transport.kind = one_in(3) ? TransportKind::SelectiveRepeat : TransportKind::GoBackN;
        packet.transport.window =
            Bytes(any_of<std::int64_t>({0, 0, wire * from_to(1, 20), 200 * wire}));
        packet.transport.ack_every = any_of<std::int32_t>({1, 1, 4, 16});
        packet.transport.rto = Time::ns(any_of<std::int64_t>({0, 0, 10'000, 70'000}));
        // Queue pairs that time out together may do so forever until one gives up.
        packet.transport.retries = one_in(6) ? 3 : 12;
        if (one_in(3)) {
            packet.transport.start_jitter = Time::ps(any_of<std::int64_t>({1, 100'000, 5'000'000}));
        }
        if (packet.transport.kind == TransportKind::SelectiveRepeat && one_in(2)) {
            packet.transport.reordering = any_of<std::int32_t>({0, 3});
        }
    }

    /// Several NPUs send to one, with other pairs as background traffic.
    [[nodiscard]] Plan incasts(const topology::NetworkDescription& network) {
        const auto npus = static_cast<std::int64_t>(network.graph.npus());
        const std::int64_t mtu = network.packet.mtu.value();
        const bool together = one_in(2);
        const bool equal = one_in(2);
        const std::int64_t most = any_of<std::int64_t>({30, 80, 150});
        const std::int64_t size = from_to(most / 3, most);
        Plan plan;
        const auto add = [&](std::int64_t from, std::int64_t to) {
            PlannedMessage message;
            message.source = NodeId(static_cast<int>(from));
            message.destination = NodeId(static_cast<int>(to));
            message.bytes = Bytes(equal ? size * mtu : from_to(1, most * mtu));
            message.start = together ? Time() : Time::ps(from_to(0, 5'000'000));
            message.wants_sent = one_in(2);
            plan.push_back(message);
        };
        for (std::int64_t npu = 1; npu < npus; ++npu) {
            add(npu, 0);
            if (one_in(4)) {
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

    std::mt19937_64& random_;
};

std::string flow_text(NodeId source, NodeId destination, std::uint64_t packets,
                      std::uint64_t repeated, std::uint64_t timeouts) {
    return "flow " + std::to_string(source.value()) + "-" + std::to_string(destination.value()) +
           " " + std::to_string(packets) + " " + std::to_string(repeated) + " " +
           std::to_string(timeouts) + "\n";
}

/// Pauses that wait for each other have ended the run. The rules know of no such end: there a queue
/// pair gives up in time.
constexpr const char* deadlock = "deadlock";

std::string run_network(const Scenario& drawn) {
    try {
        const EthernetRun run(drawn.network, drawn.plan);
        if (!run.deadlock.empty()) {
            return deadlock;
        }
        std::string flows;
        for (const engine::FlowUse& use : run.machine.flow_use()) {
            flows += flow_text(use.flow.source, use.flow.destination, use.counts.packets,
                               use.counts.retransmissions, use.counts.timeouts);
        }
        return run.transcript_with_stalls(flows);
    } catch (const StallError& error) {
        return who_gave_up(error);
    }
}

struct Expected {
    std::string text;
    bool gives_up = false;
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
        expected.gives_up = true;
        return expected;
    }
    std::string flows;
    for (const auto& [pair, use] : run.flows) {
        flows += flow_text(pair.first, pair.second, use.packets, use.repeated, use.timeouts);
    }
    expected.text = transcript_with_stalls(run.outcomes, run.uses, run.packet_hops, flows);
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
        std::mt19937_64 random(seed);
        const Scenario drawn = Drawer(random).draw();
        const Expected expected = run_oracle(drawn);
        lossy += expected.drops > 0 ? 1 : 0;
        const std::string found = run_network(drawn);
        if (found != deadlock || !expected.gives_up) {
            ASSERT_EQ(found, expected.text) << "seed " << seed;
        }
    }
    // Enough cases must have losses.
    EXPECT_GT(3 * lossy, cases);
    test::count_cases(cases);
}

INSTANTIATE_TEST_SUITE_P(Seeds, LossyNetworkOracle, testing::Range(0U, 10U));

}  // namespace
}  // namespace npunet::packet_test
