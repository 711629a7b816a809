// Collectives that are remembered: which are not simulated again.

#include "engine/collective/remembered_collectives.h"

#include <gtest/gtest.h>

#include <optional>

#include "base/errors.h"
#include "engine/collective/communicator_links.h"
#include "remembered_runs.h"
#include "study/simulation_run.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/workloads.h"

namespace npunet::study::remembered_collectives_test {
namespace {

using chakra::CollectiveType;

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

// A message that will come to the links of a collective, but has not come to them when that begins:
// the others of its kind are remembered.
TEST(RememberedCollectives, AMessageThatIsOnItsWayIsMet) {
    for (const bool by_credits : {true, false}) {
        SCOPED_TRACE(by_credits);
        Machine machine = at_one_switch(by_credits);
        const topology::PacketParameters packet = machine.network.packet;
        machine.network = topology::make_network({topology::make_dimension(
            topology::DimensionKind::Switch, 8, Rate(50'000'000'000), Time::ns(5'000))});
        machine.network.packet = packet;
        const engine::Workload workload = test::workload_of(
            8,
            [&](Rank rank) {
                std::vector<chakra::Node> list;
                if (rank == Rank(7)) {
                    return std::vector{test::send_node(1, 0, mib)};
                }
                if (rank == Rank(0)) {
                    list.push_back(test::receive_node(1, 7, mib));
                }
                for (std::uint64_t id = 2; rank.value() < 4 && id < 20; id += 2) {
                    list.push_back(test::compute_node(
                        id, id == 2 ? 2 : 60,
                        id == 2 ? std::vector<std::uint64_t>{} : std::vector{id - 1}));
                    list.push_back(test::collective_node(id + 1, CollectiveType::AllReduce, mib,
                                                         "row0", {id}));
                }
                return list;
            },
            rows(4, 2));
        const std::optional<Count> count = recalled(workload, machine, Fidelity::Packet);
        ASSERT_TRUE(count);
        EXPECT_EQ(count->recalled, 8U);
    }
}

std::uint64_t ten_micros(Rank, std::uint64_t) {
    return 10;
}

std::int64_t four_mib(std::uint64_t) {
    return 4 * mib;
}

// Two groups at one switch, whose buffer has room for all that ever waits there, or not: then the
// run is made again.
TEST(RememberedCollectives, ShareABufferThatDoesNotDecide) {
    const engine::Workload workload = layers(4, 2, 12, ten_micros, four_mib);
    Machine machine = at_one_switch(false);
    const std::optional<Count> count = recalled(workload, machine, Fidelity::Packet);
    ASSERT_TRUE(count);
    EXPECT_EQ(count->recalled, 24U);
    machine.network.packet.buffer = Bytes(60'000);
    EXPECT_FALSE(recalled(workload, machine, Fidelity::Packet));
}

// Of what is never remembered no run is lost, whatever its buffers have held.
TEST(RememberedCollectives, LoseNoRunForBuffersOfWhatIsSimulated) {
    const engine::Workload workload = layers(
        4, 2, 1, [](Rank rank, std::uint64_t) { return rank.value() < 4 ? 10 : 11; }, four_mib);
    Machine machine = at_one_switch(false);
    machine.network.packet.buffer = Bytes(60'000);
    const std::optional<Count> count = recalled(workload, machine, Fidelity::Packet);
    ASSERT_TRUE(count);
    EXPECT_EQ(count->recalled, 0U);
}

// Queues of links with credits are none of the business of the switches beside them.
TEST(RememberedCollectives, WithinServersWithCredits) {
    const test::TemporaryFolder folder;
    const Machine machine = load_machine(
        folder.write("net.yml",
                     "Rail: {servers: 2, npus_per_server: 4, scale_up: {kind: switch, bandwidth: "
                     "100, latency: 100}, scale_out: {levels: 2, radix: 4, bandwidth: 50, latency: "
                     "500}}\npacket: {flow_control: pfc, transport: go-back-n, scale_up: "
                     "{flow_control: credit}}\n"),
        "", "npunet");
    const std::optional<Count> count =
        recalled(layers(4, 2, 12, ten_micros, four_mib), machine, Fidelity::Packet);
    ASSERT_TRUE(count);
    EXPECT_EQ(count->recalled, 24U);
}

// What ends a run, and when, does not change either: a packet without room in a buffer that two
// groups share.
TEST(RememberedCollectives, ChangeNoStall) {
    Machine machine = at_one_switch(false);
    machine.network.packet.transport.kind = topology::TransportKind::None;
    machine.network.packet.buffer = Bytes(300'000);
    machine.network.packet.shared_buffer.headroom = Bytes(4160);
    for (std::uint64_t micros = 300; micros < 340; micros += 5) {
        // One group, and three NPUs that send to the eighth some time later.
        const engine::Workload workload = test::workload_of(
            8,
            [&](Rank rank) {
                std::vector<chakra::Node> list;
                for (std::uint64_t id = 2; rank.value() < 4 && id < 20; id += 2) {
                    list.push_back(test::compute_node(
                        id, 10, id == 2 ? std::vector<std::uint64_t>{} : std::vector{id - 1}));
                    list.push_back(test::collective_node(id + 1, CollectiveType::AllReduce, mib,
                                                         "row0", {id}));
                }
                for (int from = 4; rank == Rank(7) && from < 7; ++from) {
                    list.push_back(
                        test::receive_node(static_cast<std::uint64_t>(from), from, mib, from));
                }
                if (rank.value() >= 4 && rank != Rank(7)) {
                    list.push_back(test::compute_node(1, micros));
                    list.push_back(test::send_node(2, 7, mib, rank.value(), {1}));
                }
                return list;
            },
            rows(4, 2));
        const auto stall_of = [&](bool remember) -> std::string {
            try {
                (void)run(workload, machine, Fidelity::Packet, remember);
            } catch (const StallError& error) {
                return error.what();
            }
            return "";
        };
        const std::string stall = stall_of(false);
        EXPECT_NE(stall, "");
        EXPECT_EQ(stall_of(true), stall) << micros;
    }
}

// Of each node all twelve; by themselves one of each size, as the nodes are alike and as links are
// in the same state whenever one begins, but for whose turn it is in packets. By rings, too.
TEST(RememberedCollectives, EqualOnesAreSimulatedOnce) {
    const auto ten = [](Rank, std::uint64_t) { return std::uint64_t{10}; };
    for (const bool by_library : {true, false}) {
        const Machine machine = machine_of(4, 2, by_library);
        const engine::Workload equal = layers(4, 2, 12, ten, [](std::uint64_t) { return 4 * mib; });
        EXPECT_EQ(recalled(equal, machine), (Count{24, 1}));
        const std::optional<Count> packets = recalled(equal, machine, Fidelity::Packet);
        ASSERT_TRUE(packets);
        EXPECT_EQ(packets->recalled, 24U);
        EXPECT_LE(packets->alone, 3U);
        EXPECT_EQ(recalled(layers(4, 2, 12, ten,
                                  [](std::uint64_t layer) {
                                      return static_cast<std::int64_t>(1 + layer % 3) * mib;
                                  }),
                           machine),
                  (Count{24, 3}));
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
                    EXPECT_EQ(links.sharing(group), skew ? Sharing::Collectives : Sharing::Rare);
                    EXPECT_EQ(links.may_meet_messages(group), message);
                } else if (name == "column2") {
                    EXPECT_EQ(links.sharing(group), Sharing::Rare);
                    // Up and down for each of two NPUs.
                    EXPECT_EQ(links.of(group).size(), 4U);
                }
            }
        }
    }
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

}  // namespace
}  // namespace npunet::study::remembered_collectives_test
