// Ethernet-like switches whose links go down, lose packets, or both: every message is delivered
// exactly once, on networks of every kind with every routing.

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "network_run.h"
#include "random_parameters.h"
#include "tests/support/random_faults.h"

namespace npunet::packet_test {
namespace {

using topology::FlowControl;
using topology::NetworkDescription;

class EveryByteOnceWithOutages : public testing::TestWithParam<unsigned> {};

TEST_P(EveryByteOnceWithOutages, OnEveryRouting) {
    std::mt19937_64 random(GetParam());
    for (const test::OfferedRouting& offer : test::offered_routings) {
        SCOPED_TRACE(std::to_string(offer.kind) + " " + offer.routing);
        NetworkDescription network = test::random_network(offer, random);
        draw_ethernet(network, true, random);
        const Plan plan =
            make_plan(static_cast<Pattern>(random() % 5), static_cast<int>(network.graph.npus()),
                      20'000, network.packet.mtu.value(), random);
        const Time finish = std::max(Time::ns(1000), EthernetRun(network, plan).finish());
        network.faults.links =
            test::random_outages(network.graph, 1 + static_cast<int>(random() % 6), finish, random);
        const EthernetRun run(network, plan);
        // Reroutes, and routes that need virtual channels, can close cycles of pauses.
        if (!run.machine.explain_stall().empty()) {
            EXPECT_EQ(network.packet.flow_control, FlowControl::Pfc);
            continue;
        }
        expect_everything_once(run, plan);
        const EthernetRun shuffled(network, plan, random());
        ASSERT_EQ(run.transcript(), shuffled.transcript());
    }
}

INSTANTIATE_TEST_SUITE_P(Seeds, EveryByteOnceWithOutages, testing::Range(0U, 12U));

}  // namespace
}  // namespace npunet::packet_test
