// Random programs: nothing of the results changes where collectives are remembered.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>

#include "engine/collective/alike_communicators.h"
#include "engine/collective/communicator_links.h"
#include "remembered_runs.h"
#include "tests/support/counted_cases.h"
#include "tests/support/draw.h"
#include "tests/support/workloads.h"
#include "topology/builders/fat_tree.h"
#include "topology/builders/rail.h"
#include "topology/parameters/congestion_control.h"

namespace npunet::study::remembered_collectives_test {
namespace {

using chakra::CollectiveType;
using topology::DimensionKind;

/// Messages between two ranks: between those of one place in the first two rows, if they need not
/// be alike; in a pipeline, from all of a row to the next; or between any.
enum class Sends : std::uint8_t { OfOnePlace, OfRows, Any };

/// Operations that all ranks of a communicator have, in one order everywhere; ranks compute in
/// between, mostly as long as each other. `alike`: ranks with one place in their rows have the same
/// ones, but for `sends`.
engine::Workload draw_program(test::Draw& draw, std::int32_t per_node, std::int32_t nodes,
                              bool alike = false, Sends sends = Sends::OfOnePlace) {
    const std::vector<engine::Group> groups = rows_and_columns(per_node, nodes);
    const auto ranks = static_cast<std::size_t>(per_node * nodes);
    std::vector<std::vector<chakra::Node>> programs(ranks);
    std::uint64_t id = 0;
    const bool chained = alike || draw.one_in(2);
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
    const auto send = [&](std::int64_t from, std::int64_t to, std::int64_t bytes) {
        std::vector<chakra::Node>& sender = programs[static_cast<std::size_t>(from)];
        std::vector<chakra::Node>& receiver = programs[static_cast<std::size_t>(to)];
        const int tag = static_cast<int>(from * static_cast<std::int64_t>(ranks) + id);
        sender.push_back(
            test::send_node(id, static_cast<std::int32_t>(to), bytes, tag, depends(sender)));
        receiver.push_back(
            test::receive_node(id, static_cast<std::int32_t>(from), bytes, tag, depends(receiver)));
    };
    for (std::int64_t i = 0; i < count; ++i) {
        if (!tight || draw.one_in(4)) {
            ++id;
            const auto micros = static_cast<std::uint64_t>(draw.from_to(1, 3) * 10);
            std::vector<std::uint64_t> more(alike ? static_cast<std::size_t>(per_node) : ranks);
            for (std::uint64_t& one : more) {
                one = uneven && draw.one_in(6) ? 1U : 0U;
            }
            for (std::size_t rank = 0; rank < ranks; ++rank) {
                programs[rank].push_back(test::compute_node(id, micros + more[rank % more.size()],
                                                            depends(programs[rank])));
            }
        }
        ++id;
        const std::int64_t bytes = draw.from_to(1, 2) * 300'000;
        const auto type = draw.any_of({CollectiveType::AllReduce, CollectiveType::AllGather,
                                       CollectiveType::ReduceScatter, CollectiveType::AllToAll});
        const std::int64_t what = draw.below(8);
        if (what == 7 && sends == Sends::Any) {
            const std::int64_t from = draw.below(static_cast<std::int64_t>(ranks));
            const std::int64_t to = draw.below(static_cast<std::int64_t>(ranks));
            if (from != to) {
                send(from, to, bytes);
            }
            continue;
        }
        if (what == 7 && sends == Sends::OfRows) {
            const std::int64_t first = per_node * draw.below(nodes - 1);
            for (std::int64_t place = 0; place < per_node; ++place) {
                send(first + place, first + place + per_node, bytes);
            }
            continue;
        }
        if (what == 7 && !alike) {
            const std::int64_t from = draw.below(per_node);
            send(from, from + per_node, bytes);
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
        const std::int64_t count = draw.from_to(10, 40);
        const std::int64_t size = draw.any_of({3'000, 300'000});
        const auto other = draw.any_of(
            {CollectiveType::AllGather, CollectiveType::ReduceScatter, CollectiveType::AllToAll});
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
            const auto type = draw.any_of({CollectiveType::AllReduce, other});
            const std::int64_t bytes = draw.from_to(1, 2) * size;
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

/// Nodes with a switch, ring or links of their own, and between them a switch or ring each for
/// every place, or a tree of switches, or rails.
topology::NetworkDescription draw_network(test::Draw& draw, std::int32_t per_node,
                                          std::int32_t nodes) {
    const topology::LinkSpeed fast{Rate(100'000'000'000), Time::ns(100)};
    const topology::LinkSpeed slow{Rate(25'000'000'000), Time::ns(700)};
    topology::FatTreeShape shape;
    shape.radix = 4;
    shape.down = {2, 2};
    shape.up = {2, 2};
    switch (draw.below(4)) {
        case 0:
            shape.levels = 3;
            shape.npus = per_node * nodes;
            return topology::make_fat_tree(shape, {fast, slow, slow});
        case 1:
            shape.npus = nodes;
            return topology::make_rail(
                {per_node, draw.any_of({DimensionKind::Switch, DimensionKind::FullyConnected}),
                 shape},
                fast, {slow, slow});
        default:
            return topology::make_network(
                {topology::make_dimension(
                     draw.any_of({DimensionKind::Switch, DimensionKind::Ring, DimensionKind::Mesh1D,
                                  DimensionKind::FullyConnected}),
                     per_node, fast.rate, fast.latency),
                 topology::make_dimension(draw.any_of({DimensionKind::Switch, DimensionKind::Ring}),
                                          nodes, slow.rate, slow.latency)});
    }
}

bool some_are_alike(const engine::Workload& workload, const Machine& machine) {
    engine::CommunicatorLinks links(workload, machine.network);
    engine::AlikeCommunicators alike(workload, machine.network, machine.system);
    bool some = false;
    for (std::size_t group = 0; group < workload.groups.size(); ++group) {
        engine::IdleLinks::Links own = links.of(group);
        own.erase(std::lower_bound(own.begin(), own.end(), links.links()), own.end());
        some = alike.first_like(group, own) != group || some;
    }
    return some;
}

// What is remembered of one communicator for others that are like it, in packets.
TEST(RememberedCollectives, ChangeNothingAmongThoseOfAlikeCommunicators) {
    int alike = 0;
    int mirrored = 0;
    const std::uint64_t cases = test::random_cases(60, 4'000);
    compare_cases(cases, 3'000'000, [&](test::Draw& draw) {
        const auto per_node = static_cast<std::int32_t>(draw.from_to(2, 4));
        const auto nodes = static_cast<std::int32_t>(draw.from_to(2, 4));
        Machine machine = machine_of(per_node, nodes, draw.one_in(2));
        if (!draw.one_in(4)) {
            machine.network = draw_network(draw, per_node, nodes);
        }
        topology::PacketParameters& packet = machine.network.packet;
        if (draw.one_in(3)) {
            packet.flow_control = topology::FlowControl::Pfc;
            packet.transport.kind = draw.any_of(
                {topology::TransportKind::GoBackN, topology::TransportKind::SelectiveRepeat});
            if (draw.one_in(2)) {
                packet.congestion_control =
                    topology::standard_choice(topology::CongestionAlgorithm::Dcqcn);
            }
        } else if (draw.one_in(3)) {
            packet.buffer = Bytes(60'000);
        }
        const engine::Workload workload = draw_program(draw, per_node, nodes, true);
        alike += some_are_alike(workload, machine) ? 1 : 0;
        const std::optional<Count> count = recalled(workload, machine, Fidelity::Packet);
        mirrored += count && count->mirrored > 0 ? 1 : 0;
        return count;
    });
    EXPECT_GT(alike, static_cast<int>(cases) / 2);
    EXPECT_GT(mirrored, static_cast<int>(cases) / 8);
    RecordProperty("mirrored", mirrored);
}

/// Switches of Ethernet, one in `lossy` of which drop packets, and a transport.
void draw_ethernet(test::Draw& draw, std::int64_t lossy, topology::PacketParameters& packet) {
    packet.flow_control =
        draw.one_in(lossy) ? topology::FlowControl::None : topology::FlowControl::Pfc;
    packet.transport.kind =
        draw.any_of({topology::TransportKind::GoBackN, topology::TransportKind::SelectiveRepeat});
    packet.transport.ack_every = static_cast<std::int32_t>(draw.from_to(1, 16));
}

// Switches of Ethernet: acknowledgements, pauses, losses and marks, some of which are drawn by the
// number of the packet at its link, and congestion control that has heard of them.
TEST(RememberedCollectives, ChangeNothingOnEthernet) {
    compare_cases(test::random_cases(60, 3'000), 1'000'000, [](test::Draw& draw) {
        const auto per_node = static_cast<std::int32_t>(draw.from_to(2, 4));
        const auto nodes = static_cast<std::int32_t>(draw.from_to(2, 3));
        Machine machine = machine_of(per_node, nodes, draw.one_in(2));
        topology::PacketParameters& packet = machine.network.packet;
        draw_ethernet(draw, 3, packet);
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

/// With messages between two NPUs, of a pipeline or not, on networks of several switches.
void compare_beside_messages(
    std::uint64_t cases, std::uint64_t first_seed,
    const std::function<void(test::Draw&, topology::PacketParameters&)>& draw_packet) {
    compare_cases(cases, first_seed, [&](test::Draw& draw) {
        const auto per_node = static_cast<std::int32_t>(draw.from_to(2, 4));
        const auto nodes = static_cast<std::int32_t>(draw.from_to(2, 4));
        Machine machine = machine_of(per_node, nodes, draw.one_in(4));
        machine.network = draw_network(draw, per_node, nodes);
        draw_packet(draw, machine.network.packet);
        const engine::Workload workload =
            draw_program(draw, per_node, nodes, draw.one_in(2),
                         draw.any_of({Sends::OfOnePlace, Sends::OfRows, Sends::Any}));
        return recalled(workload, machine, Fidelity::Packet);
    });
}

// Communicators that share switches of Ethernet but no links, where buffers decide and where they
// do not.
TEST(RememberedCollectives, ChangeNothingWhereSwitchesAreShared) {
    compare_beside_messages(test::random_cases(100, 6'000), 4'000'000,
                            [](test::Draw& draw, topology::PacketParameters& packet) {
                                draw_ethernet(draw, 4, packet);
                                if (draw.one_in(2)) {
                                    packet.congestion_control = topology::standard_choice(
                                        topology::CongestionAlgorithm::Dcqcn);
                                }
                                if (draw.one_in(2)) {
                                    packet.buffer = Bytes(draw.from_to(2, 40) * 20'000);
                                }
                            });
}

TEST(RememberedCollectives, ChangeNothingBesideMessages) {
    compare_beside_messages(test::random_cases(60, 3'000), 5'000'000,
                            [](test::Draw& draw, topology::PacketParameters& packet) {
                                if (draw.one_in(3)) {
                                    packet.buffer = Bytes(60'000);
                                }
                            });
}

}  // namespace
}  // namespace npunet::study::remembered_collectives_test
