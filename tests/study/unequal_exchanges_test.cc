// Unequal all-to-alls by a communication library: equal tables against even collectives, to the
// picosecond; closed forms of the busiest NPU; bytes of links.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "library_machines.h"
#include "tests/support/workloads.h"

namespace npunet::study::unequal_exchanges_test {
namespace {

using engine::CollectiveKind;
using testing::HasSubstr;

constexpr std::int64_t kib = 1 << 10;
constexpr std::int64_t mib = 1 << 20;

/// Bytes from every member to every member.
using Table = std::vector<std::vector<std::int64_t>>;

Table table_of(std::size_t members, std::int64_t each) {
    return Table(members, std::vector<std::int64_t>(members, each));
}

chakra::Node exchange_node(const std::vector<std::int64_t>& row, const std::string& group = "") {
    std::int64_t sum = 0;
    for (const std::int64_t bytes : row) {
        sum += bytes;
    }
    chakra::Node node = test::collective_node(1, chakra::CollectiveType::AllToAll, sum, group);
    node.set("comm_sizes", row);
    return node;
}

engine::Results run_table(const Machine& machine, const Table& table, Fidelity fidelity) {
    const engine::Workload workload = test::workload_of(
        table.size(), [&](Rank rank) { return std::vector{exchange_node(table[rank.index()])}; });
    return simulate(workload, machine, fidelity, {});
}

Machine with_library(Machine machine, const char* gpu) {
    machine.system.library = library_of(gpu);
    return machine;
}

Machine eight(const char* gpu = "h100") {
    return with_library(switch_of(8, Rate(450'000'000'000), Time::ns(250)), gpu);
}

// All parts equal: the messages, protocols and times are those of the collective without a table.
TEST(UnequalExchanges, EqualTablesTakeTheTimeOfEvenOnes) {
    const std::vector<Machine> machines{
        eight("a100"),
        eight("h100"),
        eight("b200"),
        with_library(switch_of(3, Rate(450'000'000'000), Time::ns(250)), "h100"),
        with_library(switch_of(8, Rate(36'000'000'000), Time::ns(250)), "h100"),
        with_library(nodes_of(4, 2), "h100"),
        with_library(nodes_of(8, 4), "b200")};
    for (const Machine& machine : machines) {
        const std::size_t members = machine.network.npu_of_rank.size();
        for (const std::int64_t each : {std::int64_t{1}, 100 * std::int64_t{1}, 2 * kib, 16 * kib,
                                        16 * kib + 1, 64 * kib + 1, mib, 7 * mib + 3}) {
            for (const Fidelity fidelity : {Fidelity::Analytical, Fidelity::Fluid}) {
                const engine::Results even =
                    run_on(machine, CollectiveKind::AllToAll,
                           static_cast<std::int64_t>(members) * each, fidelity);
                const engine::Results table = run_table(machine, table_of(members, each), fidelity);
                EXPECT_EQ(table.finish, even.finish)
                    << members << ' ' << each << ' ' << name_of(fidelity);
                EXPECT_EQ(table.collectives.at(0).algorithm, even.collectives.at(0).algorithm);
            }
        }
    }
}

TEST(UnequalExchanges, EqualTablesSendTheSamePackets) {
    for (const Machine& machine : {eight(), with_library(nodes_of(4, 2), "h100")}) {
        for (const Fidelity fidelity : {Fidelity::CongestionAware, Fidelity::Packet}) {
            const engine::Results even =
                run_on(machine, CollectiveKind::AllToAll, 8 * 300 * kib, fidelity);
            const engine::Results table = run_table(machine, table_of(8, 300 * kib), fidelity);
            EXPECT_EQ(table.finish, even.finish) << name_of(fidelity);
            for (std::size_t link = 0; link < even.links.size(); ++link) {
                EXPECT_EQ(table.links[link].payload, even.links[link].payload);
                EXPECT_EQ(table.links[link].busy, even.links[link].busy);
            }
        }
    }
}

// Member 3 gets twice as much from everybody as the others, s = 4 MiB: 14 s come in over its links
// of 319.4 GB/s and it copies 2 s at 5120 GB/s, after 11.4 us; parts of 256 KiB fill half a slot of
// 13.94 us. Its 16 s on 32 channels at 37.58 GB/s a channel take less.
TEST(UnequalExchanges, TheBusiestReceiverDecides) {
    Table table = table_of(8, 4 * mib);
    for (std::vector<std::int64_t>& row : table) {
        row[3] *= 2;
    }
    const double s = 4 * mib;
    const double us = 11.4 + 14 * s / 319.4e3 + 2 * s / 5120e3 + 13.94 / 2;
    EXPECT_GT(14 * s / 319.4e3, 16 * s / 32 / 37.58e3);
    for (const Fidelity fidelity : {Fidelity::Analytical, Fidelity::Fluid}) {
        const engine::Results results = run_table(eight(), table, fidelity);
        EXPECT_NEAR(static_cast<double>(results.finish.ps()), us * 1e6,
                    fidelity == Fidelity::Analytical ? 2 : 0.01 * us * 1e6);
        EXPECT_THAT(results.collectives.at(0).algorithm, HasSubstr("SendRecv Simple"));
    }
    // The same of a member that sends as much.
    Table turned(8, std::vector<std::int64_t>(8));
    for (std::size_t from = 0; from < 8; ++from) {
        for (std::size_t to = 0; to < 8; ++to) {
            turned[to][from] = table[from][to];
        }
    }
    EXPECT_EQ(run_table(eight(), turned, Fidelity::Analytical).finish,
              run_table(eight(), table, Fidelity::Analytical).finish);
}

// Between nodes of 4: member 1 sends 3 s to each of the others in the other node, 12 s over a NIC
// of 50 GB/s of which data gets 0.9263, one hop of 8.398 us more; 96 KiB parts fill 3/16 of a slot.
TEST(UnequalExchanges, TheBusiestNicDecides) {
    const std::int64_t each = mib;
    Table table = table_of(8, each);
    for (std::size_t to = 4; to < 8; ++to) {
        table[1][to] *= 3;
    }
    const double us =
        11.4 + 8.398 + 12.0 * mib / (50e3 * 0.9263) + 13.94 * (3.0 * mib / 32 / (512 * kib));
    const engine::Results results =
        run_table(with_library(nodes_of(4, 2), "h100"), table, Fidelity::Analytical);
    EXPECT_NEAR(static_cast<double>(results.finish.ps()), us * 1e6, 2);
}

// A network of a tenth of the rate: what comes into the busiest NPU, its own part aside, over its
// link, and the time of a collective of one byte, 7.43 us and 1 byte at 13.75 GB/s.
TEST(UnequalExchanges, SlowLinksDecide) {
    const Machine slow = with_library(switch_of(8, Rate(36'000'000'000), Time::ns(250)), "h100");
    Table table = table_of(8, 4 * mib);
    for (std::vector<std::int64_t>& row : table) {
        row[3] *= 2;
    }
    const double us = 14.0 * 4 * mib / 36e3 + 7.43 + 1 / 13.75e3;
    const engine::Results results = run_table(slow, table, Fidelity::Analytical);
    EXPECT_NEAR(static_cast<double>(results.finish.ps()), us * 1e6, 2);
}

// More bytes never take less time: with pieces that LL takes (16 KiB or less), or as long as to use
// all channels (2 MiB or more). In between more channels may make it shorter, as of even ones.
TEST(UnequalExchanges, MoreBytesTakeNoLessTime) {
    std::mt19937_64 random(7);
    const auto below = [&](std::int64_t bound) {
        return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(bound));
    };
    for (int round = 0; round < 100; ++round) {
        const Machine machine = round % 2 == 0 ? eight() : with_library(nodes_of(4, 2), "h100");
        Table table(8, std::vector<std::int64_t>(8));
        for (std::vector<std::int64_t>& row : table) {
            for (std::int64_t& bytes : row) {
                bytes = below(3) == 0 ? below(16 * kib) : 2 * mib + below(64 * mib);
            }
        }
        const Time before = run_table(machine, table, Fidelity::Analytical).finish;
        std::int64_t& one =
            table[static_cast<std::size_t>(below(8))][static_cast<std::size_t>(below(8))];
        one = std::max<std::int64_t>(2 * one, below(2) == 0 ? 0 : 2 * mib);
        EXPECT_GE(run_table(machine, table, Fidelity::Analytical).finish, before) << round;
    }
}

// Every part crosses the links of its sender and of its receiver, at every fidelity.
TEST(UnequalExchanges, LinksCarryTheTable) {
    std::mt19937_64 random(11);
    Table table(8, std::vector<std::int64_t>(8));
    for (std::vector<std::int64_t>& row : table) {
        for (std::int64_t& bytes : row) {
            bytes = static_cast<std::int64_t>(random() % 300'000);
        }
    }
    table[2][5] = 0;
    const Machine machine = eight();
    for (const Fidelity fidelity :
         {Fidelity::Analytical, Fidelity::CongestionAware, Fidelity::Fluid, Fidelity::Packet}) {
        const engine::Results results = run_table(machine, table, fidelity);
        const topology::Graph& graph = machine.network.graph;
        for (std::size_t i = 0; i < graph.links(); ++i) {
            const topology::Link& link = graph.link(LinkId(i));
            const bool out = graph.kind(link.from) == topology::NodeKind::Npu;
            const std::size_t own = out ? link.from.index() : link.to.index();
            std::int64_t bytes = 0;
            for (std::size_t other = 0; other < 8; ++other) {
                bytes += other == own ? 0 : out ? table[own][other] : table[other][own];
            }
            EXPECT_EQ(results.links[i].payload.value(), bytes)
                << graph.name(link.from) << ' ' << name_of(fidelity);
        }
        EXPECT_EQ(results.collectives.at(0).bytes.value(),
                  std::accumulate(table[0].begin(), table[0].end(), std::int64_t{0}));
    }
}

// NPUs of two groups that send alike are not alike where the others of their groups do not.
TEST(UnequalExchanges, FoldedRunsAreThoseOfAllNpus) {
    const Machine machine = with_library(nodes_of(8, 2), "h100");
    const engine::Workload workload = test::workload_of(
        16,
        [](Rank rank) {
            const bool second = rank.value() >= 8;
            std::vector<std::int64_t> row(8, 3 * mib);
            row[2] = second && rank.value() % 8 == 5 ? 40 * mib : 3 * mib;
            return std::vector{exchange_node(row, second ? "b" : "a")};
        },
        {{"a", {Rank(0), Rank(1), Rank(2), Rank(3), Rank(4), Rank(5), Rank(6), Rank(7)}},
         {"b", {Rank(8), Rank(9), Rank(10), Rank(11), Rank(12), Rank(13), Rank(14), Rank(15)}}});
    RunOptions all;
    all.fold = false;
    const engine::Results folded = simulate(workload, machine, Fidelity::Analytical, {});
    const engine::Results simulated = simulate(workload, machine, Fidelity::Analytical, all);
    for (std::size_t rank = 0; rank < 16; ++rank) {
        EXPECT_EQ(folded.npus[rank].finish, simulated.npus[rank].finish);
    }
    EXPECT_LT(folded.npus[0].finish, folded.npus[8].finish);
    for (std::size_t link = 0; link < folded.links.size(); ++link) {
        EXPECT_EQ(folded.links[link].payload, simulated.links[link].payload);
    }
}

}  // namespace
}  // namespace npunet::study::unequal_exchanges_test
