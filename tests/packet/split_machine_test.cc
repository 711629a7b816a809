// A network that is split is the network: every part with a machine of its own.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "base/errors.h"
#include "packet/credit/credit_network.h"
#include "packet_notes.h"
#include "plan_run.h"
#include "split_network.h"
#include "tests/support/random_faults.h"
#include "tests/support/refusals.h"
#include "topology/builders/builder.h"
#include "traffic.h"

namespace npunet::packet_test {
namespace {

using topology::NetworkDescription;

/// What a whole machine makes of a plan, as text; the time of the last delivery.
std::string whole(const NetworkDescription& network, const Plan& plan, Time& finish) {
    engine::EventQueue queue;
    packet::CreditNetwork machine(network, queue);
    const Traffic traffic(plan, queue, machine);
    queue.run();
    for (const Outcome& outcome : traffic.outcomes()) {
        finish = std::max(finish, outcome.delivered);
    }
    return transcript(traffic, machine);
}

/// Links slowed, late or faster for a while before `horizon`.
std::vector<topology::LinkFault> changes_of_speed(const topology::Graph& graph, Time horizon,
                                                  std::mt19937_64& random) {
    std::vector<topology::LinkFault> faults;
    for (std::size_t i = random() % 12; i > 0; --i) {
        topology::LinkFault fault;
        fault.link = LinkId(std::size_t{random() % graph.links()});
        fault.at = Time::ps(
            static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(horizon.ps())));
        fault.until = fault.at + Time::ps(1 + static_cast<std::int64_t>(random() % 10'000'000));
        fault.bandwidth.billionths =
            std::array<std::int64_t, 3>{100'000'000, 333'333'333, 2'500'000'000}[random() % 3];
        fault.latency_add = Time::ps(static_cast<std::int64_t>(random() % 3) * 700'001);
        faults.push_back(fault);
    }
    return faults;
}

void draw_parameters(topology::PacketParameters& packet, std::mt19937_64& random) {
    packet.mtu = Bytes(std::array<std::int64_t, 4>{4096, 256, 1000, 1}[random() % 4]);
    packet.header = Bytes(std::array<std::int64_t, 3>{64, 0, 16}[random() % 3]);
    packet.buffer =
        std::array<std::int64_t, 4>{1, 2, 5, 0}[random() % 4] * (packet.mtu + packet.header);
    packet.seed = random() % 1000;
    packet.queue_histogram = random() % 2 == 0;
    packet.arbitration =
        random() % 2 == 0 ? topology::Arbitration::Oldest : topology::Arbitration::RoundRobin;
    packet.switching =
        random() % 2 == 0 ? topology::Switching::CutThrough : topology::Switching::StoreAndForward;
    packet.speedup = static_cast<std::uint8_t>(random() % 3);
    if (random() % 4 == 0 && packet.switching == topology::Switching::StoreAndForward) {
        packet.error_rate = std::array<double, 2>{0.01, 0.3}[random() % 2];
    }
}

/// How much the runs of a comparison have put to the test.
struct Coverage {
    std::uint64_t crossings = 0;
    int split = 0;
    int several_ways = 0;
    int detours = 0;
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
    Time finish = Time::ns(1);
    std::string expected = whole(network, plan, finish);
    const auto faults = random() % 3;
    if (faults > 0) {
        network.faults.links =
            faults == 1 ? changes_of_speed(network.graph, finish, random)
                        : test::random_outages(network.graph, 1 + static_cast<int>(random() % 6),
                                               finish, random);
        expected = whole(network, plan, finish);
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
    coverage.detours += network.faults.take_links_down() ? 1 : 0;
    coverage.classes += packet.classes.count > 1 ? 1 : 0;
}

void compare_all(unsigned first_seed, unsigned count) {
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
    EXPECT_GT(coverage.detours, runs / 8);
    EXPECT_GT(coverage.classes, runs / 8);
}

// Networks of every kind with every routing, both switchings and arbitrations, traffic classes,
// errors, outages for a time and for good, limited speed-up; split node by node at random into up
// to four parts, so that packets come back to parts they have left: each message's times of
// sending, of its first byte and of its delivery, and each link's bytes, busy time, longest queue,
// retransmissions, stalls and distribution of the queue, are those of the whole.
TEST(SplitMachine, EqualsTheWhole0) {
    compare_all(1, 8);
}
TEST(SplitMachine, EqualsTheWhole1) {
    compare_all(1001, 8);
}
TEST(SplitMachine, EqualsTheWhole2) {
    compare_all(2001, 8);
}

// A message that gives its turn up, because a link further on has died, leaves it to one whose
// packet is smaller: the port that waited for credit for the former goes on with what it has for
// the latter, and the parts do as the whole does.
TEST(SplitMachine, ATurnGivenUp) {
    Coverage coverage;
    compare(test::offered_routings[0], 5071, coverage);
    EXPECT_EQ(coverage.detours, 1);
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
            std::vector<std::string> expected;
            {
                engine::EventQueue queue;
                packet::CreditNetwork machine(network, queue);
                const Notes notes(machine);
                const Traffic traffic(plan, queue, machine);
                queue.run();
                notes.add_to(expected);
            }
            std::vector<std::string> found;
            SplitNetwork split(network, random_parts(network.graph, 4, random), random());
            std::vector<std::unique_ptr<Notes>> notes;
            for (std::uint32_t part = 0; part < split.parts(); ++part) {
                notes.push_back(std::make_unique<Notes>(split.machine(part)));
            }
            std::vector<Outcome> outcomes(plan.size());
            run_plan(split, plan, outcomes);
            for (const std::unique_ptr<Notes>& of_part : notes) {
                of_part->add_to(found);
            }
            std::sort(expected.begin(), expected.end());
            std::sort(found.begin(), found.end());
            ASSERT_EQ(found, expected) << offer.kind << ", " << offer.routing << ", " << round;
            told += found.size();
        }
    }
    EXPECT_GT(told, 100'000U);
}

// A line 0 - 1 - 2 of packets of 10 ns and links of 5 ns, split between 1 and 2: of three packets
// from 0 to 2 the last is in at 30 + 10 + 2 x 5 = 50, whichever part NPU 1 is in, and 2 hears what
// the sender had to say.
TEST(SplitMachine, ALineWorkedOutByHand) {
    NetworkDescription network = topology::make_network(
        {topology::make_dimension(topology::DimensionKind::Mesh1D, 3, rate, latency)}, "line");
    network.packet = parameters();
    for (const Parts& parts : {Parts{0, 0, 1}, Parts{0, 1, 1}, Parts{0, 1, 0}, Parts{0, 1, 2}}) {
        const SplitResult result = run_split(network, {packets(0, 2, 3)}, parts, 1);
        EXPECT_EQ(result.outcomes[0].sent, Time::ns(30));
        EXPECT_EQ(result.outcomes[0].delivered, Time::ns(50));
        EXPECT_EQ(result.outcomes[0].first_byte_left, Time::ns(0));
        EXPECT_EQ(result.packet_hops, 6U);
    }
}

// What happens on one side of a link without latency is felt on the other at once.
TEST(SplitMachine, RefusesToCutALinkWithoutLatency) {
    NetworkDescription network = topology::make_network(
        {topology::make_dimension(topology::DimensionKind::Mesh1D, 2, rate, Time())}, "line");
    network.packet = parameters();
    EXPECT_THAT(test::message_of<InputError>([&] {
                    return run_split(network, {}, {0, 1}, 1);
                }),
                testing::HasSubstr("from 'npu0' to 'npu1'"));
}

}  // namespace
}  // namespace npunet::packet_test
