// Deadlocks of pauses: what is said to be one while a network runs is one when nothing is left to
// happen, and every run that ends with paused links is explained by one.

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

namespace npunet::packet_test {
namespace {

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

}  // namespace
}  // namespace npunet::packet_test
