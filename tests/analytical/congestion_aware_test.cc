// The congestion-aware network, npunet dialect, against closed forms.

#include "analytical/congestion_aware.h"

#include <gtest/gtest.h>

#include "tests/analytical/traffic_networks.h"
#include "tests/support/machines.h"
#include "tests/support/runs.h"
#include "tests/support/workloads.h"

namespace npunet::congestion_aware_test {
namespace {

using analytical::CongestionAware;
using chakra::CollectiveType;
using packet_test::Plan;
using test::collective_node;
using test::NaiveRun;
using test::run_traffic;
using topology::DimensionKind;

constexpr Rate rate(50'000'000'000);
constexpr Time latency = Time::ns(500);

topology::NetworkDescription line(DimensionKind kind, std::int32_t size) {
    return topology::make_network({topology::make_dimension(kind, size, rate, latency)});
}

packet_test::PlannedMessage message(std::int32_t from, std::int32_t to, std::int64_t bytes,
                                    Time start = Time()) {
    return {NodeId(from), NodeId(to), Bytes(bytes), start, -1, true};
}

// One message of S bytes over h equal links: h (latency + ceil(S x 10^12 / rate)).
TEST(CongestionAware, OneMessageOverEqualLinks) {
    for (const std::int64_t bytes : {0, 1, 4096, 1'000'003}) {
        for (std::int32_t hops = 1; hops < 8; ++hops) {
            const NaiveRun run = run_traffic<CongestionAware>({message(0, hops, bytes)},
                                                              line(DimensionKind::Mesh1D, 8));
            EXPECT_EQ(run.outcomes[0].delivered,
                      hops * (latency + transfer_time(Bytes(bytes), rate)));
            EXPECT_EQ(run.outcomes[0].sent, transfer_time(Bytes(bytes), rate));
            EXPECT_EQ(run.outcomes[0].first_byte_left, Time());
        }
    }
}

// m messages of S bytes, sent at once over the same h links: the k-th (from 0) leaves the source
// from k ser to (k + 1) ser and arrives after k ser + h (ser + latency); the queue of the first
// link holds m - 1 of them at first, the others none, for a message is away when the next one
// comes.
TEST(CongestionAware, MessagesThatShareLinksFollowEachOther) {
    constexpr std::int32_t hops = 3;
    constexpr int messages = 5;
    constexpr std::int64_t bytes = 100'000;
    const Time ser = transfer_time(Bytes(bytes), rate);
    const NaiveRun run = run_traffic<CongestionAware>(Plan(messages, message(0, hops, bytes)),
                                                      line(DimensionKind::Mesh1D, hops + 1));
    for (int k = 0; k < messages; ++k) {
        const packet_test::Outcome& outcome = run.outcomes[static_cast<std::size_t>(k)];
        EXPECT_EQ(outcome.first_byte_left, k * ser);
        EXPECT_EQ(outcome.sent, (k + 1) * ser);
        EXPECT_EQ(outcome.delivered, k * ser + hops * (ser + latency));
    }
    // Links 2 i and 2 i + 1 are the two directions between i and i + 1.
    EXPECT_EQ(run.links[0].max_queue, Bytes((messages - 1) * bytes));
    EXPECT_EQ(run.links[2].max_queue, Bytes(0));
    for (const std::size_t link : {0, 2, 4}) {
        EXPECT_EQ(run.links[link].payload, Bytes(messages * bytes));
        EXPECT_EQ(run.links[link].busy, messages * ser);
        EXPECT_EQ(run.links[link + 1].payload, Bytes(0));
    }
}

// Incast through a switch: n equal messages reach it at once, at ser + latency, and leave by one
// link in the order of their sources: the k-th (from 0) is there a further (k + 1) ser + latency
// later.
TEST(CongestionAware, IncastLeavesInTheOrderOfTheSources) {
    constexpr std::int32_t npus = 9;
    constexpr std::int64_t bytes = 1'000'000;
    const Time ser = transfer_time(Bytes(bytes), rate);
    Plan plan;
    for (std::int32_t source = npus - 1; source > 0; --source) {
        plan.push_back(message(source, 0, bytes));
    }
    for (std::uint64_t shuffle = 0; shuffle < 10; ++shuffle) {
        const NaiveRun run =
            run_traffic<CongestionAware>(plan, line(DimensionKind::Switch, npus), shuffle);
        for (std::int32_t k = 0; k < npus - 1; ++k) {
            EXPECT_EQ(run.outcomes[static_cast<std::size_t>(npus - 2 - k)].delivered,
                      (ser + latency) + (k + 1) * ser + latency);
        }
    }
}

// On its own ring every step of a ring collective has its link to itself, one hop long: all
// collectives take exactly what the estimate says.
TEST(CongestionAware, RingCollectivesOnTheirRingEqualTheEstimate) {
    for (const std::int64_t n : {2, 3, 4, 8, 13}) {
        const test::TestMachine machine = test::ring_machine(n, rate, latency);
        for (const CollectiveType type :
             {CollectiveType::AllReduce, CollectiveType::AllGather, CollectiveType::ReduceScatter,
              CollectiveType::AllToAll}) {
            const engine::Workload workload = test::workload_of(
                static_cast<std::size_t>(n),
                [&](Rank) { return std::vector{collective_node(1, type, 1'000'003)}; });
            EXPECT_EQ(test::run<CongestionAware>(workload, machine).finish,
                      test::run(workload, machine).finish);
        }
    }
}

// Direct all-to-all of parts of S bytes through one switch, all starting at once: NPU i sends to
// i + 1, i + 2, ..., one after the other, so in each message time every link of the switch carries
// one message, and nothing waits there: (n - 1) ser to leave, ser and two latencies to arrive.
TEST(CongestionAware, DirectAllToAllThroughASwitch) {
    for (const std::int64_t n : {2, 3, 8}) {
        constexpr std::int64_t part = 65536;
        test::TestMachine machine = test::line_machine(DimensionKind::Switch, n, rate, latency);
        machine.use(engine::Algorithm::Direct);
        const engine::Workload workload = test::workload_of(static_cast<std::size_t>(n), [&](Rank) {
            return std::vector{collective_node(1, CollectiveType::AllToAll, n * part)};
        });
        EXPECT_EQ(test::run<CongestionAware>(workload, machine).finish,
                  n * transfer_time(Bytes(part), rate) + 2 * latency);
    }
}

// First-come-first-served networks are not monotone in general: a faster link can change an order
// that pays elsewhere. Where messages share one route the order never changes, and each delivery is
// a maximum of sums of transfer times (max-plus linear): slower links, later deliveries.
TEST(CongestionAware, SlowerLinksAreNeverFasterAlongOneRoute) {
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
        std::mt19937_64 random(seed);
        Plan plan;
        for (int i = 0; i < 20; ++i) {
            plan.push_back(message(0, 1 + 2 + 8, static_cast<std::int64_t>(random() % 100'000),
                                   Time::ps(static_cast<std::int64_t>(random() % 5'000'000))));
        }
        std::vector<std::int64_t> rates{90'000'000'000, 40'000'000'000, 60'000'000'000};
        const auto deliveries = [&] {
            std::vector<topology::Dimension> dimensions;
            for (const std::int64_t each : rates) {
                dimensions.push_back(
                    topology::make_dimension(DimensionKind::Mesh1D, 2, Rate(each), latency));
            }
            dimensions[2].size = 3;
            return run_traffic<CongestionAware>(plan, topology::make_network(dimensions)).outcomes;
        };
        const std::vector<packet_test::Outcome> before = deliveries();
        std::int64_t& changed = rates[seed % 3];
        changed -= 1 + static_cast<std::int64_t>(random() % 30'000'000'000);
        const std::vector<packet_test::Outcome> after = deliveries();
        for (std::size_t i = 0; i < plan.size(); ++i) {
            ASSERT_GE(after[i].delivered, before[i].delivered) << "seed " << seed;
        }
    }
}

// One message from each source to one NPU through a switch. The last link is one server that never
// idles while something waits, so the last delivery, max over k of (arrival of k at the switch +
// the transfer times of k and all that arrive later) + latency, does not depend on the order, and
// slower links only add to each term.
TEST(CongestionAware, SlowerLinksNeverHelpAnIncast) {
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
        std::mt19937_64 random(seed);
        Plan plan;
        for (std::int32_t source = 1; source < 12; ++source) {
            plan.push_back(message(source, 0, static_cast<std::int64_t>(random() % 100'000),
                                   Time::ps(static_cast<std::int64_t>(random() % 5'000'000))));
        }
        Time before;
        for (std::int64_t each = 90'000'000'000; each > 0; each -= 7'000'000'000) {
            const Time last = test::last_delivery(run_traffic<CongestionAware>(
                plan, topology::make_network({topology::make_dimension(DimensionKind::Switch, 12,
                                                                       Rate(each), latency)})));
            ASSERT_GE(last, before) << "seed " << seed;
            before = last;
        }
    }
}

}  // namespace
}  // namespace npunet::congestion_aware_test
