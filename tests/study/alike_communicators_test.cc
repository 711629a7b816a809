// Communicators that are alike but for names, and what is remembered of one for the others.

#include "engine/collective/alike_communicators.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "engine/collective/communicator_links.h"
#include "remembered_runs.h"
#include "tests/support/workloads.h"

namespace npunet::study::remembered_collectives_test {
namespace {

using chakra::CollectiveType;
using topology::DimensionKind;

/// For each row and then each column the first that is like it, and the name of that.
std::vector<std::string> first_of_each(const engine::Workload& workload, const Machine& machine) {
    engine::CommunicatorLinks links(workload, machine.network);
    engine::AlikeCommunicators alike(workload, machine.network, machine.system);
    std::vector<std::string> first;
    for (std::size_t group = 0; group < workload.groups.size(); ++group) {
        if (group != workload.world) {
            std::vector<std::uint32_t> own = links.of(group);
            own.erase(std::lower_bound(own.begin(), own.end(), links.links()), own.end());
            first.push_back(workload.groups[alike.first_like(group, own)].name);
        }
    }
    return first;
}

/// The graph, but that what leaves the node is slower.
topology::Graph with_slow_links_of(NodeId slow, const topology::Graph& graph) {
    topology::Graph other;
    for (std::size_t node = 0; node < graph.nodes(); ++node) {
        (void)other.add_node(graph.kind(NodeId(node)), graph.name(NodeId(node)));
    }
    for (std::size_t number = 0; number < graph.links(); ++number) {
        topology::Link link = graph.link(LinkId(number));
        link.rate = link.from == slow ? Rate(1'000'000'000) : link.rate;
        (void)other.add_link(link);
    }
    return other;
}

/// Three rows of four NPUs and their columns: an all-reduce of 4 MiB in each, twelve times,
/// computing 10 us before; the first one of `other_row` is smaller.
engine::Workload grid(std::optional<std::int32_t> other_row = std::nullopt) {
    return test::workload_of(
        12,
        [&](Rank rank) {
            std::vector<chakra::Node> list;
            for (std::uint64_t layer = 0; layer < 12; ++layer) {
                const std::uint64_t id = 3 * layer + 1;
                const std::int32_t row = rank.value() / 4;
                const bool differs = layer == 0 && other_row == row;
                list.push_back(test::compute_node(
                    id, 10, layer == 0 ? std::vector<std::uint64_t>{} : std::vector{id - 1}));
                list.push_back(test::collective_node(id + 1, CollectiveType::AllReduce,
                                                     differs ? mib : 4 * mib,
                                                     "row" + std::to_string(row), {id}));
                list.push_back(test::collective_node(id + 2, CollectiveType::AllReduce, 4 * mib,
                                                     "column" + std::to_string(rank.value() % 4),
                                                     {id + 1}));
            }
            return list;
        },
        rows_and_columns(4, 3));
}

std::vector<std::string> names(std::initializer_list<int> row_of_rows,
                               std::initializer_list<int> column_of_columns) {
    std::vector<std::string> list;
    for (const int row : row_of_rows) {
        list.push_back("row" + std::to_string(row));
    }
    for (const int column : column_of_columns) {
        list.push_back("column" + std::to_string(column));
    }
    return list;
}

TEST(AlikeCommunicators, AreSoByProgramsRatesAndRoutes) {
    const Machine machine = machine_of(4, 3, false);
    EXPECT_EQ(first_of_each(grid(), machine), names({0, 0, 0}, {0, 0, 0, 0}));
    // Every column has a member of the row whose program is another.
    EXPECT_EQ(first_of_each(grid(1), machine), names({0, 1, 0}, {0, 0, 0, 0}));

    // NPU 6 is in row 1 and column 2.
    Machine slower = machine;
    slower.network.graph = with_slow_links_of(NodeId(6), machine.network.graph);
    EXPECT_EQ(first_of_each(grid(), slower), names({0, 1, 0}, {0, 0, 2, 0}));

    // NPU 6 reduces more slowly.
    Machine other_memory = machine;
    other_memory.system.overrides = {{6, {1.0, 1000.0}}};
    EXPECT_EQ(first_of_each(grid(), other_memory), names({0, 1, 0}, {0, 0, 2, 0}));

    Machine mesh = machine;
    mesh.network = topology::make_network(
        {topology::make_dimension(DimensionKind::Mesh1D, 4, Rate(1'000'000'000), Time::ns(100)),
         topology::make_dimension(DimensionKind::Mesh1D, 3, Rate(1'000'000'000), Time::ns(100))});
    EXPECT_EQ(first_of_each(grid(), mesh), names({0, 0, 0}, {0, 0, 0, 0}));

    // A snake turns the middle row round: its first member is the last NPU.
    Machine snake = mesh;
    snake.network = snake.network.with_placement([] {
        std::vector<NodeId> npus;
        for (const int npu : {0, 1, 2, 3, 7, 6, 5, 4, 8, 9, 10, 11}) {
            npus.emplace_back(npu);
        }
        return npus;
    }());
    EXPECT_EQ(first_of_each(grid(), snake)[1], "row1");
    EXPECT_EQ(first_of_each(grid(), snake)[2], "row0");
}

// Where switches reduce for two communicators only, who has the sums is no longer alike.
TEST(AlikeCommunicators, AreNotWhereSwitchesReduceForSome) {
    EXPECT_EQ(first_of_each(grid(), machine_of(4, 3)), names({0, 0, 0}, {0, 0, 0, 0}));
    topology::ReducingSwitch limits;
    limits.groups = 2;
    Machine machine = reducing(nodes_of(4, 3), 0, limits);
    machine.system.library = library_of("h100");
    EXPECT_EQ(first_of_each(grid(), machine), names({0, 1, 2}, {0, 1, 2, 3}));
}

// Of 84 collectives of seven communicators few are simulated by themselves: of a row and of a
// column one for every difference of when members begin and, in packets, of whose turn it is.
TEST(AlikeCommunicators, RememberOneForAll) {
    for (const bool reduces : {false, true}) {
        const Machine machine = reduces ? machine_of(4, 3) : nodes_of(4, 3);
        const std::uint64_t all = 12 * (3 + 4);
        for (const Fidelity fidelity : {Fidelity::Fluid, Fidelity::Packet}) {
            const std::optional<Count> count = recalled(grid(), machine, fidelity);
            ASSERT_TRUE(count);
            EXPECT_EQ(count->recalled, all);
            EXPECT_LE(count->alone, 6U);
        }
    }
}

}  // namespace
}  // namespace npunet::study::remembered_collectives_test
