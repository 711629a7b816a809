// Random programs: nothing of the results changes where collectives are remembered.

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <optional>

#include "remembered_runs.h"
#include "tests/support/counted_cases.h"
#include "tests/support/draw.h"
#include "tests/support/workloads.h"
#include "topology/parameters/congestion_control.h"

namespace npunet::study::remembered_collectives_test {
namespace {

using chakra::CollectiveType;
using topology::DimensionKind;

/// Operations that all ranks of a communicator have, in one order everywhere; ranks compute in
/// between, mostly as long as each other.
engine::Workload draw_program(test::Draw& draw, std::int32_t per_node, std::int32_t nodes) {
    std::vector<engine::Group> groups = rows(per_node, nodes);
    for (std::int32_t place = 0; place < per_node; ++place) {
        engine::Group group{"column" + std::to_string(place), {}};
        for (std::int32_t node = 0; node < nodes; ++node) {
            group.ranks.emplace_back(node * per_node + place);
        }
        groups.push_back(group);
    }
    const auto ranks = static_cast<std::size_t>(per_node * nodes);
    std::vector<std::vector<chakra::Node>> programs(ranks);
    std::uint64_t id = 0;
    const bool chained = draw.one_in(2);
    const bool uneven = draw.one_in(4);
    // Collectives follow each other without computation in between.
    const bool tight = draw.one_in(3);
    const std::int64_t count = draw.from_to(4, 16);
    const auto depends = [&](const std::vector<chakra::Node>& nodes_so_far) {
        std::vector<std::uint64_t> ids;
        for (const chakra::Node& node : nodes_so_far) {
            if (chained ? &node == &nodes_so_far.back() : draw.one_in(3)) {
                ids.push_back(node.id);
            }
        }
        return ids;
    };
    for (std::int64_t i = 0; i < count; ++i) {
        if (!tight || draw.one_in(4)) {
            ++id;
            const auto micros = static_cast<std::uint64_t>(draw.from_to(1, 3) * 10);
            for (std::vector<chakra::Node>& program : programs) {
                program.push_back(test::compute_node(
                    id, micros + (uneven && draw.one_in(6) ? 1U : 0U), depends(program)));
            }
        }
        ++id;
        const std::int64_t bytes = draw.from_to(1, 2) * 300'000;
        const auto type = draw.any_of({CollectiveType::AllReduce, CollectiveType::AllGather,
                                       CollectiveType::ReduceScatter, CollectiveType::AllToAll});
        const std::int64_t what = draw.below(8);
        if (what == 7) {
            const std::int64_t from = draw.below(per_node);
            programs[static_cast<std::size_t>(from)].push_back(test::send_node(
                id, static_cast<std::int32_t>(from) + per_node, bytes, static_cast<int>(id),
                depends(programs[static_cast<std::size_t>(from)])));
            programs[static_cast<std::size_t>(from + per_node)].push_back(
                test::receive_node(id, static_cast<std::int32_t>(from), bytes, static_cast<int>(id),
                                   depends(programs[static_cast<std::size_t>(from + per_node)])));
            continue;
        }
        for (std::size_t rank = 0; rank < ranks; ++rank) {
            const auto number = static_cast<std::int32_t>(rank);
            const std::string group = what < 4   ? "row" + std::to_string(number / per_node)
                                      : what < 6 ? "column" + std::to_string(number % per_node)
                                                 : "";
            programs[rank].push_back(
                test::collective_node(id, type, bytes, group, depends(programs[rank])));
        }
    }
    return test::workload_of(
        ranks, [&](Rank rank) { return programs[rank.index()]; }, groups);
}

// Collectives of which each begins when the one before is done, or a little later, while credits
// or acknowledgements of it are under way: of a few sizes and kinds, in any order.
TEST(RememberedCollectives, ChangeNothingWhereTheyFollowEachOther) {
    const std::uint64_t cases = test::random_cases(60, 3'000);
    std::uint64_t recalled_in_all = 0;
    std::uint64_t alone_in_all = 0;
    for (std::uint64_t seed = 0; seed < cases; ++seed) {
        SCOPED_TRACE(seed);
        test::Draw draw(2'000'000 + seed);
        const auto npus = static_cast<std::int32_t>(draw.from_to(2, 6));
        Machine machine = at_one_switch(true);
        const Time latency = Time::ns(draw.any_of({50, 500, 3'000}));
        machine.network = topology::make_network(
            {topology::make_dimension(draw.any_of({DimensionKind::Switch, DimensionKind::Ring,
                                                   DimensionKind::FullyConnected}),
                                      npus, Rate(50'000'000'000), latency)});
        topology::PacketParameters& packet = machine.network.packet;
        if (draw.one_in(2)) {
            packet.flow_control = topology::FlowControl::Pfc;
            packet.transport.kind = draw.any_of(
                {topology::TransportKind::GoBackN, topology::TransportKind::SelectiveRepeat});
            packet.transport.ack_every = static_cast<std::int32_t>(draw.from_to(1, 16));
            if (draw.one_in(2)) {
                packet.congestion_control =
                    topology::standard_choice(topology::CongestionAlgorithm::Dcqcn);
            }
        }
        const std::int64_t count = draw.from_to(5, 25);
        std::vector<chakra::Node> program;
        for (std::int64_t i = 0; i < count; ++i) {
            const auto before = [&] {
                return program.empty() ? std::vector<std::uint64_t>{}
                                       : std::vector{program.back().id};
            };
            if (draw.one_in(3)) {
                const auto micros = static_cast<std::uint64_t>(draw.from_to(1, 4));
                program.push_back(test::compute_node(program.size() + 1, micros, before()));
            }
            const auto type = draw.any_of({CollectiveType::AllReduce, CollectiveType::AllReduce,
                                           CollectiveType::AllGather, CollectiveType::ReduceScatter,
                                           CollectiveType::AllToAll});
            const std::int64_t bytes = draw.from_to(1, 2) * draw.any_of({3'000, 300'000});
            program.push_back(test::collective_node(program.size() + 1, type, bytes, "", before()));
        }
        const engine::Workload workload =
            test::workload_of(static_cast<std::size_t>(npus), [&](Rank) { return program; });
        if (const std::optional<Count> found = recalled(workload, machine, Fidelity::Packet)) {
            recalled_in_all += found->recalled;
            alone_in_all += found->alone;
        }
        if (testing::Test::HasFailure()) {
            break;
        }
    }
    EXPECT_GT(recalled_in_all, 3 * cases);
    EXPECT_LT(alone_in_all, recalled_in_all);
    RecordProperty("recalled", std::to_string(recalled_in_all));
    RecordProperty("alone", std::to_string(alone_in_all));
    test::count_cases(cases);
}

/// Runs `one` for random cases; of at least a fifth it remembers some, and of some collectives
/// meet.
void compare_cases(std::uint64_t cases, std::uint64_t first_seed,
                   const std::function<std::optional<Count>(test::Draw&)>& one) {
    std::map<std::string, int> kinds;
    for (std::uint64_t seed = 0; seed < cases && !testing::Test::HasFailure(); ++seed) {
        SCOPED_TRACE(seed);
        test::Draw draw(first_seed + seed);
        const std::optional<Count> count = one(draw);
        ++kinds[!count ? "met" : count->recalled > 0 ? "some" : "none"];
    }
    for (const auto& [kind, number] : kinds) {
        testing::Test::RecordProperty(kind, number);
    }
    EXPECT_GT(kinds["some"], static_cast<int>(cases) / 5);
    EXPECT_GT(kinds["met"], 0);
    test::count_cases(cases);
}

// Whatever is remembered, and whether or not collectives meet.
TEST(RememberedCollectives, ChangeNothing) {
    compare_cases(test::random_cases(120, 5'000), 0, [](test::Draw& draw) {
        const auto per_node = static_cast<std::int32_t>(draw.from_to(2, 4));
        const auto nodes = static_cast<std::int32_t>(draw.from_to(2, 3));
        Machine machine = machine_of(per_node, nodes, draw.one_in(2));
        if (draw.one_in(4)) {
            machine.network = topology::make_network(
                {topology::make_dimension(draw.any_of({DimensionKind::Ring, DimensionKind::Mesh1D,
                                                       DimensionKind::FullyConnected}),
                                          per_node, Rate(100'000'000'000), Time::ns(100)),
                 topology::make_dimension(DimensionKind::Switch, nodes, Rate(25'000'000'000),
                                          Time::ns(700))});
        }
        if (draw.one_in(4)) {
            machine.network.packet.flow_control = topology::FlowControl::Pfc;
        }
        if (draw.one_in(4)) {
            machine.network.packet.buffer = Bytes(60'000);
        }
        const engine::Workload workload = draw_program(draw, per_node, nodes);
        const std::optional<Count> count = recalled(workload, machine);
        const bool credits = machine.network.packet.flow_control == topology::FlowControl::Credit;
        if (credits && draw.one_in(4)) {
            (void)recalled(workload, machine, Fidelity::Packet);
        }
        return count;
    });
}

// Switches of Ethernet: acknowledgements, pauses, losses and marks, some of which are drawn by the
// number of the packet at its link, and congestion control that has heard of them.
TEST(RememberedCollectives, ChangeNothingOnEthernet) {
    compare_cases(test::random_cases(60, 3'000), 1'000'000, [](test::Draw& draw) {
        const auto per_node = static_cast<std::int32_t>(draw.from_to(2, 4));
        const auto nodes = static_cast<std::int32_t>(draw.from_to(2, 3));
        Machine machine = machine_of(per_node, nodes, draw.one_in(2));
        topology::PacketParameters& packet = machine.network.packet;
        packet.flow_control =
            draw.one_in(3) ? topology::FlowControl::None : topology::FlowControl::Pfc;
        packet.transport.kind = draw.any_of(
            {topology::TransportKind::GoBackN, topology::TransportKind::SelectiveRepeat});
        packet.transport.ack_every = static_cast<std::int32_t>(draw.from_to(1, 16));
        const auto algorithm = draw.any_of(
            {topology::CongestionAlgorithm::None, topology::CongestionAlgorithm::Dcqcn,
             topology::CongestionAlgorithm::Dcqcn, topology::CongestionAlgorithm::Dctcp});
        if (algorithm != topology::CongestionAlgorithm::None) {
            packet.congestion_control = topology::standard_choice(algorithm);
        }
        if (draw.one_in(3)) {
            packet.buffer = Bytes(draw.from_to(4, 20) * 50'000);
        }
        const engine::Workload workload = draw_program(draw, per_node, nodes);
        return recalled(workload, machine, Fidelity::Packet);
    });
}

}  // namespace
}  // namespace npunet::study::remembered_collectives_test
