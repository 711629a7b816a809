// Communicators: listed in any order, overlapping, on parts of the dimensions; roots; unequal
// all-to-alls. T(b) = ceil(b / rate), L a link's latency.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>

#include "tests/support/collectives.h"

namespace npunet::collective_groups_test {
namespace {

using chakra::CollectiveType;
using test::collective_node;
using test::TestMachine;
using topology::DimensionKind;

constexpr Rate rate(50'000'000'000);
constexpr Time latency = Time::ns(500);

Time ser(std::int64_t bytes) {
    return transfer_time(Bytes(bytes), rate);
}

std::vector<Rank> ranks_of(const std::vector<int>& numbers) {
    std::vector<Rank> list;
    for (const int number : numbers) {
        list.emplace_back(number);
    }
    return list;
}

bool has(const engine::Group& group, Rank rank) {
    return std::find(group.ranks.begin(), group.ranks.end(), rank) != group.ranks.end();
}

/// Every member of each group runs one collective on it, the groups side by side.
engine::Results run_groups(const TestMachine& machine, const std::vector<engine::Group>& groups,
                           CollectiveType type, std::int64_t bytes) {
    return test::run(
        test::workload_of(
            machine.network.graph.npus(),
            [&](Rank rank) {
                std::vector<chakra::Node> nodes;
                for (const engine::Group& group : groups) {
                    if (has(group, rank)) {
                        nodes.push_back(collective_node(nodes.size() + 1, type, bytes, group.name));
                    }
                }
                return nodes;
            },
            groups),
        machine);
}

// A link for every pair: n members in any order need 2 (n-1) (L + T(S/n)) by ring, and with one
// level of folding for n = 3 and 6, none for n = 8, what halving-doubling takes, wherever the
// members sit.
TEST(CollectiveGroups, MembersInRandomOrder) {
    std::mt19937 random(3);
    for (const std::int64_t n : {3, 6, 8, 24}) {
        TestMachine machine = test::line_machine(DimensionKind::FullyConnected, 24, rate, latency);
        const std::int64_t size = 48'000 * n;
        std::vector<Time> halving;
        for (int order = 0; order < 5; ++order) {
            std::vector<int> numbers(24);
            std::iota(numbers.begin(), numbers.end(), 0);
            std::shuffle(numbers.begin(), numbers.end(), random);
            numbers.resize(static_cast<std::size_t>(n));
            const std::vector<engine::Group> groups{{"1", ranks_of(numbers)}};
            machine.use(engine::Algorithm::Ring);
            EXPECT_EQ(run_groups(machine, groups, CollectiveType::AllReduce, size).finish,
                      2 * (n - 1) * (latency + ser(size / n)));
            machine.use(engine::Algorithm::HalvingDoubling);
            halving.push_back(run_groups(machine, groups, CollectiveType::AllReduce, size).finish);
        }
        EXPECT_EQ(std::count(halving.begin(), halving.end(), halving.front()), 5);
    }
}

// Two groups that share two ranks and no link between their pairs: each takes the time it takes
// alone.
TEST(CollectiveGroups, Overlapping) {
    const TestMachine machine = test::line_machine(DimensionKind::FullyConnected, 8, rate, latency);
    const std::vector<engine::Group> groups{{"1", ranks_of({0, 2, 1, 3})},
                                            {"2", ranks_of({4, 2, 5, 3, 7, 6})}};
    const engine::Results results = run_groups(machine, groups, CollectiveType::AllReduce, 120'000);
    EXPECT_EQ(results.npus[0].finish, 6 * (latency + ser(30'000)));
    EXPECT_EQ(results.npus[4].finish, 10 * (latency + ser(20'000)));
    EXPECT_EQ(results.npus[2].finish, results.npus[4].finish);
}

// A row or a column of a torus, whatever the order in which it is listed, is a ring of its own with
// its dimension's algorithm; a part of a row is one ring in listed order.
TEST(CollectiveGroups, SubGridsWorkByDimension) {
    TestMachine machine = test::torus_machine(4, 4, rate, latency);
    machine.system.implementations(engine::CollectiveKind::AllReduce) = {
        test::implementation("ring"), test::implementation("bidirectionalRing")};
    const auto algorithm = [&](const std::vector<int>& ranks, Time& finish) {
        const engine::Results results =
            run_groups(machine, {{"1", ranks_of(ranks)}}, CollectiveType::AllReduce, 96'000);
        finish = results.finish;
        return results.collectives.front().algorithm;
    };
    Time time;
    EXPECT_EQ(algorithm({6, 4, 7, 5}, time), "ring");
    EXPECT_EQ(time, 6 * (latency + ser(24'000)));
    EXPECT_EQ(algorithm({9, 1, 13, 5}, time), "bidirectionalRing");
    EXPECT_EQ(time, 6 * (latency + ser(12'000)));
    EXPECT_EQ(algorithm({4, 5, 6}, time), "ring");
    // From 6 back to 4 it is two links, and four steps round the three come by there twice.
    EXPECT_EQ(time, 4 * (latency + ser(32'000)) + 2 * latency);
}

// involve_dims: the ranks that differ in the marked dimensions only. {true, false} is each row of a
// 4 x 3 torus at once, {false, true} each column, both the whole.
TEST(CollectiveGroups, InvolvedDimensions) {
    const TestMachine machine = test::torus_machine(4, 3, rate, latency);
    const auto time = [&](const std::vector<bool>& involved) {
        engine::WorkloadOptions options;
        options.network = &machine.network;
        const engine::Workload workload = engine::make_workload(
            12,
            [&](Rank) {
                chakra::Node node = collective_node(1, CollectiveType::AllReduce, 120'000);
                node.set("involve_dims", involved);
                return std::vector{node};
            },
            [](Rank) { return "memory"; }, {}, options);
        return test::run(workload, machine).finish;
    };
    const Time row = 6 * (latency + ser(30'000));
    const Time column = 4 * (latency + ser(40'000));
    EXPECT_EQ(time({true, false}), row);
    EXPECT_EQ(time({false, true}), column);
    EXPECT_EQ(time({true, true}), row + 4 * (latency + ser(10'000)));
}

/// Rank i sends sizes(i, j) bytes to rank j.
engine::Results run_unequal(const TestMachine& machine,
                            const std::function<std::int64_t(std::int64_t, std::int64_t)>& sizes) {
    const std::size_t n = machine.network.graph.npus();
    return test::run(test::workload_of(
                         n,
                         [&](Rank rank) {
                             std::vector<std::int64_t> list;
                             for (std::size_t to = 0; to < n; ++to) {
                                 list.push_back(sizes(rank.value(), static_cast<std::int64_t>(to)));
                             }
                             chakra::Node node = collective_node(
                                 1, CollectiveType::AllToAll,
                                 std::accumulate(list.begin(), list.end(), std::int64_t{0}));
                             node.set("comm_sizes", list);
                             return std::vector{node};
                         }),
                     machine);
}

// A link for every pair: the largest message sets the time, L + T(max); no member waits for more
// than what it receives. Sizes of 0 are messages of 0 bytes.
TEST(CollectiveGroups, UnequalAllToAll) {
    constexpr std::int64_t n = 6;
    const TestMachine machine = test::line_machine(DimensionKind::FullyConnected, n, rate, latency);
    const auto sizes = [](std::int64_t from, std::int64_t to) {
        return (from + 2 * to) % 5 * 10'000;
    };
    const engine::Results results = run_unequal(machine, sizes);
    for (std::int64_t me = 0; me < n; ++me) {
        Time last;
        for (std::int64_t from = 0; from < n; ++from) {
            last = from == me ? last : std::max(last, latency + ser(sizes(from, me)));
        }
        EXPECT_EQ(results.npus[static_cast<std::size_t>(me)].finish, last);
    }
}

// Everybody sends to rank 0 alone, which sends nothing at all: through its one port at the switch
// n - 1 messages come in one after the other, (n-1) T(S) + 2 L.
TEST(CollectiveGroups, UnequalAllToAllWithNothingToSend) {
    constexpr std::int64_t n = 5;
    const TestMachine machine = test::line_machine(DimensionKind::Switch, n, rate, latency);
    const engine::Results results = run_unequal(machine, [](std::int64_t from, std::int64_t to) {
        return from != 0 && to == 0 ? 1'000'000 : 0;
    });
    EXPECT_EQ(results.finish, (n - 1) * ser(1'000'000) + 2 * latency);
}

// In c chunks each message is cut in c, and the parts sum to it: the bytes on all links are those
// of the sizes, whatever divides, and however much less one member sends than another.
TEST(CollectiveGroups, UnequalAllToAllInChunks) {
    constexpr std::int64_t n = 4;
    TestMachine machine = test::line_machine(DimensionKind::FullyConnected, n, rate, latency);
    using Sizes = std::function<std::int64_t(std::int64_t from, std::int64_t to)>;
    for (const Sizes& sizes : std::vector<Sizes>{
             [](auto from, auto to) { return from * 101 + to * 13 + 1; },
             [](auto from, auto to) { return from * from * (to + 1); },
             [](auto from, auto) { return from == 2 ? 1'000'000 : 0; },
             [](auto from, auto to) { return from == 1 && to == 3 ? 1 : from * 100'000; }}) {
        Bytes expected;
        for (std::int64_t from = 0; from < n; ++from) {
            for (std::int64_t to = 0; to < n; ++to) {
                expected += from == to ? Bytes() : Bytes(sizes(from, to));
            }
        }
        for (const std::int32_t splits : {1, 2, 7, 1024}) {
            machine.system.preferred_dataset_splits = splits;
            Bytes found;
            for (const engine::LinkResult& link : run_unequal(machine, sizes).links) {
                found += link.payload;
            }
            EXPECT_EQ(found, expected) << splits;
        }
    }
}

// Without comm_root the first listed member is the root; a broadcast by chain round a ring of 4
// then ends, L + T(S) a link, at the member before it.
TEST(CollectiveGroups, TheRoot) {
    TestMachine machine = test::ring_machine(4, rate, latency);
    machine.use(engine::Algorithm::Ring);
    for (const std::int64_t root : {-1, 0, 1, 2, 3}) {
        const engine::Results results =
            test::collective_run(CollectiveType::Broadcast, 10'000, machine, root);
        const std::int64_t first = std::max<std::int64_t>(root, 0);
        for (std::int64_t distance = 1; distance < 4; ++distance) {
            const std::int64_t member = (first + distance) % 4;
            EXPECT_EQ(results.npus[static_cast<std::size_t>(member)].finish,
                      distance * (latency + ser(10'000)));
        }
    }
}

// Three dimensions, several chunks, every member late by a time of its own: no member waits in a
// cycle, and none is done before the last one has come.
TEST(CollectiveGroups, LateMembersNeverStall) {
    std::mt19937 random(5);
    const std::vector<const char*> algorithms{
        "ring", "bidirectionalRing", "multiRing", "halvingDoubling", "recursiveDoubling", "direct"};
    for (int i = 0; i < 120; ++i) {
        std::vector<topology::Dimension> dimensions;
        for (int d = 0; d < 3; ++d) {
            dimensions.push_back(topology::make_dimension(
                static_cast<DimensionKind>(random() % 4), 2 + static_cast<int>(random() % 3),
                Rate(1'000'000'000 * static_cast<std::int64_t>(1 + random() % 50)), latency));
        }
        TestMachine machine;
        machine.network = topology::make_network(dimensions);
        machine.use(test::implementation(algorithms[random() % algorithms.size()]));
        machine.system.preferred_dataset_splits = 1 + static_cast<int>(random() % 6);
        machine.system.active_chunks_per_dimension = 1 + static_cast<int>(random() % 3);
        const std::size_t n = machine.network.graph.npus();
        std::vector<std::uint64_t> late(n);
        std::generate(late.begin(), late.end(), [&] { return 1 + random() % 300; });
        const engine::Results results = test::run(
            test::workload_of(n,
                              [&](Rank rank) {
                                  return std::vector{test::compute_node(1, late[rank.index()]),
                                                     collective_node(2, CollectiveType::AllReduce,
                                                                     100'003, "", {1})};
                              }),
            machine);
        const auto last = static_cast<std::int64_t>(*std::max_element(late.begin(), late.end()));
        for (const engine::NpuResult& npu : results.npus) {
            ASSERT_GE(npu.finish, Time::ns(1000 * last));
        }
    }
}

}  // namespace
}  // namespace npunet::collective_groups_test
