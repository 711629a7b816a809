// Collectives far from their bound are said, with the ports that were idle; those that cannot be
// faster, or waited for a member, are not.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "base/units.h"
#include "engine/collective_algorithms/implementation.h"
#include "study/jobs.h"
#include "study/run_notes.h"
#include "study/simulation_run.h"
#include "tests/packet/random_networks.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/workloads.h"

namespace npunet::study::bound_notes_test {
namespace {

using chakra::CollectiveType;
using test::collective_node;
using test::compute_node;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Notes = std::vector<std::string>;

const std::string rail =
    "Rail: {servers: 4, npus_per_server: 4, scale_up: {kind: switch, bandwidth: 450, latency: "
    "100}, scale_out: {levels: 2, radix: 8, bandwidth: 50, latency: 500}}\n";

Machine machine_of(const std::string& network, const std::string& algorithm) {
    const test::TemporaryFolder folder;
    Machine machine = load_machine(folder.write("network.yml", network), "", "npunet");
    const engine::Implementation implementation = *engine::Implementation::named(algorithm);
    for (std::size_t i = 0; i < machine.system.implementation_lists.size(); ++i) {
        if (implementation.does(static_cast<engine::CollectiveKind>(i))) {
            machine.system.implementation_lists[i] = {implementation};
        }
    }
    return machine;
}

/// Every rank is in each of the collectives, one after the other.
engine::Workload collectives(std::size_t ranks, const std::vector<std::int64_t>& sizes,
                             std::uint64_t last_comes_at_us = 0) {
    return test::workload_of(ranks, [&](Rank rank) {
        std::vector<chakra::Node> nodes{
            compute_node(1, rank.index() + 1 == ranks ? last_comes_at_us : 0)};
        for (const std::int64_t bytes : sizes) {
            const std::uint64_t last = nodes.back().id;
            nodes.push_back(
                collective_node(last + 1, CollectiveType::AllReduce, bytes, "", {last}));
        }
        return nodes;
    });
}

/// Those of a kind.
Notes bound_notes(const Notes& notes) {
    Notes found;
    for (const std::string& note : notes) {
        if (note.find("bound") != std::string::npos) {
            found.push_back(note);
        }
    }
    return found;
}

// One ring through all ranks leaves each server by one of its four NICs: 2 x 15/16 x 64 MB over
// 50 GB/s, which takes 4 times what four NICs could do, and more by its steps.
TEST(BoundNotes, NameAlgorithmBoundAndIdlePorts) {
    const Machine machine = machine_of(rail, "oneRing");
    for (const Fidelity fidelity :
         {Fidelity::Analytical, Fidelity::CongestionAware, Fidelity::Packet}) {
        const engine::Results results = simulate(collectives(16, {64'000'000}), machine, fidelity);
        ASSERT_EQ(results.collectives.size(), 1U);
        const Time time = results.collectives[0].end;
        const Time bound = results.collectives[0].least;
        EXPECT_EQ(bound, Time::ns(480'100));
        EXPECT_THAT(bound_notes(results.notes),
                    ElementsAre(fmt::format(
                        "all_reduce of {} by {} among 16 ranks takes {}, {:.1f} times its bound of "
                        "480.1 us: 12 of 16 scale-out ports carried nothing",
                        format_bytes(Bytes(64'000'000)), results.collectives[0].algorithm,
                        format_time(time),
                        static_cast<double>(time.ps()) / static_cast<double>(bound.ps()))));
    }
}

// The classes are by type, group and algorithm; of two collectives the worse is named. The
// third takes 17 times its bound, which is less than the latency of a route for each of five steps.
TEST(BoundNotes, AreOneAClassAndNotOfTheSmallest) {
    const Machine machine = machine_of(rail, "oneRing");
    const engine::Results results =
        simulate(collectives(16, {32'000'000, 64'000'000, 100'000}), machine, Fidelity::Analytical);
    ASSERT_EQ(results.collectives.size(), 3U);
    const Notes notes = bound_notes(results.notes);
    ASSERT_EQ(notes.size(), 1U);
    const auto times = [&](std::size_t i) {
        const engine::CollectiveResult& one = results.collectives[i];
        return static_cast<double>((one.end - one.last_start).ps()) /
               static_cast<double>(one.least.ps());
    };
    EXPECT_GT(times(2), 15);
    const std::size_t worse = times(0) > times(1) ? 0 : 1;
    EXPECT_THAT(notes[0], HasSubstr(format_bytes(results.collectives[worse].bytes) + " by"));
    EXPECT_THAT(notes[0], HasSubstr("(the worst of 2 such collectives)"));
}

// Direct in one step is near the bound however late one rank comes.
TEST(BoundNotes, DoNotBlameCollectivesForLateMembers) {
    const Machine machine = machine_of(
        "topology: [Switch]\nnpus_count: [8]\nbandwidth: [50]\nlatency: [500]\n", "direct");
    const engine::Results results =
        simulate(collectives(8, {8'000'000}, 5'000), machine, Fidelity::Analytical);
    EXPECT_GT(results.collectives[0].end, Time::ns(5'000'000));
    EXPECT_THAT(bound_notes(results.notes), IsEmpty());
}

// One direction of a ring's cables: where there are no servers, ports are only ports.
TEST(BoundNotes, OfARingInOneDirection) {
    const Machine machine =
        machine_of("topology: [Ring]\nnpus_count: [4]\nbandwidth: [50]\nlatency: [500]\n", "ring");
    EXPECT_THAT(bound_notes(simulate(collectives(4, {4'000'000}), machine, Fidelity::Packet).notes),
                ElementsAre(HasSubstr("4 of 8 ports carried nothing")));
}

// In the reference's dialect results stay what they were.
TEST(BoundNotes, AreNoneInTheAstraSimDialects) {
    const test::TemporaryFolder folder;
    const Machine machine = load_machine(
        folder.write("network.yml",
                     "topology: [Ring]\nnpus_count: [4]\nbandwidth: [50]\nlatency: [500]\n"),
        "", "astra-sim");
    EXPECT_THAT(
        bound_notes(simulate(collectives(4, {4'000'000}), machine, Fidelity::Analytical).notes),
        IsEmpty());
}

// Four NPUs of each leaf share one up-link, which the estimate lets all of them have for
// themselves.
TEST(BoundNotes, SayWhereTheEstimateBeatsABound) {
    const Machine machine = machine_of(
        "FatTree: {levels: 2, radix: 5, npus: 8, oversubscription: 4, bandwidth: 50, latency: "
        "500}\n",
        "flat-direct");
    const engine::Workload workload = test::workload_of(8, [](Rank) {
        return std::vector{collective_node(1, CollectiveType::AllToAll, 8'000'000)};
    });
    const engine::Results estimate = simulate(workload, machine, Fidelity::Analytical);
    EXPECT_LT(estimate.collectives[0].end, estimate.collectives[0].least);
    EXPECT_EQ(bound_notes(estimate.notes).size() + (beats_link_bound(estimate) ? 1U : 0U), 1U);
    const engine::Results shared = simulate(workload, machine, Fidelity::CongestionAware);
    EXPECT_GE(shared.collectives[0].end, shared.collectives[0].least);
    EXPECT_THAT(bound_notes(shared.notes), IsEmpty());
}

// A job's collectives are noted with the job.
TEST(BoundNotes, OfJobs) {
    const Machine machine = machine_of(rail, "oneRing");
    std::vector<NodeId> first;
    for (int npu = 0; npu < 8; ++npu) {
        first.emplace_back(npu);
    }
    const std::vector<Job> jobs{{"first", collectives(8, {64'000'000}), first, Time()}};
    const engine::JobsResults results = simulate_jobs(jobs, machine, Fidelity::Analytical);
    EXPECT_THAT(bound_notes(results.jobs[0].results.notes),
                ElementsAre(HasSubstr("6 of 8 scale-out ports carried nothing")));
}

struct Drawn {
    std::string network;
    std::string algorithm;
    CollectiveType type = CollectiveType::AllReduce;
    std::vector<Rank> group;
    std::int64_t bytes = 0;
    Fidelity fidelity = Fidelity::Packet;
};

class Draws {
public:
    std::int64_t number(std::int64_t most) {
        return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(most));
    }

    Drawn next(unsigned number_of_draw) {
        static constexpr CollectiveType types[] = {
            CollectiveType::AllReduce, CollectiveType::AllGather, CollectiveType::ReduceScatter,
            CollectiveType::AllToAll,  CollectiveType::Broadcast, CollectiveType::Reduce,
            CollectiveType::Gather,    CollectiveType::Scatter};
        static constexpr const char* algorithms[] = {"ring",
                                                     "oneRing",
                                                     "direct",
                                                     "direct2",
                                                     "oneDirect",
                                                     "multiRing",
                                                     "halvingDoubling",
                                                     "recursiveDoubling",
                                                     "bidirectionalRing",
                                                     "oneDoubleBinaryTree",
                                                     "binomialTree"};
        Drawn drawn;
        drawn.network = packet_test::random_network_text(number_of_draw % 5, random_);
        drawn.algorithm = algorithms[number(std::size(algorithms))];
        drawn.type = types[number(std::size(types))];
        const std::int64_t npus = static_cast<std::int64_t>(
            topology::parse_network(drawn.network, "network.yml").graph.npus());
        for (std::int64_t rank = 0; rank < npus; ++rank) {
            drawn.group.emplace_back(static_cast<std::int32_t>(rank));
        }
        if (number(2) == 0) {
            for (std::size_t i = drawn.group.size(); i > 1; --i) {
                std::swap(
                    drawn.group[i - 1],
                    drawn.group[static_cast<std::size_t>(number(static_cast<std::int64_t>(i)))]);
            }
            drawn.group.resize(static_cast<std::size_t>(2 + number(npus - 1)));
        }
        drawn.bytes = (1 + number(3'000)) * static_cast<std::int64_t>(drawn.group.size());
        drawn.fidelity = number(2) == 0 ? Fidelity::Packet : Fidelity::CongestionAware;
        return drawn;
    }

private:
    std::mt19937_64 random_{33};
};

// Where links carry one message at a time no algorithm is faster than the bound, on any network,
// for any group.
TEST(RunBounds, AreNeverBeatenWhereLinksAreShared) {
    Draws draws;
    for (unsigned i = 0; i < 400; ++i) {
        const Drawn drawn = draws.next(i);
        SCOPED_TRACE(fmt::format("{}: {} of {} bytes by {} among {}", drawn.network,
                                 static_cast<int>(drawn.type), drawn.bytes, drawn.algorithm,
                                 drawn.group.size()));
        const Machine machine = machine_of(drawn.network, drawn.algorithm);
        const std::size_t npus = machine.network.graph.npus();
        const engine::Workload workload = test::workload_of(
            npus,
            [&](Rank rank) {
                std::vector<chakra::Node> nodes{compute_node(1, 0)};
                if (std::count(drawn.group.begin(), drawn.group.end(), rank) > 0) {
                    nodes.push_back(collective_node(2, drawn.type, drawn.bytes, "group"));
                    nodes.back().set_integer("comm_root", drawn.group.front().value());
                }
                return nodes;
            },
            {{"group", drawn.group, false}});
        const engine::Results results = simulate(workload, machine, drawn.fidelity);
        ASSERT_EQ(results.collectives.size(), 1U);
        const engine::CollectiveResult& collective = results.collectives[0];
        ASSERT_GE(collective.end - collective.first_start, collective.least);
    }
}

}  // namespace
}  // namespace npunet::study::bound_notes_test
