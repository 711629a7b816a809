// Links that are slow, late or down, and slow NPUs, against closed forms. S bytes take T = ser(S)
// on a healthy link; a is its latency.

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "analytical/congestion_aware.h"
#include "analytical/congestion_unaware.h"
#include "base/errors.h"
#include "engine/network/link_clock.h"
#include "tests/analytical/traffic_networks.h"
#include "tests/support/machines.h"
#include "tests/support/refusals.h"
#include "tests/support/runs.h"
#include "tests/support/workloads.h"

namespace npunet::faults_test {
namespace {

using packet_test::Plan;
using test::run_traffic;
using testing::Types;
using topology::DimensionKind;
using topology::Factor;
using topology::LinkFault;

constexpr Rate rate(50'000'000'000);
constexpr Time latency = Time::ns(500);
constexpr std::int64_t bytes = 1'000'000;
constexpr Time whole = Time::ns(20'000);  // T

constexpr Factor tenth{Factor::one / 10};
constexpr Factor down{0};

/// A ring of four; link 0 leads from NPU 0 to NPU 1.
topology::NetworkDescription ring(std::vector<LinkFault> faults) {
    topology::NetworkDescription network =
        topology::make_network({topology::make_dimension(DimensionKind::Ring, 4, rate, latency)});
    EXPECT_EQ(network.graph.link(LinkId(0)).from, NodeId(0));
    EXPECT_EQ(network.graph.link(LinkId(0)).to, NodeId(1));
    network.faults.links = std::move(faults);
    return network;
}

packet_test::PlannedMessage message(std::int32_t from, std::int32_t to, Time start = Time()) {
    return {NodeId(from), NodeId(to), Bytes(bytes), start, -1, true};
}

template <class Network>
class LinkFaults : public testing::Test {
protected:
    static packet_test::Outcome one(const topology::NetworkDescription& network,
                                    std::int32_t to = 1, Time start = Time()) {
        return run_traffic<Network>({message(0, to, start)}, network).outcomes[0];
    }
};

using Networks = Types<analytical::CongestionAware, analytical::CongestionUnaware>;
TYPED_TEST_SUITE(LinkFaults, Networks);

// Half of the bytes at full rate, half at a tenth: T/2 + 10 T/2.
TYPED_TEST(LinkFaults, DegradedHalfWayThroughAMessage) {
    const auto network = ring({{LinkId(0), Time::ns(10'000), Time::max(), tenth, Time()}});
    const packet_test::Outcome outcome = this->one(network);
    EXPECT_EQ(outcome.sent, Time::ns(10'000 + 100'000));
    EXPECT_EQ(outcome.delivered, outcome.sent + latency);
    // The other direction and other links are whole.
    EXPECT_EQ(this->one(network, 3).delivered, whole + latency);
}

// Down for D in the middle: T + D. The message waits with what it has already sent. Twice the rate
// afterwards: the other half takes T/4.
TYPED_TEST(LinkFaults, DownAndUpAgain) {
    const LinkFault outage{LinkId(0), Time::ns(5'000), Time::ns(12'000), down, Time()};
    EXPECT_EQ(this->one(ring({outage})).delivered, whole + Time::ns(7'000) + latency);
    const LinkFault fast{LinkId(0), Time::ns(17'000), Time::max(), Factor{2 * Factor::one}, Time()};
    EXPECT_EQ(this->one(ring({outage, fast})).delivered, Time::ns(17'000 + 5'000) + latency);
    // Sent while the link is down: as if sent when it comes back. Sent afterwards: nothing
    // happened.
    EXPECT_EQ(this->one(ring({outage}), 1, Time::ns(6'000)).delivered,
              Time::ns(12'000) + whole + latency);
    EXPECT_EQ(this->one(ring({outage}), 1, Time::ns(12'000)).delivered,
              Time::ns(12'000) + whole + latency);
}

// Faults that overlap multiply: a tenth of a half. They begin at their instant and end just before
// theirs.
TYPED_TEST(LinkFaults, OverlappingFaultsMultiply) {
    const LinkFault half{LinkId(0), Time(), Time::max(), Factor{Factor::one / 2}, Time()};
    const LinkFault slow{LinkId(0), Time(), Time::max(), tenth, Time()};
    EXPECT_EQ(this->one(ring({half, slow})).delivered, 20 * whole + latency);
}

// Added latencies count once each and leave the rate alone.
TYPED_TEST(LinkFaults, AddedLatency) {
    const LinkFault late{LinkId(0), Time(), Time::max(), Factor(), Time::ns(1'000)};
    const packet_test::Outcome outcome = this->one(ring({late, late}));
    EXPECT_EQ(outcome.sent, whole);
    EXPECT_EQ(outcome.delivered, whole + latency + Time::ns(2'000));
}

// A message that begins before a fault that only adds latency and ends in it: congestion-aware the
// last byte decides, by the estimate the first.
TEST(LinkFaultsByModel, AddedLatencyInTheMiddle) {
    const auto network =
        ring({{LinkId(0), Time::ns(10'000), Time::max(), Factor(), Time::ns(1'000)}});
    EXPECT_EQ(
        run_traffic<analytical::CongestionAware>({message(0, 1)}, network).outcomes[0].delivered,
        whole + latency + Time::ns(1'000));
    EXPECT_EQ(
        run_traffic<analytical::CongestionUnaware>({message(0, 1)}, network).outcomes[0].delivered,
        whole + latency);
}

// Two hops, 0 -> 1 -> 2, the second link at a tenth for the first 40 us. Store and forward reaches
// it at T + a = 20.5 us: 19.5 us at a tenth move 1.95 us worth, 18.05 us are left at 40 us. The
// estimate sees the slowest link from the start on: 40 us move 4 us worth, 16 us are left.
TEST(LinkFaultsByModel, SecondLinkOfARoute) {
    topology::NetworkDescription network = ring({});
    const LinkId second = network.route(NodeId(0), NodeId(2))[1].link;
    network.faults.links = {{second, Time(), Time::ns(40'000), tenth, Time()}};
    const Plan plan{message(0, 2)};
    EXPECT_EQ(run_traffic<analytical::CongestionAware>(plan, network).outcomes[0].delivered,
              Time::ns(40'000 + 18'050) + latency);
    const packet_test::Outcome estimate =
        run_traffic<analytical::CongestionUnaware>(plan, network).outcomes[0];
    EXPECT_EQ(estimate.delivered, Time::ns(40'000 + 16'000) + 2 * latency);
    EXPECT_EQ(estimate.sent, whole) << "the first link is whole";
}

// Messages behind a fault wait for the one in it: with the link at a tenth from T/2 on, the first
// takes 5.5 T and each further one 10 T.
TYPED_TEST(LinkFaults, MessagesBehindWait) {
    const auto network = ring({{LinkId(0), Time::ns(10'000), Time::max(), tenth, Time()}});
    const auto outcomes = run_traffic<TypeParam>(Plan(3, message(0, 1)), network).outcomes;
    const Time first = Time::ns(110'000);
    for (int k = 0; k < 3; ++k) {
        EXPECT_EQ(outcomes[static_cast<std::size_t>(k)].delivered,
                  first + k * (10 * whole) + latency);
    }
}

// Faults that multiply the rate by one cut every transfer into pieces and must change nothing.
TYPED_TEST(LinkFaults, FactorsOfOneChangeNothing) {
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        std::mt19937_64 random(seed);
        topology::NetworkDescription network = test::random_network(random);
        const Plan plan =
            packet_test::make_plan(packet_test::Pattern::Random,
                                   static_cast<int>(network.graph.npus()), 3000, 1000, random);
        const test::NaiveRun healthy = run_traffic<TypeParam>(plan, network);
        for (std::size_t link = 0; link < network.graph.links(); ++link) {
            for (int count = 0; count < 20; ++count) {
                const Time at = Time::ps(static_cast<std::int64_t>(random() % 20'000'000));
                const Time span = Time::ps(1 + static_cast<std::int64_t>(random() % 1'000'000));
                network.faults.links.push_back({LinkId(link), at, at + span, Factor(), Time()});
            }
        }
        const test::NaiveRun faulty = run_traffic<TypeParam>(plan, network);
        ASSERT_EQ(test::transcript(healthy.outcomes, healthy.links),
                  test::transcript(faulty.outcomes, faulty.links))
            << "seed " << seed;
    }
}

TYPED_TEST(LinkFaults, LinkThatNeverComesBack) {
    const auto network = ring({{LinkId(0), Time::ns(10'000), Time::max(), down, Time()}});
    const std::string message =
        test::message_of<StallError>([&] { static_cast<void>(this->one(network)); });
    EXPECT_NE(message.find("npu0 -> npu1"), std::string::npos) << message;
    EXPECT_NE(message.find("down from 10"), std::string::npos) << message;
    // Messages that do not need it are unaffected.
    EXPECT_EQ(this->one(network, 3).delivered, whole + latency);
}

// Brute force: step through the picoseconds and add up the rate in force, in bytes per second times
// picoseconds, until the sum is bytes x 10^12.
TEST(LinkClock, EqualsTheSumOverPicoseconds) {
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        std::mt19937_64 random(seed);
        const auto below = [&](std::int64_t bound) {
            return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(bound));
        };
        constexpr Rate fast(370'000'000'001);
        topology::NetworkDescription network = topology::make_network(
            {topology::make_dimension(DimensionKind::Ring, 4, fast, latency)});
        for (std::int64_t count = 1 + below(5); count > 0; --count) {
            const Time at = Time::ps(below(300));
            network.faults.links.push_back({LinkId(0), at, at + Time::ps(1 + below(300)),
                                            Factor{below(6) * 333'333'333}, Time()});
        }
        const engine::LinkClock clock(network);
        const Bytes amount(below(200));
        const Time start = Time::ps(below(400));
        const auto rate_at = [&](Time time) {
            std::int64_t now = fast.bytes_per_second();
            for (const LinkFault& fault : network.faults.links) {
                if (fault.at <= time && time < fault.until) {
                    now = topology::scaled_rate(now, fault.bandwidth);
                }
            }
            return now;
        };
        Time end = start;
        std::int64_t done = 0;
        const std::int64_t work = amount.value() * 1'000'000'000'000;
        while (done < work || (work == 0 && rate_at(end) == 0)) {
            done += rate_at(end);
            end += Time::ps(1);
        }
        ASSERT_EQ(clock.end(LinkId(0), start, amount), end) << "seed " << seed;
        EXPECT_EQ(clock.end(LinkId(1), start, amount), start + transfer_time(amount, fast));
    }
}

// What is asked about times and rates, against a look at every picosecond: the link is slow or down
// within the first 600 ps only.
TEST(LinkClock, KnowsWhenALinkIsUpAndHowFast) {
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
        std::mt19937_64 random(seed);
        const auto below = [&](std::int64_t bound) {
            return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(bound));
        };
        topology::NetworkDescription network = ring({});
        for (std::int64_t count = 1 + below(4); count > 0; --count) {
            const Time at = Time::ps(below(300));
            network.faults.links.push_back({LinkId(0), at, at + Time::ps(1 + below(300)),
                                            Factor{below(3) * 1'500'000'000}, Time()});
        }
        const engine::LinkClock clock(network);
        EXPECT_TRUE(clock.faulty(LinkId(0)));
        EXPECT_FALSE(clock.faulty(LinkId(1)));
        std::vector<std::int64_t> rates(700, rate.bytes_per_second());
        for (const LinkFault& fault : network.faults.links) {
            for (std::int64_t t = fault.at.ps(); t < fault.until.ps(); ++t) {
                std::int64_t& now = rates[static_cast<std::size_t>(t)];
                now = topology::scaled_rate(now, fault.bandwidth);
            }
        }
        EXPECT_EQ(clock.highest_rate(LinkId(0)), *std::max_element(rates.begin(), rates.end()));
        const std::int64_t from = below(600);
        const std::int64_t to = from + 1 + below(699 - from);
        const auto first = rates.begin() + from;
        const auto last = rates.begin() + to;
        EXPECT_EQ(
            clock.up_at(LinkId(0), Time::ps(from)).ps(),
            std::find_if(first, rates.end(), [](std::int64_t r) { return r > 0; }) - rates.begin());
        EXPECT_EQ(clock.up_between(LinkId(0), Time::ps(from), Time::ps(to)).ps(),
                  std::count_if(first, last, [](std::int64_t r) { return r > 0; }));
        EXPECT_EQ(clock.steady(LinkId(0), Time::ps(from), Time::ps(to)),
                  std::count(first, last, *first) == to - from);
    }
}

TEST(LinkClock, WithoutFaultsThereIsNothingToDo) {
    EXPECT_FALSE(engine::LinkClock(ring({})).faulty());
}

// Rounding: to the nearest byte per second but never to a standstill; times up to a picosecond.
TEST(Faults, Scaling) {
    EXPECT_EQ(topology::scaled_rate(3, Factor{Factor::one / 2}), 2);
    EXPECT_EQ(topology::scaled_rate(1, Factor{1}), 1);
    EXPECT_EQ(topology::scaled_rate(1, Factor{0}), 0);
    EXPECT_EQ(topology::scaled_rate(4'000'000'000'000'000'000, Factor{1000 * Factor::one}),
              4'000'000'000'000'000'000);
    EXPECT_EQ(topology::scaled_time(Time::ps(10), Factor{1'300'000'000}), Time::ps(13));
    EXPECT_EQ(topology::scaled_time(Time::ps(11), Factor{1'300'000'000}), Time::ps(15));
    EXPECT_EQ(topology::scaled_time(Time::max(), Factor{2 * Factor::one}), Time::max());
}

// Every rank computes C = 100 us, then takes part in a ring all-reduce of S = n part bytes. NPU 2
// is slow by 1.5, so its first part leaves at 1.5 C; from there on one step follows the other round
// the ring: 1.5 C + 2 (n - 1) (a + ser(part)). The straggler itself computes 1.5 C, the others C. A
// placement in reverse makes rank n - 1 - 2 the slow one.
TYPED_TEST(LinkFaults, StragglerInARingAllReduce) {
    constexpr std::int64_t n = 8;
    constexpr std::int64_t part = 50'000;
    test::TestMachine machine = test::ring_machine(n, rate, latency);
    machine.network.faults.npus = {{NodeId(2), Factor{1'500'000'000}}};
    for (const bool reversed : {false, true}) {
        if (reversed) {
            std::reverse(machine.network.npu_of_rank.begin(), machine.network.npu_of_rank.end());
        }
        const engine::Results results = test::run<TypeParam>(
            test::workload_of(n,
                              [](Rank) {
                                  return std::vector{
                                      test::compute_node(1, 100),
                                      test::collective_node(2, chakra::CollectiveType::AllReduce,
                                                            n * part, "", {1})};
                              }),
            machine);
        EXPECT_EQ(results.finish,
                  Time::ns(150'000) + 2 * (n - 1) * (transfer_time(Bytes(part), rate) + latency));
        for (const engine::NpuResult& npu : results.npus) {
            const bool slow = npu.rank == Rank(reversed ? 5 : 2);
            EXPECT_EQ(npu.compute, Time::ns(slow ? 150'000 : 100'000)) << npu.rank.value();
        }
    }
}

// By roofline, too: 10^9 operations at 1 TFLOPS take 1 ms, on the slow NPU 1.3 ms, at 10/13 of the
// peak.
TEST(NpuFaults, SlowRoofline) {
    test::TestMachine machine = test::ring_machine(2, rate, latency);
    machine.system.roofline = true;
    machine.system.compute = {1, 1000};
    machine.network.faults.npus = {{NodeId(1), Factor{1'300'000'000}}};
    chakra::Node node = test::compute_node(1, 0);
    node.set_integer("num_ops", 1'000'000'000);
    node.set_integer("tensor_size", 1000);
    const engine::Results results =
        test::run(test::workload_of(2, [&](Rank) { return std::vector{node}; }), machine);
    EXPECT_EQ(results.npus[0].compute, Time::ns(1'000'000));
    EXPECT_EQ(results.npus[1].compute, Time::ns(1'300'000));
    EXPECT_DOUBLE_EQ(results.npus[0].compute_utilization_percent, 100);
    EXPECT_DOUBLE_EQ(results.npus[1].compute_utilization_percent, 1000.0 / 13);
}

}  // namespace
}  // namespace npunet::faults_test
