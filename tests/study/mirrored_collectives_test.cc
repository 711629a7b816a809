// Collectives that follow those of a communicator that is like theirs.

#include "engine/collective/mirrored_collectives.h"

#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "remembered_runs.h"
#include "tests/support/workloads.h"
#include "topology/parameters/congestion_control.h"

namespace npunet::study::remembered_collectives_test {
namespace {

using chakra::CollectiveType;

/// Four rows of three NPUs. Each has 20 all-reduces of 4 MiB one after the other, which begin when
/// computations of 10 us are done; the first member computes `late` us longer, so that a member
/// begins the next one before the others are done. `more` adds to a rank's nodes.
engine::Workload overlapping(
    std::uint64_t late, const std::function<void(Rank, std::vector<chakra::Node>&)>& more = {}) {
    return test::workload_of(
        12,
        [&](Rank rank) {
            std::vector<chakra::Node> list;
            const std::string row = "row" + std::to_string(rank.value() / 3);
            for (std::uint64_t i = 0; i < 20; ++i) {
                list.push_back(test::compute_node(2 * i + 1, 10));
                if (rank.value() % 3 == 0) {
                    list.push_back(test::compute_node(100 + i, late, {2 * i + 1}));
                }
                list.push_back(
                    test::collective_node(2 * i + 2, CollectiveType::AllReduce, 4 * mib, row,
                                          {rank.value() % 3 == 0 ? 100 + i : 2 * i + 1}));
            }
            if (more) {
                more(rank, list);
            }
            return list;
        },
        rows(3, 4));
}

Machine with_acknowledgements() {
    Machine machine = nodes_of(3, 4);
    machine.network.packet.flow_control = topology::FlowControl::Pfc;
    machine.network.packet.transport.kind = topology::TransportKind::GoBackN;
    return machine;
}

/// Collectives that followed others in the run that came to its end: those that are lost are left
/// out in the next one.
std::uint64_t mirrored_at_last(const engine::Workload& workload, const Machine& machine) {
    engine::CollectivePlanner planner(machine.network, machine.system, machine.dialect, workload);
    engine::CollectiveMemories memories(
        {workload, machine.network, machine.system, machine.dialect, planner},
        [&](engine::EventQueue& its) { return make_network(machine, Fidelity::Packet, its, {}); },
        false);
    for (;;) {
        engine::EventQueue queue;
        const std::unique_ptr<engine::Network> network =
            make_network(machine, Fidelity::Packet, queue, {});
        engine::Simulation simulation(workload, machine.network, machine.system, machine.dialect,
                                      queue, *network);
        simulation.remember_collectives(memories, nullptr);
        try {
            (void)simulation.run();
            return simulation.mirrored_collectives();
        } catch (const engine::CollectivesMet&) {
            memories.run_again(queue.handled());
        }
    }
}

void expect_equal_to_all(const engine::Workload& workload, const Machine& machine) {
    expect_same(figures(run(workload, machine, Fidelity::Packet, true)),
                figures(run(workload, machine, Fidelity::Packet, false)));
}

// Three rows do as the first.
TEST(MirroredCollectives, FollowTheFirstOfThoseThatAreAlike) {
    for (const Machine& machine : {nodes_of(3, 4), with_acknowledgements()}) {
        const engine::Workload workload = overlapping(3);
        EXPECT_EQ(mirrored_at_last(workload, machine), 3U * 20U);
        expect_equal_to_all(workload, machine);
    }
}

// A row of which a rank has other work does not; the others do.
TEST(MirroredCollectives, LeaveOutWhoHasAnotherProgram) {
    const engine::Workload workload = overlapping(3, [](Rank rank, auto& list) {
        if (rank == Rank(4)) {
            list.push_back(test::compute_node(200, 1));
        }
    });
    EXPECT_EQ(mirrored_at_last(workload, with_acknowledgements()), 2U * 20U);
    expect_equal_to_all(workload, with_acknowledgements());
}

// Programs are the same, but the tenth all-reduce of a row waits for a broadcast in the columns,
// which is through in one row after the other: then no row does as the first, and the run is made
// again without.
TEST(MirroredCollectives, AreLostWhereAFollowerBeginsAtAnotherTime) {
    const engine::Workload workload = test::workload_of(
        12,
        [](Rank rank) {
            std::vector<chakra::Node> list{
                test::collective_node(100, CollectiveType::Broadcast, 64 * mib,
                                      "column" + std::to_string(rank.value() % 3))};
            for (std::uint64_t i = 0; i < 20; ++i) {
                list.push_back(test::compute_node(2 * i + 1, 10 + (rank.value() % 3 == 0 ? 3 : 0)));
                list.push_back(test::collective_node(
                    2 * i + 2, CollectiveType::AllReduce, 4 * mib,
                    "row" + std::to_string(rank.value() / 3),
                    i == 10 ? std::vector<std::uint64_t>{2 * i + 1, 100} : std::vector{2 * i + 1}));
            }
            return list;
        },
        rows_and_columns(3, 4));
    EXPECT_EQ(mirrored_at_last(workload, with_acknowledgements()), 0U);
    expect_equal_to_all(workload, with_acknowledgements());
}

// The root of a broadcast is done as soon as it begins, and before the root of the next column
// begins: that does not follow.
TEST(MirroredCollectives, DoNotFollowWhatIsDone) {
    const engine::Workload workload = test::workload_of(
        12,
        [](Rank rank) {
            return std::vector<chakra::Node>{
                test::collective_node(1, CollectiveType::Broadcast, 64 * mib,
                                      "column" + std::to_string(rank.value() % 3))};
        },
        rows_and_columns(3, 4));
    expect_equal_to_all(workload, with_acknowledgements());
}

/// Three rows of four NPUs. Each has 12 all-reduces, whose members begin 3 us apart; beside them
/// the columns have a collective of 4 MiB, after a computation of `micros` microseconds.
engine::Workload beside_columns(CollectiveType type, std::uint64_t micros) {
    return test::workload_of(
        12,
        [&](Rank rank) {
            std::vector<chakra::Node> list;
            for (std::uint64_t i = 0; i < 12; ++i) {
                list.push_back(test::compute_node(2 * i + 1, 10 + (rank.value() % 4 == 0 ? 3 : 0)));
                list.push_back(test::collective_node(2 * i + 2, CollectiveType::AllReduce, 4 * mib,
                                                     "row" + std::to_string(rank.value() / 4),
                                                     {2 * i + 1}));
            }
            list.push_back(test::compute_node(100, micros));
            list.push_back(test::collective_node(
                101, type, 4 * mib, "column" + std::to_string(rank.value() % 4), {100}));
            return list;
        },
        rows_and_columns(4, 3));
}

// While rows are mirrored, a collective of a column begins, over links of its own on a machine of
// rows and columns, and over links of the rows on one with a single switch.
TEST(MirroredCollectives, AreLostWhereOthersUseTheirLinks) {
    const engine::Workload workload = beside_columns(CollectiveType::AllReduce, 400);
    Machine one_switch = nodes_of(4, 3);
    one_switch.network = topology::make_network({topology::make_dimension(
        topology::DimensionKind::Switch, 12, Rate(50'000'000'000), Time::ns(500))});
    EXPECT_EQ(mirrored_at_last(workload, nodes_of(4, 3)), 2U * 12U);
    EXPECT_EQ(mirrored_at_last(workload, one_switch), 0U);
    expect_equal_to_all(workload, nodes_of(4, 3));
    expect_equal_to_all(workload, one_switch);
}

// Rows are mirrored while members of columns send to one of them, which draws random marks on the
// links of the columns only.
TEST(MirroredCollectives, StayWhileMarksAreDrawnElsewhere) {
    const engine::Workload workload = beside_columns(CollectiveType::Gather, 15);
    Machine machine = nodes_of(4, 3);
    machine.network.packet.flow_control = topology::FlowControl::Pfc;
    machine.network.packet.transport.kind = topology::TransportKind::GoBackN;
    machine.network.packet.congestion_control =
        topology::standard_choice(topology::CongestionAlgorithm::Dcqcn);
    machine.network.packet.ecn = {Bytes(100'000), Bytes(160 << 20), 0.1, Rate()};
    EXPECT_EQ(mirrored_at_last(workload, machine), 2U * 12U);
    expect_equal_to_all(workload, machine);
    const engine::Results results = run(workload, machine, Fidelity::Packet, false);
    std::uint64_t marked = 0;
    for (const engine::LinkResult& link : results.links) {
        marked += link.marked;
    }
    EXPECT_GT(marked, 0U);
}

}  // namespace
}  // namespace npunet::study::remembered_collectives_test
