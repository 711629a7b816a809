// All-reduces that trees of switches add up (CollNet over SHARP), on nodes with rails, leaf-spine
// networks and fat trees: times of idle networks against the closed forms, bytes of every link and
// direction against a count of the test's own, limits of the switches.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "base/errors.h"
#include "library_machines.h"
#include "study/jobs.h"
#include "tests/support/collectives.h"
#include "tests/support/refusals.h"
#include "topology/network/reduction_tree.h"
#include "topology/yaml/network_reader.h"

namespace npunet::study::sharp_simulation_test {
namespace {

using engine::CollectiveKind;
using engine::LibraryAlgorithm;
using testing::HasSubstr;

constexpr std::int64_t mib = 1 << 20;
const std::vector<Fidelity> simulated{Fidelity::CongestionAware, Fidelity::Fluid, Fidelity::Packet};
const std::vector<LibraryAlgorithm> collnet{LibraryAlgorithm::CollNetDirect,
                                            LibraryAlgorithm::CollNetChain};

/// "nccl-collnet": true.
Machine with_collnet(Machine machine, std::vector<LibraryAlgorithm> algorithms,
                     std::int32_t gpus_per_node = 0) {
    auto library =
        std::make_shared<engine::LibraryInUse>(*library_of("h100", {std::move(algorithms), {}}));
    library->collnet = true;
    library->gpus_per_node = gpus_per_node;
    machine.system.library = library;
    return machine;
}

/// Nodes with a switch between the NPUs of each place, which reduces.
Machine rails(std::int32_t per_node, std::int32_t nodes, LibraryAlgorithm algorithm,
              const topology::ReducingSwitch& limits = {}) {
    return with_collnet(reducing(nodes_of(per_node, nodes), 1, limits), {algorithm});
}

/// Each NPU is a node of its own.
Machine tree_machine(const std::string& section) {
    test::TestMachine machine;
    machine.network = topology::parse_network(section, "net.yml");
    return with_collnet(as_machine(machine), {LibraryAlgorithm::CollNetChain}, 1);
}

Machine leaf_spine() {
    return tree_machine(
        "FatTree: {levels: 2, radix: 8, npus: 16, bandwidth: 50, latency: 500, reduces: true}");
}

Machine fat_tree() {
    return tree_machine(
        "FatTree: {levels: 3, radix: 4, npus: 16, bandwidth: 50, latency: 500, reduces: true}");
}

void expect_close(const Machine& machine, std::int64_t bytes, const std::string& name) {
    const engine::Results expected =
        run_on(machine, CollectiveKind::AllReduce, bytes, Fidelity::Analytical);
    EXPECT_THAT(expected.collectives.at(0).algorithm, HasSubstr(name));
    for (const Fidelity fidelity : simulated) {
        const engine::Results results = run_on(machine, CollectiveKind::AllReduce, bytes, fidelity);
        EXPECT_NEAR(static_cast<double>(results.finish.ps()),
                    static_cast<double>(expected.finish.ps()),
                    0.02 * static_cast<double>(expected.finish.ps()))
            << name << ' ' << bytes << ' ' << name_of(fidelity);
        EXPECT_EQ(results.collectives.at(0).algorithm, expected.collectives.at(0).algorithm);
    }
}

TEST(SharpSimulation, IdleNetworksTakeTheClosedForm) {
    for (const std::int64_t bytes : {mib / 4, 2 * mib, 32 * mib}) {
        for (const LibraryAlgorithm algorithm : collnet) {
            expect_close(rails(8, 2, algorithm), bytes, name_of(algorithm));
            expect_close(rails(4, 4, algorithm), bytes, name_of(algorithm));
        }
        expect_close(leaf_spine(), bytes, "CollNetChain");
        expect_close(fat_tree(), bytes, "CollNetChain");
    }
}

// Where the wire takes longer than the library assumes: through the switches and back in 20 times
// 2 us.
TEST(SharpSimulation, SlowSwitchesCountInTheClosedForm) {
    topology::ReducingSwitch limits;
    limits.latency = Time::ns(60'000);
    for (const LibraryAlgorithm algorithm : collnet) {
        for (const std::int64_t bytes : {mib / 4, 32 * mib}) {
            expect_close(rails(4, 4, algorithm, limits), bytes, name_of(algorithm));
        }
    }
}

// Switches that make sums at a tenth of the links' rate. All parts meet at the spine of a rail, and
// on a leaf-spine network each part at one of four spines, but all of what is below a leaf there.
TEST(SharpSimulation, SumsTakeTheTimeOfTheSwitches) {
    topology::ReducingSwitch limits;
    limits.rate = Rate(5'000'000'000);
    for (const LibraryAlgorithm algorithm : collnet) {
        expect_close(rails(4, 4, algorithm, limits), 32 * mib, name_of(algorithm));
    }
    expect_close(tree_machine("FatTree: {levels: 2, radix: 8, npus: 16, bandwidth: 50, latency: "
                              "500, reduces: {rate: 5GB/s}}"),
                 32 * mib, "CollNetChain");
}

// 16 NPUs below 4 leaves of 4: a leaf adds up 4 parts, the root 4 more.
TEST(SharpSimulation, TheRadixBoundsTheTrees) {
    const auto algorithm = [](int radix) {
        return run_on(tree_machine("FatTree: {levels: 2, radix: 8, npus: 16, bandwidth: 50, "
                                   "latency: 500, reduces: {radix: " +
                                   std::to_string(radix) + "}}"),
                      CollectiveKind::AllReduce, mib, Fidelity::Fluid)
            .collectives.at(0)
            .algorithm;
    };
    EXPECT_THAT(algorithm(4), HasSubstr("CollNetChain Simple"));
    EXPECT_THAT(algorithm(3), HasSubstr("(its tuner: CollNetChain)"));
}

using Counts = std::map<std::pair<std::string, std::string>, std::int64_t>;

void expect_bytes(const Machine& machine, std::int64_t bytes, const Counts& counts) {
    for (const Fidelity fidelity : simulated) {
        const engine::Results results = run_on(machine, CollectiveKind::AllReduce, bytes, fidelity);
        EXPECT_THAT(results.collectives.at(0).algorithm, HasSubstr("CollNet"));
        for (const engine::LinkResult& link : results.links) {
            const auto found = counts.find({link.from, link.to});
            EXPECT_EQ(link.payload.value(), found == counts.end() ? 0 : found->second)
                << link.from << " -> " << link.to << ' ' << name_of(fidelity);
        }
    }
}

// Of S bytes, f NICs a node: S / f out of a NIC and S / f in, whatever the number of nodes. In the
// node: direct, everybody sends S / f to each of the other heads, and as a head to all others.
TEST(SharpSimulation, BytesOfDirect) {
    for (const std::int32_t nodes : {2, 4}) {
        const Machine machine = rails(8, nodes, LibraryAlgorithm::CollNetDirect);
        const std::int64_t part = 16 * 20'000;  // equal parts of 16 channels
        const topology::Graph& graph = machine.network.graph;
        Counts counts;
        for (std::size_t i = 0; i < graph.links(); ++i) {
            const topology::Link& link = graph.link(LinkId(i));
            counts[{graph.name(link.from), graph.name(link.to)}] =
                link.dimension == 1 ? part : 2 * 7 * part;
        }
        expect_bytes(machine, 8 * part, counts);
    }
}

// A chain: of every channel, all but the last member send up, all but the first down; channel c
// ends at member c mod 8, so that 16 channels load all alike.
TEST(SharpSimulation, BytesOfChain) {
    const Machine machine = rails(8, 2, LibraryAlgorithm::CollNetChain);
    const std::int64_t part = 300'000;
    const topology::Graph& graph = machine.network.graph;
    Counts counts;
    for (std::size_t i = 0; i < graph.links(); ++i) {
        const topology::Link& link = graph.link(LinkId(i));
        counts[{graph.name(link.from), graph.name(link.to)}] =
            link.dimension == 1 ? 2 * part : 16 * 2 * part * 7 / 8;
    }
    expect_bytes(machine, 16 * part, counts);
}

// One packet per child in, one up; one down, one per child: S on every link between an NPU and its
// leaf, and, of the two channels, half over each of two spines.
TEST(SharpSimulation, BytesOfLeafAndSpine) {
    const std::int64_t bytes = 2 * 1'000'000;
    const Machine machine = leaf_spine();
    const topology::Graph& graph = machine.network.graph;
    ASSERT_EQ(graph.nodes(), 16U + 4 + 4);
    Counts counts;
    for (std::size_t npu = 0; npu < 16; ++npu) {
        const std::string leaf = graph.name(NodeId(16 + npu / 4));
        counts[{graph.name(NodeId(npu)), leaf}] = bytes;
        counts[{leaf, graph.name(NodeId(npu))}] = bytes;
        for (const std::size_t spine : {20U, 21U}) {
            counts[{leaf, graph.name(NodeId(spine))}] = bytes / 2;
            counts[{graph.name(NodeId(spine)), leaf}] = bytes / 2;
        }
    }
    expect_bytes(machine, bytes, counts);
}

// Three levels: leaf l of pod p, aggregation switch j, core: one link a level of each channel.
TEST(SharpSimulation, BytesOfAFatTree) {
    const std::int64_t bytes = 2 * 1'000'000;
    const Machine machine = fat_tree();
    const topology::Graph& graph = machine.network.graph;
    ASSERT_EQ(graph.nodes(), 16U + 8 + 8 + 4);
    Counts counts;
    const auto both = [&](std::size_t a, std::size_t b, std::int64_t sent) {
        counts[{graph.name(NodeId(a)), graph.name(NodeId(b))}] += sent;
        counts[{graph.name(NodeId(b)), graph.name(NodeId(a))}] += sent;
    };
    for (std::size_t npu = 0; npu < 16; ++npu) {
        both(npu, 16 + npu / 2, bytes);
    }
    // Cores 0 and 1 are above the first aggregation switch of every pod.
    for (std::size_t pod = 0; pod < 4; ++pod) {
        const std::size_t aggregation = 24 + 2 * pod;
        both(16 + 2 * pod, aggregation, bytes);
        both(16 + 2 * pod + 1, aggregation, bytes);
        both(aggregation, 32, bytes / 2);
        both(aggregation, 33, bytes / 2);
    }
    expect_bytes(machine, bytes, counts);
}

TEST(SharpSimulation, TreesReachAsFarAsTheyMust) {
    const topology::NetworkDescription network = fat_tree().network;
    const auto levels = [&](std::vector<NodeId> npus) {
        const topology::ReductionTrees trees(network, std::move(npus));
        EXPECT_TRUE(trees.exist());
        std::size_t most = 0;
        const topology::ReductionTree tree = trees.tree(0);
        for (std::size_t i = 0; i < tree.switches.size(); ++i) {
            std::size_t depth = 1;
            for (auto at = tree.switches[i].parent; at != topology::ReductionTree::none;
                 at = tree.switches[at].parent) {
                ++depth;
            }
            most = std::max(most, depth);
        }
        return std::pair(trees.size(), most);
    };
    EXPECT_EQ(levels({NodeId(0), NodeId(1)}), std::pair(std::size_t{1}, std::size_t{1}));
    EXPECT_EQ(levels({NodeId(0), NodeId(2)}), std::pair(std::size_t{2}, std::size_t{2}));
    EXPECT_EQ(levels({NodeId(0), NodeId(15)}), std::pair(std::size_t{4}, std::size_t{3}));
    // The leaf's two NPUs, each 500 ns and 16 KiB at 50 GB/s there, and the same back.
    const topology::ReductionTree leaf =
        topology::ReductionTrees(network, {NodeId(0), NodeId(1)}).tree(0);
    EXPECT_EQ(push_time(network, leaf, Bytes(50'000)), Time::ns(2 * (500 + 1000)));
}

// A member that comes late holds back all sums; nothing else takes longer.
TEST(SharpSimulation, ALateMemberHoldsBackTheSums) {
    for (const Machine& machine : {rails(4, 2, LibraryAlgorithm::CollNetDirect), leaf_spine()}) {
        const auto npus = static_cast<std::int32_t>(machine.network.npu_of_rank.size());
        const auto finish = [&](std::int64_t late_us) {
            return simulate(test::workload_of(
                                npus,
                                [&](Rank rank) {
                                    std::vector<chakra::Node> nodes;
                                    std::vector<std::uint64_t> after;
                                    if (late_us > 0 && rank.value() == npus - 1) {
                                        nodes.push_back(test::compute_node(1, late_us));
                                        after.push_back(1);
                                    }
                                    nodes.push_back(test::collective_node(
                                        2, chakra::CollectiveType::AllReduce, 64 << 10, "", after));
                                    return nodes;
                                }),
                            machine, Fidelity::Packet, {})
                .finish;
        };
        EXPECT_EQ(finish(700), finish(0) + Time::ns(700'000));
    }
}

// A member that never comes: the run says whom the others wait for.
TEST(SharpSimulation, AMemberThatNeverComesIsReported) {
    const engine::Workload workload = test::workload_of(16, [](Rank rank) {
        std::vector<chakra::Node> nodes;
        if (rank != Rank(5)) {
            nodes.push_back(test::collective_node(1, chakra::CollectiveType::AllReduce, mib));
        }
        return nodes;
    });
    for (const Fidelity fidelity : simulated) {
        EXPECT_THAT(test::message_of<StallError>(
                        [&] { static_cast<void>(simulate(workload, leaf_spine(), fidelity, {})); }),
                    HasSubstr("waits for rank 5"))
            << name_of(fidelity);
    }
}

// One entry a switch: units wait, nothing is lost or stuck, and it takes longer.
TEST(SharpSimulation, AFullSwitchHoldsUnitsBack) {
    topology::ReducingSwitch few;
    few.entries = 1;
    few.latency = Time::ns(5000);
    for (const LibraryAlgorithm algorithm : collnet) {
        for (const Fidelity fidelity : simulated) {
            const engine::Results results =
                run_on(rails(4, 4, algorithm, few), CollectiveKind::AllReduce, 4 * mib, fidelity);
            // A rail adds up 1 MiB in units of 16 KiB, each held for 5 us and until it has left.
            EXPECT_GT(results.finish, Time::ns(std::int64_t{64} * (5000 + 327)));
            for (std::size_t i = 0; i < results.links.size(); ++i) {
                EXPECT_GT(results.links[i].payload, Bytes());
            }
        }
    }
}

// Two communicators over the same leaves: one member of both pushes for both at once, the other for
// the second after the first has ended, so that sums of the second miss parts until then.
engine::Workload two_communicators() {
    const std::vector<engine::Group> groups{{"low", {Rank(0), Rank(4), Rank(8)}},
                                            {"high", {Rank(0), Rank(4), Rank(9)}}};
    return test::workload_of(
        16,
        [](Rank rank) {
            std::vector<chakra::Node> nodes;
            const auto add = [&](std::uint64_t id, const char* group,
                                 std::vector<std::uint64_t> after) {
                nodes.push_back(test::collective_node(id, chakra::CollectiveType::AllReduce, mib,
                                                      group, std::move(after)));
            };
            if (rank == Rank(0)) {
                add(1, "low", {});
                add(2, "high", {});
            } else if (rank == Rank(4)) {
                add(1, "low", {});
                add(2, "high", {1});
            } else if (rank == Rank(8)) {
                add(1, "low", {});
            } else if (rank == Rank(9)) {
                add(1, "high", {});
            }
            return nodes;
        },
        groups);
}

TEST(SharpSimulation, SumsOfWhichPartsAreMissingDoNotBlockOthers) {
    for (const int entries : {1, 2, 1024}) {
        const Machine machine = tree_machine(
            "FatTree: {levels: 2, radix: 8, npus: 16, bandwidth: 50, latency: 500, reduces: "
            "{entries: " +
            std::to_string(entries) + "}}");
        for (const Fidelity fidelity : simulated) {
            const engine::Results results = simulate(two_communicators(), machine, fidelity, {});
            EXPECT_EQ(results.collectives.size(), 2U);
        }
    }
}

TEST(SharpSimulation, OrderOfInsertionDoesNotCount) {
    const Machine machine = tree_machine(
        "FatTree: {levels: 2, radix: 8, npus: 16, bandwidth: 50, latency: 500, reduces: "
        "{entries: 3}}");
    for (const Fidelity fidelity : simulated) {
        const auto ends = [&](std::optional<std::uint64_t> seed) {
            RunOptions options;
            options.shuffle_seed = seed;
            const engine::Results results =
                simulate(two_communicators(), machine, fidelity, options);
            std::vector<Time> list{results.finish};
            for (const engine::CollectiveResult& collective : results.collectives) {
                list.push_back(collective.end);
            }
            return list;
        };
        const std::vector<Time> expected = ends(std::nullopt);
        for (const std::uint64_t seed : {1U, 2U, 3U}) {
            EXPECT_EQ(ends(seed), expected) << name_of(fidelity) << ' ' << seed;
        }
    }
}

TEST(SharpSimulation, ByteOrTwo) {
    for (const std::int64_t bytes : {1, 2, 17}) {
        for (const LibraryAlgorithm algorithm : collnet) {
            for (const Fidelity fidelity : simulated) {
                EXPECT_GT(run_on(rails(4, 2, algorithm), CollectiveKind::AllReduce, bytes, fidelity)
                              .finish,
                          Time());
            }
        }
    }
}

// NVLS in nodes, and switches between them in place of trees of heads: a NIC sends and receives
// S / f, where trees of heads have it send 2 S / f (N >= 4).
TEST(SharpSimulation, NvlsOverSwitchesBetweenNodes) {
    const Machine machine =
        with_collnet(reducing(reducing(nodes_of(8, 4), 0), 1), {LibraryAlgorithm::Nvls});
    for (const std::int64_t bytes : {2 * mib, 16 * mib}) {
        expect_close(machine, bytes, "NVLS Simple");
    }
    const std::int64_t head = 32 * 20'000;
    for (const Fidelity fidelity : simulated) {
        const engine::Results results =
            run_on(machine, CollectiveKind::AllReduce, 8 * head, fidelity);
        for (std::size_t i = 0; i < results.links.size(); ++i) {
            EXPECT_EQ(results.links[i].payload.value(),
                      machine.network.graph.link(LinkId(i)).dimension == 0 ? 9 * head : head)
                << results.links[i].from << " -> " << results.links[i].to;
        }
    }
}

std::string algorithm_of(const Machine& machine, Fidelity fidelity) {
    return run_on(machine, CollectiveKind::AllReduce, 8 * mib, fidelity)
        .collectives.at(0)
        .algorithm;
}

// Without switches that add up, or not this type, the ring takes the place and says so.
TEST(SharpSimulation, OtherNetworksAndTypesKeepTheRing) {
    for (const Fidelity fidelity : {Fidelity::Analytical, Fidelity::Fluid}) {
        const Machine inside =
            with_collnet(reducing(nodes_of(8, 2), 0), {LibraryAlgorithm::CollNetDirect});
        EXPECT_THAT(algorithm_of(inside, fidelity), HasSubstr("(its tuner: CollNetDirect)"));
        Machine adaptive = leaf_spine();
        adaptive.network = topology::parse_network(
            "FatTree: {levels: 2, radix: 8, npus: 16, bandwidth: 50, latency: 500, reduces: true}\n"
            "packet: {routing: adaptive}\n",
            "net.yml");
        EXPECT_THAT(algorithm_of(adaptive, fidelity), HasSubstr("(its tuner: CollNetChain)"));
        Machine bytes = rails(8, 2, LibraryAlgorithm::CollNetChain);
        auto library = std::make_shared<engine::LibraryInUse>(*bytes.system.library);
        library->element_bytes = 1;
        bytes.system.library = library;
        EXPECT_THAT(algorithm_of(bytes, fidelity),
                    HasSubstr("(its tuner: CollNetChain, but not for 1-byte elements)"));
    }
    Machine off = rails(8, 2, LibraryAlgorithm::CollNetChain);
    off.system.library = library_of("h100", {{LibraryAlgorithm::CollNetChain}, {}});
    EXPECT_THROW(static_cast<void>(algorithm_of(off, Fidelity::Fluid)), InputError);
}

// Jobs below one spine do not know each other's sums.
TEST(SharpSimulation, JobsThatShareASpineKeepTheRing) {
    const engine::Workload workload = test::workload_of(8, [](Rank) {
        return std::vector{test::collective_node(1, chakra::CollectiveType::AllReduce, 8 * mib)};
    });
    std::vector<NodeId> low;
    std::vector<NodeId> high;
    for (std::int32_t npu = 0; npu < 8; ++npu) {
        low.emplace_back(npu);
        high.emplace_back(8 + npu);
    }
    const std::vector<Job> jobs{{"a", workload, low, {}}, {"b", workload, high, {}}};
    EXPECT_THAT(simulate_jobs(jobs, leaf_spine(), Fidelity::Packet, {})
                    .jobs.at(1)
                    .results.collectives.at(0)
                    .algorithm,
                HasSubstr("(its tuner: CollNetChain)"));
}

TEST(SharpSimulation, NetworkYmlNamesSwitchesOfTreesThatReduce) {
    const auto read = [](const std::string& text) {
        return topology::parse_network(text, "net.yml").reducing_switches;
    };
    EXPECT_EQ(leaf_spine().network.reducing_switches.size(), 8U);
    EXPECT_EQ(fat_tree().network.reducing_switches.size(), 20U);
    const std::string rail =
        "Rail: {servers: 4, npus_per_server: 2, scale_up: {kind: switch, bandwidth: 450, latency: "
        "50%}, scale_out: {levels: 2, radix: 4, bandwidth: 50, latency: 500, reduces: {entries: "
        "7}}}\n";
    const auto with = [&](const std::string& more) {
        std::string text = rail;
        return text.replace(text.find('%'), 1, more);
    };
    const auto outside = read(with(""));
    EXPECT_EQ(outside.size(), 2U * (2 + 2));
    EXPECT_EQ(outside.front().entries, 7);
    EXPECT_EQ(read(with(", reduces: true")).size(), 4U + 2 * (2 + 2));
    EXPECT_FALSE(read("Dragonfly: {a: 2, p: 2, h: 1, groups: 3, bandwidth: 50, latency: 500, "
                      "reduces: true}\n")
                     .empty());
    EXPECT_THROW(read("FatTree: {levels: 2, radix: 8, npus: 16, bandwidth: 50, latency: 500, "
                      "reduces: {entries: 0}}\n"),
                 InputError);
    EXPECT_THROW(read("FatTree: {levels: 2, radix: 8, npus: 16, bandwidth: 50, latency: 500, "
                      "reduces: {entry: 1}}\n"),
                 InputError);
}

}  // namespace
}  // namespace npunet::study::sharp_simulation_test
