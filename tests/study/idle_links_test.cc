// What nothing crosses is said, at every fidelity alike, and does not change a run.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "packet/make_packet_network.h"
#include "study/fidelity_notes.h"
#include "study/simulation_run.h"
#include "tests/support/machines.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/workloads.h"

namespace npunet::study::idle_links_test {
namespace {

using chakra::CollectiveType;
using test::collective_node;
using test::compute_node;
using test::receive_node;
using test::send_node;
using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Notes = std::vector<std::string>;

Machine machine_of(const std::string& network) {
    const test::TemporaryFolder folder;
    return load_machine(folder.write("net.yml", network), "", "npunet");
}

std::vector<Fidelity> fidelities() {
    std::vector<Fidelity> list{Fidelity::Analytical, Fidelity::CongestionAware};
    list.push_back(Fidelity::Packet);
    return list;
}

/// By fidelity, without the note that congestion-aware runs have on every network.
std::vector<Notes> notes_of(const engine::Workload& workload, const Machine& machine) {
    std::vector<Notes> all;
    for (const Fidelity fidelity : fidelities()) {
        Notes notes = simulate(workload, machine, fidelity).notes;
        const std::string own = fidelity_note(machine, fidelity);
        notes.erase(std::remove(notes.begin(), notes.end(), own), notes.end());
        all.push_back(std::move(notes));
    }
    return all;
}

/// Every group carries out one collective.
engine::Workload collectives(std::size_t ranks, const std::vector<engine::Group>& groups,
                             CollectiveType type, std::int64_t bytes) {
    return test::workload_of(
        ranks,
        [&](Rank rank) {
            std::vector<chakra::Node> nodes{compute_node(1, 3)};
            for (const engine::Group& group : groups) {
                if (std::count(group.ranks.begin(), group.ranks.end(), rank) > 0) {
                    nodes.push_back(collective_node(2, type, bytes, group.name));
                }
            }
            return nodes;
        },
        groups);
}

/// Group g has ranks first(g), first(g) + step, ..., `size` of them.
std::vector<engine::Group> groups_of(int count, int size, int step, int distance) {
    std::vector<engine::Group> groups;
    for (int g = 0; g < count; ++g) {
        engine::Group group;
        group.name = "group" + std::to_string(g);
        for (int i = 0; i < size; ++i) {
            group.ranks.emplace_back(g * distance + i * step);
        }
        groups.push_back(group);
    }
    return groups;
}

const std::string mesh =
    "topology: [Mesh2D]\nnpus_count: [[4, 4]]\nbandwidth: [50]\nlatency: [500]\n";
const std::string switches =
    "topology: [Switch, Switch]\nnpus_count: [4, 4]\nbandwidth: [450, 50]\nlatency: [100, 500]\n";

// Rows of a mesh are dimension 0, columns dimension 1.
TEST(IdleLinks, GroupsInsideARow) {
    for (const CollectiveType type : {CollectiveType::AllReduce, CollectiveType::AllToAll}) {
        EXPECT_THAT(notes_of(collectives(16, groups_of(4, 4, 1, 4), type, 4000), machine_of(mesh)),
                    Each(ElementsAre(AllOf(HasSubstr("spans dimension 1 (Mesh1D of 4)"),
                                           HasSubstr("change no time of this run")))));
        EXPECT_THAT(notes_of(collectives(16, groups_of(4, 4, 4, 1), type, 4000), machine_of(mesh)),
                    Each(ElementsAre(HasSubstr("spans dimension 0 (Mesh1D of 4)"))));
    }
}

// Barriers carry no bytes, and wait for latencies all the same; what is done at once does not.
TEST(IdleLinks, EmptyMessagesCount) {
    const auto notes = [](const std::vector<engine::Group>& groups, CollectiveType type) {
        return notes_of(collectives(16, groups, type, 0), machine_of(switches));
    };
    EXPECT_THAT(notes(groups_of(4, 4, 1, 4), CollectiveType::Barrier),
                Each(ElementsAre(HasSubstr("spans dimension 1 (Switch of 4)"))));
    EXPECT_THAT(notes(groups_of(1, 16, 1, 0), CollectiveType::Barrier), Each(IsEmpty()));
    EXPECT_THAT(notes(groups_of(1, 16, 1, 0), CollectiveType::AllReduce),
                Each(ElementsAre(HasSubstr("no rank sends anything"))));
}

TEST(IdleLinks, OneGroupThatSpansEverythingIsEnough) {
    std::vector<engine::Group> groups = groups_of(3, 4, 1, 4);
    EXPECT_THAT(
        notes_of(collectives(16, groups, CollectiveType::AllGather, 1000), machine_of(switches)),
        Each(ElementsAre(HasSubstr("spans dimension 1"))));
    groups.push_back({"last", {Rank(12), Rank(1)}, false});
    EXPECT_THAT(
        notes_of(collectives(16, groups, CollectiveType::AllGather, 1000), machine_of(switches)),
        Each(IsEmpty()));
}

TEST(IdleLinks, OneMessageIsEnough) {
    const auto message_to = [](std::int32_t to) {
        return test::workload_of(16, [to](Rank rank) -> std::vector<chakra::Node> {
            if (rank == Rank(0)) {
                return {send_node(1, to, 100)};
            }
            return rank == Rank(to) ? std::vector{receive_node(1, 0, 100)}
                                    : std::vector<chakra::Node>();
        });
    };
    EXPECT_THAT(notes_of(message_to(3), machine_of(switches)),
                Each(ElementsAre(HasSubstr("spans dimension 1"))));
    EXPECT_THAT(notes_of(message_to(8), machine_of(switches)),
                Each(ElementsAre(HasSubstr("spans dimension 0"))));
    EXPECT_THAT(notes_of(message_to(9), machine_of(switches)), Each(IsEmpty()));
}

TEST(IdleLinks, NothingIsSent) {
    const auto compute = [](Rank) { return std::vector{compute_node(1, 5)}; };
    EXPECT_THAT(notes_of(test::workload_of(16, compute), machine_of(mesh)),
                Each(ElementsAre(HasSubstr("no rank sends anything"))));
    // Communicators of one rank send nothing either.
    EXPECT_THAT(notes_of(collectives(16, groups_of(16, 1, 0, 1), CollectiveType::AllReduce, 1000),
                         machine_of(mesh)),
                Each(ElementsAre(HasSubstr("no rank sends anything"))));
}

// Placed along the columns, a group of consecutive ranks spans dimension 1.
TEST(IdleLinks, PlacementsCount) {
    std::string placement = "placement: [";
    for (int rank = 0; rank < 16; ++rank) {
        placement += std::to_string(rank % 4 * 4 + rank / 4) + (rank < 15 ? ", " : "]\n");
    }
    EXPECT_THAT(notes_of(collectives(16, groups_of(4, 4, 1, 4), CollectiveType::AllReduce, 4000),
                         machine_of(mesh + placement)),
                Each(ElementsAre(HasSubstr("spans dimension 0"))));
}

// Four NPUs a leaf; four groups of four dragonfly routers with two NPUs each; servers of four.
TEST(IdleLinks, TiersOfNetworksWithoutDimensions) {
    const Machine tree = machine_of(
        "FatTree: {levels: 2, radix: 8, npus: 16, bandwidth: [50, 25], latency: [500, 700]}\n");
    EXPECT_THAT(
        notes_of(collectives(16, groups_of(4, 4, 1, 4), CollectiveType::AllReduce, 4000), tree),
        Each(ElementsAre(HasSubstr("crosses a link between leaf and spine (25 GB/s, 700 ns)"))));
    EXPECT_THAT(
        notes_of(collectives(16, groups_of(4, 4, 4, 1), CollectiveType::AllReduce, 4000), tree),
        Each(IsEmpty()));
    const Machine dragonfly = machine_of(
        "Dragonfly: {a: 2, p: 2, h: 1, groups: 3, bandwidth: [50, 50, 50], latency: [100, 100, "
        "1us]}\n");
    EXPECT_THAT(notes_of(collectives(12, groups_of(3, 4, 1, 4), CollectiveType::AllReduce, 4000),
                         dragonfly),
                Each(ElementsAre(
                    HasSubstr("crosses a link between router and router (50 GB/s, 1.000 us)"))));
    const Machine rail = machine_of(
        "Rail: {servers: 4, npus_per_server: 4, scale_up: {kind: switch, bandwidth: 450, latency: "
        "100}, scale_out: {levels: 2, radix: 4, bandwidth: 50, latency: 500}}\n");
    EXPECT_THAT(
        notes_of(collectives(16, groups_of(4, 4, 1, 4), CollectiveType::AllReduce, 4000), rail),
        Each(ElementsAre(HasSubstr("between npu and rail-leaf"),
                         HasSubstr("between rail-leaf and rail-spine"))));
}

TEST(IdleLinks, LinksBetweenTheSwitchesOfAGraph) {
    const Machine sites =
        load_machine(NPUNET_SOURCE_DIR "/configs/networks/two-sites.yml", "", "npunet");
    EXPECT_THAT(
        notes_of(collectives(8, groups_of(1, 6, 1, 0), CollectiveType::AllReduce, 600), sites),
        Each(ElementsAre(HasSubstr("crosses a link between switches"))));
    EXPECT_THAT(
        notes_of(collectives(8, groups_of(1, 8, 1, 0), CollectiveType::AllReduce, 600), sites),
        Each(IsEmpty()));
}

// What the note says: with another bandwidth and latency in the dimension it names, every NPU and
// every collective takes the same time, and with another one in the other dimension none does.
TEST(IdleLinks, DoNotChangeARun) {
    const auto finish = [](const std::string& bandwidth, const std::string& latency,
                           Fidelity fidelity) {
        const Machine machine =
            machine_of("topology: [Switch, Ring]\nnpus_count: [4, 4]\nbandwidth: [" + bandwidth +
                       "]\nlatency: [" + latency + "]\n");
        std::vector<Time> times;
        const engine::Results results =
            simulate(collectives(16, groups_of(4, 4, 1, 4), CollectiveType::AllReduce, 40'000),
                     machine, fidelity);
        for (const engine::NpuResult& npu : results.npus) {
            times.push_back(npu.finish);
            times.push_back(npu.exposed_communication);
        }
        for (const engine::CollectiveResult& collective : results.collectives) {
            times.push_back(collective.end - collective.first_start);
        }
        return times;
    };
    for (const Fidelity fidelity : fidelities()) {
        const std::vector<Time> times = finish("450, 50", "100, 500", fidelity);
        EXPECT_EQ(finish("450, 3", "100, 7000", fidelity), times);
        EXPECT_NE(finish("45, 50", "100, 500", fidelity), times);
        EXPECT_NE(finish("450, 50", "170, 500", fidelity), times);
    }
}

}  // namespace
}  // namespace npunet::study::idle_links_test
