// Collectives that are remembered: which are not simulated again, and that nothing of the results
// changes.

#include "engine/collective/remembered_collectives.h"

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "engine/collective/communicator_links.h"
#include "engine/simulation/simulation.h"
#include "library_machines.h"
#include "report/results_json.h"
#include "study/fidelity_network.h"
#include "tests/support/counted_cases.h"
#include "tests/support/draw.h"
#include "tests/support/workloads.h"
#include "topology/builders/builder.h"
#include "topology/parameters/congestion_control.h"

namespace npunet::study::remembered_collectives_test {
namespace {

using chakra::CollectiveType;
using topology::DimensionKind;

constexpr std::int64_t mib = 1 << 20;

/// All that a run tells but for how it was carried out.
std::string figures(const engine::Results& results) {
    nlohmann::json document = nlohmann::json::parse(report::results_json(results));
    document.erase("performance");
    for (const engine::Operation& operation : results.operations) {
        document["timeline"].push_back(
            {operation.rank.value(), operation.node, operation.start.ps(), operation.end.ps()});
    }
    document["bin"] = results.load.bin.ps();
    // Fast-forward of packets spreads the load of what it counts.
    if (results.fidelity != "packet") {
        document["load"] = results.load.shares;
    }
    return document.dump();
}

engine::Results run(const engine::Workload& workload, const Machine& machine, Fidelity fidelity,
                    bool remember) {
    RunOptions options;
    options.fold = false;
    options.link_load = true;
    options.packet.fast_forward = remember;
    return simulate(workload, machine, fidelity, options);
}

/// Prints where they differ first, as they are long.
void expect_same(const std::string& a, const std::string& b) {
    const auto place = std::mismatch(
        a.begin(), a.begin() + static_cast<std::ptrdiff_t>(std::min(a.size(), b.size())),
        b.begin());
    const auto at = static_cast<std::size_t>(place.first - a.begin());
    const std::size_t from = at - std::min<std::size_t>(at, 100);
    EXPECT_TRUE(a == b) << a.substr(from, 200) << '\n' << b.substr(from, 200);
}

/// Collectives that were not simulated with the others, and of them those that were by themselves.
struct Count {
    std::uint64_t recalled = 0;
    std::uint64_t alone = 0;
    friend bool operator==(const Count&, const Count&) = default;
};
void PrintTo(const Count& count, std::ostream* out) {
    *out << count.recalled << " recalled, " << count.alone << " by themselves";
}

/// How many collectives were not simulated with the others; nothing where some met. Expects that
/// the results are those of simulating all.
std::optional<Count> recalled(const engine::Workload& workload, const Machine& machine,
                              Fidelity fidelity = Fidelity::Fluid) {
    expect_same(figures(run(workload, machine, fidelity, true)),
                figures(run(workload, machine, fidelity, false)));
    engine::EventQueue queue;
    const std::unique_ptr<engine::Network> network = make_network(machine, fidelity, queue, {});
    engine::Simulation simulation(workload, machine.network, machine.system, machine.dialect, queue,
                                  *network);
    engine::CollectivePlanner planner(machine.network, machine.system, machine.dialect, workload);
    engine::CollectiveMemories memories(
        {workload, machine.network, machine.system, machine.dialect, planner},
        [&](engine::EventQueue& its) { return make_network(machine, fidelity, its, {}); }, false);
    simulation.remember_collectives(memories, nullptr);
    try {
        (void)simulation.run();
        return Count{simulation.remembered_collectives(), memories.simulated()};
    } catch (const engine::CollectivesMet&) {
        return std::nullopt;
    }
}

/// Nodes that each have a switch, with or without a communication library.
Machine machine_of(std::int32_t per_node, std::int32_t nodes, bool by_library = true) {
    Machine machine = reducing(nodes_of(per_node, nodes));
    if (by_library) {
        machine.system.library = library_of("h100");
    }
    return machine;
}

std::vector<engine::Group> rows(std::int32_t per_node, std::int32_t nodes) {
    std::vector<engine::Group> groups;
    for (std::int32_t node = 0; node < nodes; ++node) {
        engine::Group group{"row" + std::to_string(node), {}};
        for (std::int32_t place = 0; place < per_node; ++place) {
            group.ranks.emplace_back(node * per_node + place);
        }
        groups.push_back(group);
    }
    return groups;
}

/// Computation and an all-reduce of the node, in turn; `micros` of the computations.
engine::Workload layers(std::int32_t per_node, std::int32_t nodes, std::uint64_t count,
                        const std::function<std::uint64_t(Rank, std::uint64_t)>& micros,
                        const std::function<std::int64_t(std::uint64_t)>& bytes) {
    return test::workload_of(
        static_cast<std::size_t>(per_node * nodes),
        [&](Rank rank) {
            std::vector<chakra::Node> list;
            const std::string row = "row" + std::to_string(rank.value() / per_node);
            for (std::uint64_t layer = 0; layer < count; ++layer) {
                const std::uint64_t id = 2 * layer + 1;
                list.push_back(test::compute_node(
                    id, micros(rank, layer),
                    layer == 0 ? std::vector<std::uint64_t>{} : std::vector{id - 1}));
                list.push_back(test::collective_node(id + 1, CollectiveType::AllReduce,
                                                     bytes(layer), row, {id}));
            }
            return list;
        },
        rows(per_node, nodes));
}

// Of each node all twelve; by themselves one of each node and size, as links are in the same state
// whenever one begins, but for whose turn it is in packets. By rings, too.
TEST(RememberedCollectives, EqualOnesAreSimulatedOnce) {
    const auto ten = [](Rank, std::uint64_t) { return std::uint64_t{10}; };
    for (const bool by_library : {true, false}) {
        const Machine machine = machine_of(4, 2, by_library);
        const engine::Workload equal = layers(4, 2, 12, ten, [](std::uint64_t) { return 4 * mib; });
        EXPECT_EQ(recalled(equal, machine), (Count{24, 2}));
        const std::optional<Count> packets = recalled(equal, machine, Fidelity::Packet);
        ASSERT_TRUE(packets);
        EXPECT_EQ(packets->recalled, 24U);
        EXPECT_LE(packets->alone, 2U * 3U);
        EXPECT_EQ(recalled(layers(4, 2, 12, ten,
                                  [](std::uint64_t layer) {
                                      return static_cast<std::int64_t>(1 + layer % 3) * mib;
                                  }),
                           machine),
                  (Count{24, 2U * 3U}));
    }
}

// In layer 4 of 40 a member of the first node comes a microsecond later than the others. From then
// on its members are done at unequal times, which soon repeat themselves.
TEST(RememberedCollectives, MembersMayBeginOneAfterTheOther) {
    const engine::Workload workload = layers(
        4, 2, 40,
        [](Rank rank, std::uint64_t layer) {
            return std::uint64_t{10} + (rank == Rank(1) && layer == 4 ? 1 : 0);
        },
        [](std::uint64_t) { return 4 * mib; });
    for (const Fidelity fidelity : {Fidelity::Fluid, Fidelity::Packet}) {
        const std::optional<Count> count = recalled(workload, machine_of(4, 2), fidelity);
        ASSERT_TRUE(count);
        EXPECT_EQ(count->recalled, 80U);
        EXPECT_GE(count->alone, 3U);
        EXPECT_LE(count->alone, 12U);
    }
}

// While the second all-reduce of a node is under way, whose end is known, one of all NPUs begins,
// which uses its links.
TEST(RememberedCollectives, OneThatMeetsAnotherIsSimulated) {
    const engine::Workload workload = test::workload_of(
        8,
        [](Rank rank) {
            const std::string row = "row" + std::to_string(rank.value() / 4);
            return std::vector<chakra::Node>{
                test::collective_node(1, CollectiveType::AllReduce, 16 * mib, row),
                test::collective_node(2, CollectiveType::AllReduce, 16 * mib, row, {1}),
                test::compute_node(3, 5, {1}),
                test::collective_node(4, CollectiveType::AllReduce, 16 * mib, "", {3})};
        },
        rows(4, 2));
    EXPECT_EQ(recalled(workload, machine_of(4, 2)), std::nullopt);
}

// Rows and columns of 4 x 2 NPUs, and all: who shares links with whom is known, and rows, columns
// and all hold each other's members or share no links. A message from 0 to 4 crosses the links of
// its column only; a communicator of 1 and 4 those of the columns and rows of both.
TEST(RememberedCollectives, LinksAreRarelySharedByNestedCommunicators) {
    using Sharing = engine::CommunicatorLinks::Sharing;
    std::vector<engine::Group> groups = rows(4, 2);
    for (std::int32_t place = 0; place < 4; ++place) {
        groups.push_back({"column" + std::to_string(place), {Rank(place), Rank(place + 4)}});
    }
    groups.push_back({"skew", {Rank(1), Rank(4)}});
    const topology::NetworkDescription network = machine_of(4, 2).network;
    for (const bool skew : {false, true}) {
        for (const bool message : {false, true}) {
            const engine::Workload workload = test::workload_of(
                8,
                [&](Rank rank) {
                    std::vector<chakra::Node> nodes;
                    for (std::size_t i = 0; i < groups.size(); ++i) {
                        const std::vector<Rank>& ranks = groups[i].ranks;
                        if ((skew || groups[i].name != "skew") &&
                            std::count(ranks.begin(), ranks.end(), rank) > 0) {
                            nodes.push_back(test::collective_node(i + 1, CollectiveType::AllReduce,
                                                                  mib, groups[i].name));
                        }
                    }
                    nodes.push_back(test::collective_node(20, CollectiveType::AllReduce, mib));
                    if (message && rank == Rank(0)) {
                        nodes.push_back(test::send_node(21, 4, mib));
                    }
                    if (message && rank == Rank(4)) {
                        nodes.push_back(test::receive_node(21, 0, mib));
                    }
                    return nodes;
                },
                groups);
            engine::CommunicatorLinks links(workload, network);
            for (std::size_t group = 0; group < workload.groups.size(); ++group) {
                const std::string& name = workload.groups[group].name;
                if (name == "row0" || name == "row1") {
                    EXPECT_EQ(links.sharing(group), skew ? Sharing::Collectives : Sharing::Rare)
                        << name;
                } else if (name == "column0") {
                    EXPECT_EQ(links.sharing(group), message ? Sharing::Messages
                                                    : skew  ? Sharing::Collectives
                                                            : Sharing::Rare);
                } else if (name == "column2") {
                    EXPECT_EQ(links.sharing(group), Sharing::Rare);
                    // Up and down for each of two NPUs.
                    EXPECT_EQ(links.of(group).size(), 4U);
                }
            }
        }
    }
}

/// Eight NPUs at one switch, by credits or by PFC and acknowledgements.
Machine at_one_switch(bool by_credits) {
    Machine machine = machine_of(4, 2, false);
    machine.network = topology::make_network(
        {topology::make_dimension(DimensionKind::Switch, 8, Rate(50'000'000'000), Time::ns(500))});
    if (!by_credits) {
        machine.network.packet.flow_control = topology::FlowControl::Pfc;
        machine.network.packet.transport.kind = topology::TransportKind::GoBackN;
    }
    return machine;
}

// Rings of all eight, one after the other, of which each begins when the one before is done at all
// members, and its credits or acknowledgements are on their way: the first is simulated by itself,
// the second behind it, the third behind both; it leads to the state to which the second does.
TEST(RememberedCollectives, MayFollowEachOther) {
    for (const bool by_credits : {true, false}) {
        const engine::Workload workload = test::workload_of(8, [](Rank) {
            std::vector<chakra::Node> list;
            for (std::uint64_t id = 1; id <= 20; ++id) {
                list.push_back(test::collective_node(
                    id, CollectiveType::AllReduce, 4 * mib, "",
                    id == 1 ? std::vector<std::uint64_t>{} : std::vector{id - 1}));
            }
            return list;
        });
        EXPECT_EQ(recalled(workload, at_one_switch(by_credits), Fidelity::Packet), (Count{20, 3}))
            << by_credits;
    }
}

// Rows and columns use the same links of their NPUs, but not at the same time, or at the same time.
TEST(RememberedCollectives, CommunicatorsMayShareLinksUntilTheyMeet) {
    std::vector<engine::Group> groups = rows(4, 2);
    for (std::int32_t place = 0; place < 4; ++place) {
        groups.push_back({"column" + std::to_string(place), {Rank(place), Rank(place + 4)}});
    }
    for (const bool at_the_same_time : {false, true}) {
        const engine::Workload workload = test::workload_of(
            8,
            [&](Rank rank) {
                const std::string row = "row" + std::to_string(rank.value() / 4);
                const std::string column = "column" + std::to_string(rank.value() % 4);
                std::vector<chakra::Node> list;
                for (std::uint64_t id = 1; id < 20; id += 2) {
                    list.push_back(test::compute_node(
                        id, 20, id == 1 ? std::vector<std::uint64_t>{} : std::vector{id - 1}));
                    list.push_back(test::collective_node(id + 1, CollectiveType::AllReduce, mib,
                                                         id < 12 ? row : column, {id}));
                }
                if (at_the_same_time) {
                    list.push_back(
                        test::collective_node(21, CollectiveType::AllReduce, mib, row, {19}));
                }
                return list;
            },
            groups);
        for (const Fidelity fidelity : {Fidelity::Fluid, Fidelity::Packet}) {
            const std::optional<Count> count = recalled(workload, at_one_switch(true), fidelity);
            ASSERT_EQ(count.has_value(), !at_the_same_time);
            if (count) {
                EXPECT_EQ(count->recalled, 6U * 2U + 4U * 4U);
            }
        }
    }
}

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

// Whatever is remembered, and whether or not collectives meet.
TEST(RememberedCollectives, ChangeNothing) {
    const std::uint64_t cases = test::random_cases(120, 5'000);
    std::map<std::string, int> kinds;
    for (std::uint64_t seed = 0; seed < cases; ++seed) {
        SCOPED_TRACE(seed);
        test::Draw draw(seed);
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
        ++kinds[!count ? "met" : count->recalled > 0 ? "some" : "none"];
        if (testing::Test::HasFailure()) {
            break;
        }
    }
    for (const auto& [kind, number] : kinds) {
        RecordProperty(kind, number);
    }
    EXPECT_GT(kinds["some"], static_cast<int>(cases) / 5);
    EXPECT_GT(kinds["met"], 0);
    test::count_cases(cases);
}

// Switches of Ethernet: acknowledgements, pauses, losses and marks, some of which are drawn by the
// number of the packet at its link, and congestion control that has heard of them.
TEST(RememberedCollectives, ChangeNothingOnEthernet) {
    const std::uint64_t cases = test::random_cases(60, 3'000);
    std::map<std::string, int> kinds;
    for (std::uint64_t seed = 0; seed < cases; ++seed) {
        SCOPED_TRACE(seed);
        test::Draw draw(1'000'000 + seed);
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
        const std::optional<Count> count = recalled(workload, machine, Fidelity::Packet);
        ++kinds[!count ? "met" : count->recalled > 0 ? "some" : "none"];
        if (testing::Test::HasFailure()) {
            break;
        }
    }
    for (const auto& [kind, number] : kinds) {
        RecordProperty(kind, number);
    }
    EXPECT_GT(kinds["some"], static_cast<int>(cases) / 5);
    EXPECT_GT(kinds["met"], 0);
    test::count_cases(cases);
}

}  // namespace
}  // namespace npunet::study::remembered_collectives_test
