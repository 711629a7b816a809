// Results contain the values taken by default, and a note if congestion control by marks saw none.

#include "study/resolved.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "packet/make_packet_network.h"
#include "study/simulation_run.h"
#include "tests/support/shared_data.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/workloads.h"

namespace npunet::study::resolved_test {
namespace {

using test::receive_node;
using test::send_node;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::Pair;

Machine machine_of(const std::string& network, const std::string& system = "") {
    const test::TemporaryFolder folder;
    return load_machine(folder.write("net.yml", network),
                        system.empty() ? "" : folder.write("system.json", system), "npunet");
}

/// Ranks 1 to 3 send to rank 0.
engine::Workload incast(std::size_t ranks, std::int64_t bytes) {
    return test::workload_of(ranks, [=](Rank rank) {
        std::vector<chakra::Node> nodes;
        if (rank == Rank(0)) {
            for (std::int32_t from = 1; from <= 3; ++from) {
                nodes.push_back(receive_node(static_cast<std::uint64_t>(from), from, bytes));
            }
        } else if (rank.value() <= 3) {
            nodes.push_back(send_node(1, 0, bytes));
        }
        return nodes;
    });
}

template <class Quantity>
void expect_range(const engine::OptionalRange<Quantity>& range, std::int64_t least,
                  std::int64_t most) {
    ASSERT_TRUE(range);
    EXPECT_EQ(range->least, Quantity(least));
    EXPECT_EQ(range->most, Quantity(most));
}

// A ring and a switch: one algorithm per dimension; collectives with a root, barriers and
// "flat-..." algorithms treat all ranks as one dimension. What the file leaves open is chosen.
TEST(Resolved, HasTheAlgorithmsOfEveryKindOfCollective) {
    const Machine machine = machine_of(
        "topology: [Ring, Switch]\nnpus_count: [4, 2]\nbandwidth: [50, 25]\nlatency: [500, 500]\n",
        R"({"reduce-scatter-implementation": ["ring"], "broadcast-implementation": ["binomialTree"],
            "all-gather-implementation": ["ring", "direct2"],
            "all-to-all-implementation": ["oneDirect"]})");
    const engine::Results results = simulate(incast(8, 1000), machine, Fidelity::Analytical);
    ASSERT_TRUE(results.resolved);
    EXPECT_FALSE(results.resolved->packet);
    EXPECT_THAT(
        results.resolved->collectives,
        ElementsAre(Pair("all_reduce", ElementsAre("auto")),
                    Pair("all_gather", ElementsAre("ring", "direct2")),
                    Pair("reduce_scatter", ElementsAre("ring", "ring")),
                    Pair("all_to_all", ElementsAre("flat-direct")),
                    Pair("broadcast", ElementsAre("binomialTree")),
                    Pair("reduce", ElementsAre("auto")), Pair("gather", ElementsAre("auto")),
                    Pair("scatter", ElementsAre("auto")),
                    Pair("barrier", ElementsAre("dissemination"))));
}

TEST(ResolvedPackets, HaveBuffersAndVirtualChannelsWithCredits) {
    const Machine machine =
        machine_of("topology: [Ring]\nnpus_count: [4]\nbandwidth: [50]\nlatency: [500]\n");
    const engine::Results results = simulate(incast(4, 1000), machine, Fidelity::Packet);
    const engine::ResolvedPacket& packet = results.resolved->packet.value();
    EXPECT_EQ(packet.routing, "dimension-order");
    EXPECT_EQ(packet.flow_control, "credit");
    EXPECT_EQ(packet.virtual_channels, 2);
    expect_range(packet.buffer, 262144, 262144);
    EXPECT_FALSE(packet.pairs.window);
}

// A switch of 4 x 400 Gb/s: 4 x 16 x 128 KiB, of which a queue may have 1/5 to 1/2. One link: a
// packet takes 83.2 ns, a header 1.28 ns, and the round trip is 2 x (83.2 + 500) + 2 x (1.28 + 500)
// = 2168.96 ns, at 50 bytes/ns 108448 bytes: a window of twice that, a byte and two packets.
TEST(ResolvedPackets, HaveThresholdsAndWindowsWithoutCredits) {
    const Machine machine = machine_of(
        "topology: [Switch]\nnpus_count: [4]\nbandwidth: [50]\nlatency: [500]\n"
        "packet: {flow_control: pfc, transport: go-back-n, congestion_control: dcqcn}\n");
    const engine::Results results = simulate(incast(4, 100'000), machine, Fidelity::Packet);
    const engine::ResolvedPacket& packet = results.resolved->packet.value();
    EXPECT_EQ(packet.flow_control, "pfc");
    EXPECT_EQ(packet.virtual_channels, 0);
    expect_range(packet.buffer, 8 << 20, 8 << 20);
    expect_range(packet.queue_limit, (8 << 20) / 5, 4 << 20);
    EXPECT_EQ(packet.resume_below, Bytes(8320));
    expect_range(packet.headroom, 62545, 62545);
    expect_range(packet.kmin, 320 << 10, 320 << 10);
    expect_range(packet.kmax, 1280 << 10, 1280 << 10);
    EXPECT_EQ(packet.pmax, 0.2);
    expect_range(packet.pairs.window, 2 * 108448 + 1 + 2 * 4160, 2 * 108448 + 1 + 2 * 4160);
    ASSERT_TRUE(packet.pairs.timeout);
    EXPECT_EQ(packet.pairs.timeout->most, Time::ns(500'000));
    EXPECT_EQ(packet.transport, "go-back-n");
    EXPECT_EQ(packet.congestion_control, "dcqcn");
}

// Servers of 4 NPUs with links of 400 GB/s and 100 ns, whose credits for 2 x 40,000 bytes and four
// packets are less than 256 KiB; switches of two ports of 400 Gb/s between them. The incast stays
// in a server: there are no queue pairs.
TEST(ResolvedPackets, HaveTheLinksOfServersApart) {
    const Machine machine = machine_of(
        "topology: [Switch, Switch]\nnpus_count: [4, 2]\nbandwidth: [400, 50]\n"
        "latency: [100, 500]\npacket: {flow_control: pfc, transport: go-back-n, scale_up: {}}\n");
    const engine::Results results = simulate(incast(8, 100'000), machine, Fidelity::Packet);
    const engine::ResolvedPacket& packet = results.resolved->packet.value();
    EXPECT_EQ(packet.flow_control, "pfc");
    EXPECT_EQ(packet.virtual_channels, 0);
    expect_range(packet.buffer, 4 << 20, 4 << 20);
    EXPECT_FALSE(packet.pairs.window);
    ASSERT_EQ(packet.scale_up.size(), 1U);
    EXPECT_EQ(packet.scale_up.front().flow_control, "credit");
    EXPECT_EQ(packet.scale_up.front().virtual_channels, 1);
    expect_range(packet.scale_up.front().buffer, 262144, 262144);
    EXPECT_THAT(simulate(incast(8, 100'000), machine, Fidelity::Fluid).notes,
                Contains(HasSubstr("NPUs relay messages")));
}

// A buffer of 2 MiB has 1 MiB at most for one link, and with pauses, when all three senders are
// told to, 1.5 MiB and some headroom: marks from 1.75 MiB on do not come.
TEST(ResolvedPackets, AreNotedWhereNothingIsMarked) {
    const std::string network =
        "topology: [Switch]\nnpus_count: [8]\nbandwidth: [50]\nlatency: [500]\n"
        "packet: {transport: {kind: selective-repeat, window: 64MiB}, congestion_control: dcqcn, "
        "buffer: 2MiB, flow_control: ";
    const auto heard_nothing =
        AllOf(HasSubstr("congestion_control: dcqcn heard of no congestion"),
              HasSubstr("marks begin beyond 1.750 MiB on switch0 -> npu0, where at most "));
    for (const std::string flow_control : {"none", "pfc"}) {
        const engine::Workload workload = incast(8, 1'000'000);
        const auto notes = [&](const std::string& ecn) {
            const Machine machine = machine_of(network + flow_control + ecn + "}\n");
            return simulate(workload, machine, Fidelity::Packet).notes;
        };
        EXPECT_THAT(notes(", ecn: {kmin: 1.75MiB, per: link}"), Contains(heard_nothing))
            << flow_control;
        EXPECT_THAT(notes(", ecn: {pmax: 0, kmax: 4MiB, per: link}"),
                    Contains(AllOf(HasSubstr("marks begin beyond 4 MiB on switch0 -> npu0"),
                                   HasSubstr("lower ecn.kmax, give ecn.pmax or enlarge buffer"))))
            << flow_control;
        EXPECT_THAT(notes(""), Not(Contains(HasSubstr("heard of no congestion")))) << flow_control;
    }
}

// The sixteen incasts of a report: nothing was marked, and 64,653 packets were sent again.
TEST(ResolvedPackets, ManyIncastsAreMarked) {
    NPUNET_SKIP_WITHOUT_SHARED_DATA();
    const std::string folder =
        std::filesystem::path(NPUNET_SHARED_DIR) / "data/regressions/dcqcn-unmarked";
    const Machine machine = load_machine(folder + "/net.yml", "", "npunet");
    EXPECT_THAT(machine.warnings, testing::IsEmpty());
    const engine::Results results = simulate(
        load_workload_for(machine, folder + "/w", folder + "/g.json"), machine, Fidelity::Packet);
    std::uint64_t marked = 0;
    std::uint64_t again = 0;
    for (const engine::LinkResult& link : results.links) {
        marked += link.marked;
        again += link.retransmissions;
    }
    EXPECT_GT(marked, 0U);
    EXPECT_EQ(again, 0U);
    EXPECT_LT(results.finish, Time::ns(500'000));
}

}  // namespace
}  // namespace npunet::study::resolved_test
