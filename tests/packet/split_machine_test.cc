// A network with credits that is split is the network: every part with a machine of its own.

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "network_run.h"
#include "random_parameters.h"
#include "split_network.h"
#include "tests/support/random_faults.h"
#include "tests/support/refusals.h"
#include "topology/builders/builder.h"
#include "traffic.h"

namespace npunet::packet_test::split_machine_test {
namespace {

using topology::NetworkDescription;

/// Links slowed, late or faster for a while before `horizon`.
std::vector<topology::LinkFault> changes_of_speed(const topology::Graph& graph, Time horizon,
                                                  std::mt19937_64& random) {
    std::vector<topology::LinkFault> faults;
    for (std::size_t i = random() % 12; i > 0; --i) {
        faults.push_back(
            draw_slowdown(graph, horizon, {100'000'000, 333'333'333, 2'500'000'000}, random));
        faults.back().latency_add = Time::ps(static_cast<std::int64_t>(random() % 3) * 700'001);
    }
    return faults;
}

void draw_parameters(topology::PacketParameters& packet, std::mt19937_64& random) {
    draw_sizes(packet, random);
    packet.seed = random() % 1000;
    packet.queue_histogram = random() % 2 == 0;
    draw_switches(packet, random);
    if (random() % 4 == 0 && packet.switching == topology::Switching::StoreAndForward) {
        packet.error_rate = random() % 2 == 0 ? 0.01 : 0.3;
    }
}

/// How much the runs of a comparison have put to the test.
struct Coverage {
    std::uint64_t crossings = 0;
    int split = 0;
    int several_ways = 0;
    int reroutes = 0;
    int classes = 0;
};

/// One network with one routing, split at random.
void compare(const test::OfferedRouting& offer, unsigned seed, Coverage& coverage) {
    std::mt19937_64 random(seed);
    NetworkDescription network = test::random_network(offer, random);
    topology::PacketParameters& packet = network.packet;
    draw_parameters(packet, random);
    if (network.virtual_channels() <= 4 && random() % 2 == 0) {
        packet.classes = random_classes(random);
    }
    const std::int64_t largest = packet.mtu.value() * static_cast<std::int64_t>(1 + random() % 12);
    Plan plan =
        make_plan(static_cast<Pattern>(random() % 5), static_cast<int>(network.graph.npus()),
                  largest, packet.mtu.value(), random);
    draw_classes(plan, packet.classes.count, random);
    const CreditRun undisturbed(network, plan);
    std::string expected = undisturbed.transcript();
    const auto faults = random() % 3;
    if (faults > 0) {
        const Time finish = std::max(Time::ns(1), undisturbed.finish());
        network.faults.links =
            faults == 1 ? changes_of_speed(network.graph, finish, random)
                        : test::random_outages(network.graph, 1 + static_cast<int>(random() % 6),
                                               finish, random);
        expected = CreditRun(network, plan).transcript();
    }
    ASSERT_EQ(expected.find(" -1 -1 0\n"), std::string::npos) << "a message was not delivered";
    for (int round = 0; round < 2; ++round) {
        const Parts parts = random_parts(network.graph, 4, random);
        const SplitResult result = run_split(network, plan, parts, random());
        ASSERT_EQ(transcript(result.outcomes, result.uses, result.packet_hops), expected);
        coverage.crossings += result.crossings;
        coverage.split += result.crossings > 0 ? 1 : 0;
    }
    coverage.several_ways += network.multipath ? 1 : 0;
    coverage.reroutes += network.faults.take_links_down() ? 1 : 0;
    coverage.classes += packet.classes.count > 1 ? 1 : 0;
}

class SplitMachineRuns : public testing::TestWithParam<unsigned> {};

// Networks of every kind with every routing, both switchings and arbitrations, traffic classes,
// errors, outages for a time and for good, limited speed-up; split node by node at random into up
// to four parts, so that packets come back to parts they have left: each message's times of
// sending, of its first byte and of its delivery, and each link's bytes, busy time, longest queue,
// retransmissions, stalls and distribution of the queue, are those of the whole.
TEST_P(SplitMachineRuns, EqualsTheWhole) {
    constexpr unsigned count = 8;
    const unsigned first_seed = 1000 * GetParam() + 1;
    Coverage coverage;
    for (const test::OfferedRouting& offer : test::offered_routings) {
        for (unsigned seed = first_seed; seed < first_seed + count; ++seed) {
            SCOPED_TRACE("kind " + std::to_string(offer.kind) + ", " + offer.routing + ", seed " +
                         std::to_string(seed));
            compare(offer, seed, coverage);
            if (testing::Test::HasFailure()) {
                return;
            }
        }
    }
    const int runs = static_cast<int>(count * std::size(test::offered_routings));
    EXPECT_GT(coverage.crossings, 100U * static_cast<unsigned>(runs));
    EXPECT_GT(coverage.split, runs);  // of two rounds each
    EXPECT_GT(coverage.several_ways, runs / 4);
    EXPECT_GT(coverage.reroutes, runs / 8);
    EXPECT_GT(coverage.classes, runs / 8);
}

INSTANTIATE_TEST_SUITE_P(Seeds, SplitMachineRuns, testing::Range(0U, 3U));

// A message that gives its turn up, because a link further on has died, leaves it to one whose
// packet is smaller: the port that waited for credit for the former goes on with what it has for
// the latter, and the parts do as the whole does.
TEST(SplitMachine, ATurnGivenUp) {
    Coverage coverage;
    compare(test::offered_routings[0], 5071, coverage);
    EXPECT_EQ(coverage.reroutes, 1);
}

// Observers of the parts are told together what an observer of the whole is told, of every packet
// in the part that has the node.
TEST(SplitMachine, ObserversAreToldTheSame) {
    std::mt19937_64 random(7);
    std::size_t told = 0;
    for (const test::OfferedRouting& offer : test::offered_routings) {
        for (int round = 0; round < 6; ++round) {
            NetworkDescription network = test::random_network(offer, random);
            draw_parameters(network.packet, random);
            if (round % 2 == 1) {
                network.faults.links = test::random_outages(
                    network.graph, 1 + static_cast<int>(random() % 4), Time::ns(30'000), random);
            }
            const Plan plan =
                make_plan(static_cast<Pattern>(round % 5), static_cast<int>(network.graph.npus()),
                          3 * network.packet.mtu.value(), network.packet.mtu.value(), random);
            SCOPED_TRACE(std::to_string(offer.kind) + ", " + offer.routing + ", " +
                         std::to_string(round));
            told += compare_observers(network, plan, random);
            if (testing::Test::HasFailure()) {
                return;
            }
        }
    }
    EXPECT_GT(told, 100'000U);
}

}  // namespace
}  // namespace npunet::packet_test::split_machine_test
