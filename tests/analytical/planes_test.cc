// Messages over parallel planes at the estimate and the congestion-aware fidelity.
//
// With k planes of rate r and latency L in all, a message of b bytes takes L + ceil(b / k) / r at
// the estimate, h (a + ceil(b / k) / r) where each of h links with latency a takes in a part whole.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "analytical/congestion_aware.h"
#include "analytical/congestion_unaware.h"
#include "engine/simulation/fold_finder.h"
#include "engine/simulation/simulation.h"
#include "tests/analytical/traffic_networks.h"
#include "tests/support/machines.h"
#include "tests/support/workloads.h"
#include "topology/yaml/network_reader.h"

namespace npunet::planes_test {
namespace {

using analytical::CongestionAware;
using analytical::CongestionUnaware;
using packet_test::message;
using packet_test::Plan;

/// NPUs with a link of 100 GB/s and 50 ns to each of the switches; `rest` of them has other links.
topology::NetworkDescription network_of(int npus, int switches, const std::string& rest = "",
                                        const std::string& nodes = "") {
    std::string text = "Custom:\n  nodes:\n";
    for (int i = 0; i < npus; ++i) {
        text += fmt::format("    - {{name: g{}, kind: npu}}\n", i);
    }
    for (int i = 0; i < switches; ++i) {
        text += fmt::format("    - {{name: s{}, kind: switch}}\n", i);
    }
    text += nodes + "  links:\n";
    for (int i = 0; i < npus; ++i) {
        for (int s = 0; s < switches; ++s) {
            text +=
                fmt::format("    - {{from: g{}, to: s{}, bandwidth: 100, latency: 50}}\n", i, s);
        }
    }
    return topology::parse_network(text + rest, "planes.yml");
}

Time ser(std::int64_t bytes) {
    return transfer_time(Bytes(bytes), Rate(100'000'000'000));
}

TEST(PlanesEstimate, OneMessageUsesAllPlanes) {
    for (const int planes : {2, 3, 4, 8}) {
        const auto network = network_of(3, planes);
        for (const std::int64_t bytes : {0, 1, 5, 1000, 1'000'003}) {
            const std::int64_t part = (bytes + planes - 1) / planes;
            const Plan plan{message(0, 2, bytes)};
            EXPECT_EQ(test::run_traffic<CongestionUnaware>(plan, network).outcomes[0].delivered,
                      Time::ns(100) + ser(part));
            EXPECT_EQ(test::run_traffic<CongestionAware>(plan, network).outcomes[0].delivered,
                      2 * (Time::ns(50) + ser(part)));
        }
    }
}

// Behind four links of 100 GB/s four of 50: the slower ones count.
TEST(PlanesEstimate, TheSlowestLinkOfAPlaneCounts) {
    std::string rest;
    for (int s = 0; s < 4; ++s) {
        rest += fmt::format("    - {{from: s{}, to: slow, bandwidth: 50, latency: 50}}\n", s);
    }
    const auto network = network_of(2, 4, rest, "    - {name: slow, kind: npu}\n");
    const Plan plan{message(0, 2, 400'000), message(0, 2, 400'000)};
    const auto run = test::run_traffic<CongestionUnaware>(plan, network);
    EXPECT_EQ(run.outcomes[0].delivered, Time::ns(100 + 2000));
    EXPECT_EQ(run.outcomes[1].delivered, Time::ns(100 + 4000));
}

// What leaves one NPU, and what reaches one, shares its ports: n messages take n times as long.
TEST(PlanesEstimate, PortsAreSharedAsOne) {
    const auto network = network_of(5, 4);
    const Plan out{message(0, 1, 400'000), message(0, 2, 400'000), message(0, 3, 400'000)};
    const Plan in{message(1, 0, 400'000), message(2, 0, 400'000), message(3, 0, 400'000)};
    for (const Plan& plan : {out, in}) {
        const auto run = test::run_traffic<CongestionUnaware>(plan, network);
        EXPECT_EQ(test::last_delivery(run), Time::ns(100 + 3000));
        for (const engine::LinkUse& use : run.links) {
            EXPECT_TRUE(use.payload == Bytes(0) || use.payload == Bytes(100'000) ||
                        use.payload == Bytes(300'000));
        }
    }
}

// h has a link to s0 and s1 only. Two planes to it, four to the others: whatever shares a port
// queues there.
TEST(PlanesEstimate, MessagesOverSomeOfThePortsQueue) {
    const std::string two =
        "    - {from: h, to: s0, bandwidth: 100, latency: 50}\n"
        "    - {from: h, to: s1, bandwidth: 100, latency: 50}\n";
    const auto network = network_of(3, 4, two, "    - {name: h, kind: npu}\n");
    // The switches' numbers follow those of the NPUs, h among these.
    const Plan plan{message(0, 3, 200'000), message(0, 1, 400'000)};
    const auto run = test::run_traffic<CongestionUnaware>(plan, network);
    EXPECT_EQ(run.outcomes[0].delivered, Time::ns(100 + 1000));
    EXPECT_EQ(run.outcomes[1].delivered, Time::ns(100 + 2000));
    // Part by part: the planes over s2 and s3 are there early, the message is when the others are.
    const auto aware = test::run_traffic<CongestionAware>(plan, network);
    EXPECT_EQ(aware.outcomes[0].delivered, Time::ns(2 * 50 + 2 * 1000));
    EXPECT_EQ(aware.outcomes[1].delivered, Time::ns(2 * 50 + 3 * 1000));
}

// Bytes of random traffic: what a link into an NPU carries over all planes adds up to what was sent
// to it, exactly, and no plane of a message has more than one byte above another.
TEST(PlanesEstimate, BytesAreConserved) {
    std::mt19937_64 random(11);
    for (int i = 0; i < 20; ++i) {
        const int planes = 2 + static_cast<int>(random() % 4);
        const auto network = network_of(6, planes);
        const Plan plan =
            packet_test::make_plan(packet_test::Pattern::Random, 6, 10'000, 1000, random);
        std::map<std::int32_t, std::int64_t> sent;
        std::int64_t messages = 0;
        for (const packet_test::PlannedMessage& each : plan) {
            sent[each.destination.value()] += each.bytes.value();
            ++messages;
        }
        const auto check = [&](const test::NaiveRun& run) {
            std::map<std::int32_t, std::vector<std::int64_t>> taken_in;
            for (std::size_t link = 0; link < run.links.size(); ++link) {
                const topology::Link& ends = network.graph.link(LinkId(link));
                if (ends.to.index() < 6) {
                    taken_in[ends.to.value()].push_back(run.links[link].payload.value());
                }
                EXPECT_EQ(run.links[link].payload, run.links[link].wire);
            }
            for (const auto& [npu, parts] : taken_in) {
                EXPECT_EQ(std::accumulate(parts.begin(), parts.end(), std::int64_t{0}), sent[npu]);
                const auto [least, most] = std::minmax_element(parts.begin(), parts.end());
                EXPECT_LE(*most - *least, messages);
            }
        };
        check(test::run_traffic<CongestionUnaware>(plan, network));
        check(test::run_traffic<CongestionAware>(plan, network));
        const auto once = test::run_traffic<CongestionAware>(plan, network);
        const auto again = test::run_traffic<CongestionAware>(plan, network, 77);
        for (std::size_t m = 0; m < plan.size(); ++m) {
            EXPECT_EQ(once.outcomes[m].delivered, again.outcomes[m].delivered);
            EXPECT_EQ(once.outcomes[m].deliveries, 1);
        }
    }
}

// A plane with a fault is not equal to the others: three of four carry the message.
TEST(PlanesEstimate, PlanesWithFaultsCarryNothing) {
    const auto network =
        network_of(2, 4, "faults:\n  - {link: [g0, s2], at: 0ns, bandwidth_factor: 0}\n");
    const Plan plan{message(0, 1, 300'000)};
    EXPECT_EQ(test::run_traffic<CongestionUnaware>(plan, network).outcomes[0].delivered,
              Time::ns(100 + 1000));
    EXPECT_EQ(test::run_traffic<CongestionAware>(plan, network).outcomes[0].delivered,
              Time::ns(100 + 2000));
}

engine::Results run(const engine::Workload& workload, const test::TestMachine& machine,
                    const engine::Fold& fold) {
    engine::EventQueue queue(machine.dialect.event_order);
    CongestionUnaware network(machine.network, queue, machine.dialect, fold);
    engine::Simulation simulation(workload, machine.network, machine.system, machine.dialect, queue,
                                  network, fold);
    return simulation.run();
}

// Equal NPUs simulated once: the same times and the same bytes on every link.
TEST(PlanesFold, ChangesNothing) {
    using chakra::CollectiveType;
    for (const engine::Algorithm algorithm :
         {engine::Algorithm::Ring, engine::Algorithm::Direct, engine::Algorithm::HalvingDoubling}) {
        for (const int planes : {2, 3, 4}) {
            test::TestMachine machine;
            machine.network = network_of(8, planes);
            std::reverse(machine.network.npu_of_rank.begin(), machine.network.npu_of_rank.end());
            machine.use(algorithm);
            const engine::Workload workload = test::workload_of(8, [](Rank) {
                return std::vector{test::collective_node(1, CollectiveType::AllReduce, 1'600'001),
                                   test::collective_node(2, CollectiveType::AllGather, 40'000)};
            });
            const engine::Fold fold =
                engine::find_fold(workload, machine.network, machine.system, machine.dialect);
            const engine::Results folded = run(workload, machine, fold);
            const engine::Results whole =
                run(workload, machine, engine::Fold::everyone_for_itself());
            EXPECT_EQ(folded.finish, whole.finish);
            for (std::size_t i = 0; i < whole.links.size(); ++i) {
                EXPECT_EQ(folded.links[i].payload, whole.links[i].payload) << "link " << i;
                EXPECT_EQ(folded.links[i].busy, whole.links[i].busy) << "link " << i;
            }
        }
    }
}

// With parts of one size all NPUs are alike. Where a pair of them has a link beside the planes, so
// that messages reach an NPU over different sets of ports, none stands for another.
TEST(PlanesFold, FoldsEqualPortsOnly) {
    const engine::Workload workload = test::workload_of(4, [](Rank) {
        return std::vector{test::collective_node(1, chakra::CollectiveType::AllToAll, 1'600'000)};
    });
    test::TestMachine machine;
    machine.network = network_of(4, 4);
    machine.use(engine::Algorithm::Direct);
    EXPECT_EQ(
        engine::find_fold(workload, machine.network, machine.system, machine.dialect).simulated(4),
        1U);
    // s4 is a fifth plane between g0 and g1, and between g2 and g3.
    std::string rest;
    for (int i = 0; i < 4; ++i) {
        rest +=
            fmt::format("    - {{from: g{}, to: t{}, bandwidth: 100, latency: 50}}\n", i, i / 2);
    }
    machine.network =
        network_of(4, 4, rest, "    - {name: t0, kind: switch}\n    - {name: t1, kind: switch}\n");
    ASSERT_EQ(machine.network.routes(NodeId(0), NodeId(1)).size(), 5U);
    ASSERT_EQ(machine.network.routes(NodeId(0), NodeId(2)).size(), 4U);
    EXPECT_TRUE(
        engine::find_fold(workload, machine.network, machine.system, machine.dialect).trivial());
}

}  // namespace
}  // namespace npunet::planes_test
