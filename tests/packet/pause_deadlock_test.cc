// Deadlocks of pauses: what is said to be one while a network runs is one when nothing is left to
// happen, and every run that ends with paused links is explained by one.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <random>
#include <string>

#include "network_run.h"
#include "random_parameters.h"
#include "tests/support/random_faults.h"
#include "topology/network/pause_cycle.h"
#include "topology/yaml/network_reader.h"

namespace npunet::packet_test::pause_deadlock_test {
namespace {

using testing::HasSubstr;
using topology::FlowControl;
using topology::NetworkDescription;
using topology::TransportKind;

/// Packet sizes, transport and buffers for pauses without a limit of retries; without losses.
void draw_pauses(NetworkDescription& network, std::mt19937_64& random) {
    draw_ethernet(network, false, random);
    network.packet.flow_control = FlowControl::Pfc;
    const std::int64_t wire = (network.packet.mtu + network.packet.header).value();
    network.packet.buffer = Bytes(static_cast<std::int64_t>(5 + random() % 8) * wire);
    network.packet.shared_buffer.alpha = random() % 2 == 0 ? 1 : 0.5;
    if (random() % 4 == 0) {
        take_transport_away(network.packet);
    }
}

struct Coverage {
    int stalled = 0;    ///< runs that did not deliver everything
    int foreseen = 0;   ///< of these, those in which a deadlock was seen while packets moved
    int delivered = 0;  ///< runs with pauses that delivered everything
};

/// Looks for a deadlock at sixteen instants of a run and at its end.
void look(const NetworkDescription& network, const Plan& plan, Coverage& coverage) {
    const EthernetRun whole(network, plan);
    engine::EventQueue queue;
    packet::EthernetNetwork machine(network, queue);
    machine.set_fast_forward(false);
    const Traffic traffic(plan, queue, machine);
    std::string first;
    std::uint64_t handled = 0;
    const Time end = std::min(whole.queue.now(), Time::ns(3'000'000));
    bool stopped = false;
    try {
        for (int i = 1; i <= 16 && first.empty(); ++i) {
            while (queue.next_time() <= Time::ps(end.ps() / 16 * i)) {
                queue.run_instant();
            }
            first = machine.explain_stall();
            handled = queue.handled();
        }
        queue.run();
    } catch (const StallError&) {
        stopped = true;
    }
    const bool stalled = is_stalled(traffic.outcomes());
    ASSERT_EQ(stalled, is_stalled(whole.outcomes()));
    ASSERT_EQ(stopped, !whole.deadlock.empty());
    ASSERT_EQ(stalled, !machine.explain_stall().empty()) << machine.explain_stall();
    if (!first.empty()) {
        ASSERT_TRUE(stalled) << "seen too early: " << first;
        coverage.foreseen += queue.handled() > handled ? 1 : 0;
    }
    if (stalled) {
        ASSERT_TRUE(topology::find_pause_cycle(network).is_possible);
    }
    coverage.stalled += stalled ? 1 : 0;
    coverage.delivered += !stalled && whole.sum().pauses > 0 ? 1 : 0;
}

TEST(PauseDeadlock, IsThatOfTheEndOfTheRun) {
    Coverage coverage;
    for (unsigned seed = 0; seed < 360; ++seed) {
        SCOPED_TRACE(seed);
        std::mt19937_64 random(seed);
        NetworkDescription network = test::random_network(
            test::offered_routings[seed % std::size(test::offered_routings)], random);
        draw_pauses(network, random);
        // Go-back-n may repeat for ever where packets of a message overtake each other.
        if (network.multipath && network.packet.transport.kind == TransportKind::GoBackN) {
            network.packet.transport.kind = TransportKind::SelectiveRepeat;
        }
        const std::int64_t mtu = network.packet.mtu.value();
        const Plan plan = make_plan(seed % 2 == 0 ? Pattern::AllToAll : Pattern::Random,
                                    static_cast<int>(network.graph.npus()), 20 * mtu, mtu, random);
        look(network, plan, coverage);
        if (testing::Test::HasFatalFailure()) {
            return;
        }
    }
    EXPECT_GT(coverage.stalled, 10);
    EXPECT_GT(coverage.foreseen, 5);
    EXPECT_GT(coverage.delivered, 30);
}

/// NPU 0, far away from NPU 1, which with NPUs 2 to 7 is on a ring of seven switches; NPU 8 is on
/// the switch of NPU 1.
NetworkDescription ring_with_a_distant_npu() {
    std::string nodes = "{name: far, kind: npu}";
    std::string links =
        "{from: n0, to: far, bandwidth: 50, latency: 100ms}"
        ", {from: late, to: s0, bandwidth: 50, latency: 500}";
    for (int i = 0; i < 7; ++i) {
        nodes += fmt::format(", {{name: n{0}, kind: npu}}, {{name: s{0}, kind: switch}}", i);
        links += fmt::format(
            ", {{from: s{0}, to: s{1}, bandwidth: 50, latency: 500}}"
            ", {{from: n{0}, to: s{0}, bandwidth: 50, latency: 500}}",
            i, (i + 1) % 7);
    }
    nodes += ", {name: late, kind: npu}";
    return topology::parse_network(
        fmt::format("Custom: {{nodes: [{}], links: [{}]}}\n"
                    "packet: {{flow_control: pfc, routing: ecmp, mtu: 4KiB, buffer: 64KiB, "
                    "transport: {{kind: selective-repeat, window: 4MiB, rto: 20us, "
                    "retries: unlimited}}}}\n",
                    nodes, links),
        "net.yml");
}

// A queue pair without progress ends the run only if its own path needs a link that stays paused.
// Those round the ring are told to pause before they can send again, and have no timeouts. That to
// the distant NPU, which waits longer for its answer than for many timeouts, needs no such link;
// the packets of the one that begins when all is at a standstill find room before such a link.
TEST(PauseDeadlock, EndsTheRunWherePacketsNeedItsLinks) {
    const NetworkDescription network = ring_with_a_distant_npu();
    Plan plan{message(1, 0, 4096)};
    for (int i = 0; i < 7; ++i) {
        plan.push_back(message(1 + i, 1 + (i + 3) % 7, 8'000'000));
    }
    const EthernetRun distant(network, plan);
    EXPECT_EQ(distant.deadlock, "");
    EXPECT_NE(distant.machine.explain_stall(), "");
    EXPECT_GT(distant.machine.pairs()[0].use.timeouts, 7);
    EXPECT_EQ(distant.outcomes()[0].deliveries, 1);

    plan.push_back(message(8, 2, 64, Time::ns(100'000)));
    const EthernetRun late(network, plan);
    EXPECT_GE(late.machine.pairs()[0].backoff, 7U);
    EXPECT_THAT(late.deadlock,
                HasSubstr("late had made no progress in sending to n1 (class 0) for 7 timeouts in "
                          "a row; deadlock: these links are paused (class 0)"));
}

}  // namespace
}  // namespace npunet::packet_test::pause_deadlock_test
