// Steady state of collective steps at packet level: the results are those of all packets one by
// one.

#include "engine/simulation/periodic_steps.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "engine/simulation/simulation.h"
#include "network_run.h"
#include "packet/credit/credit_network.h"
#include "random_networks.h"
#include "random_training.h"
#include "tests/support/machines.h"
#include "tests/support/workloads.h"
#include "topology/yaml/network_reader.h"
#include "traffic.h"

namespace npunet::packet_test::steady_steps_test {
namespace {

using chakra::CollectiveType;

struct Outcome {
    std::string text;           ///< all that the results say, and what the links have carried
    std::uint64_t skipped = 0;  ///< steps that were not simulated
    std::uint64_t events = 0;
};

Outcome run(const engine::Workload& workload, const test::TestMachine& machine, bool trains,
            std::size_t threads = 1, std::uint64_t shuffle = 0) {
    engine::EventQueue queue;
    packet::CreditNetwork network(machine.network, shuffled(queue, shuffle));
    network.set_fast_forward(trains);
    network.set_threads(threads, 1);
    engine::Simulation simulation(workload, machine.network, machine.system, machine.dialect, queue,
                                  network);
    const engine::Results results = simulation.run();
    network.settle();
    Outcome outcome{described(results) + transcript({}, network.link_use(), network.packet_hops()),
                    simulation.skipped_steps(), queue.handled()};
    const engine::Transport& transport = simulation.transport();
    outcome.text += "messages " + std::to_string(transport.messages_sent()) + ' ' +
                    std::to_string(transport.messages_delivered()) + ' ' +
                    std::to_string(transport.bytes_sent().value()) + ' ' +
                    std::to_string(transport.bytes_delivered().value());
    return outcome;
}

/// Rings of many members, most of them of equal parts, and between them messages and computations
/// that may last as long as they do. In lockstep all ranks do the same; else they get out of step,
/// and with a uniform ring the delays go round for ever.
engine::Workload random_rings(int ranks, bool lockstep, std::mt19937_64& random) {
    const auto below = [&random](int bound) {
        return static_cast<int>(random() % static_cast<unsigned>(bound));
    };
    std::vector<engine::Group> groups;
    const auto add_group = [&groups](const std::vector<Rank>& members) {
        if (members.size() > 1) {
            groups.push_back({"group" + std::to_string(groups.size()), members});
        }
    };
    std::vector<Rank> everyone;
    std::vector<Rank> low;
    std::vector<Rank> high;
    for (int rank = 0; rank < ranks; ++rank) {
        everyone.emplace_back(rank);
        (rank < ranks / 2 ? low : high).emplace_back(rank);
    }
    add_group(everyone);
    add_group(low);
    add_group(high);
    std::shuffle(everyone.begin(), everyone.end(), random);
    add_group(everyone);

    std::vector<std::vector<chakra::Node>> nodes(static_cast<std::size_t>(ranks));
    std::uint64_t id = 1;
    const auto add = [&](int rank, chakra::Node node, int freedom) {
        std::vector<chakra::Node>& list = nodes[static_cast<std::size_t>(rank)];
        if (!list.empty() && below(freedom) != 0) {
            node.data_deps = {list.back().id};
        }
        list.push_back(std::move(node));
    };
    const auto add_collective = [&](const std::vector<Rank>& members, const std::string& name) {
        constexpr CollectiveType types[] = {CollectiveType::AllReduce, CollectiveType::AllGather,
                                            CollectiveType::ReduceScatter};
        const CollectiveType type = types[below(3)];
        const auto parts = static_cast<std::int64_t>(members.size());
        // In up to three chunks; sometimes of unequal parts.
        const std::int64_t bytes = 6 * parts * (1 + below(6'000)) + (below(6) == 0 ? 1 : 0);
        for (const Rank each : members) {
            add(each.value(), test::collective_node(id, type, bytes, name), 8);
        }
        ++id;
    };
    for (int step = 0; step < 5; ++step) {
        const int rank = below(ranks);
        switch (lockstep ? 3 + below(3) : below(5)) {
            case 0:
                add(rank, test::compute_node(id++, static_cast<std::uint64_t>(below(300))), 2);
                break;
            case 1: {
                const int peer = (rank + 1 + below(ranks - 1)) % ranks;
                const auto tag = static_cast<std::int32_t>(id);
                const std::int64_t bytes = 1 + below(100'000);
                add(rank, test::send_node(id, peer, bytes, tag), 2);
                add(peer, test::receive_node(id, rank, bytes, tag), 2);
                ++id;
                break;
            }
            case 2:
                for (const engine::Group& group : groups) {
                    if (group.ranks.size() < everyone.size()) {
                        add_collective(group.ranks, group.name);
                    }
                }
                break;
            case 5: {
                const auto micros = static_cast<std::uint64_t>(below(300));
                for (int each = 0; each < ranks; ++each) {
                    add(each, test::compute_node(id, micros), 2);
                }
                ++id;
                break;
            }
            default: {
                const engine::Group& group = groups[lockstep ? 0 : random() % groups.size()];
                add_collective(group.ranks, group.name);
            }
        }
    }
    return test::workload_of(
        static_cast<std::size_t>(ranks), [&](Rank rank) { return nodes[rank.index()]; }, groups);
}

engine::SystemConfig ring_system(std::mt19937_64& random) {
    test::TestMachine machine;
    engine::Implementation implementation;
    implementation.algorithm = engine::Algorithm::Ring;
    implementation.flat = random() % 2 == 0;
    machine.use(implementation);
    machine.system.preferred_dataset_splits = static_cast<std::int32_t>(1 + random() % 3);
    machine.system.active_chunks_per_dimension = static_cast<std::int32_t>(1 + random() % 2);
    machine.system.endpoint_delay = Time::ns(static_cast<std::int64_t>(random() % 2) * 10);
    machine.system.compute.memory_bandwidth = random() % 2 == 0 ? 100 : 0;
    return machine.system;
}

/// Compares with all packets one by one, and returns how many steps were skipped.
std::uint64_t skipped_with_equal_results(const test::TestMachine& machine, unsigned seed,
                                         std::mt19937_64& random) {
    const auto ranks = static_cast<int>(machine.network.graph.npus());
    const engine::Workload workload = random_rings(ranks, seed % 3 != 0, random);
    const Outcome every = run(workload, machine, false);
    const Outcome steady = run(workload, machine, true, 1 + seed % 2);
    EXPECT_TRUE(every.text == steady.text) << "seed " << seed;
    EXPECT_EQ(every.skipped, 0);
    return steady.skipped;
}

class SteadyStepsOnRandomNetworks : public testing::TestWithParam<unsigned> {};

// Rates, latencies and buffers that fit nothing: there is seldom a pattern.
TEST_P(SteadyStepsOnRandomNetworks, EqualAllStepsOneByOne) {
    for (unsigned seed = 0; seed < 16; ++seed) {
        std::mt19937_64 random(1000 * GetParam() + seed);
        test::TestMachine machine;
        machine.network = random_network(GetParam(), random);
        machine.system = ring_system(random);
        static_cast<void>(skipped_with_equal_results(machine, seed, random));
    }
}

INSTANTIATE_TEST_SUITE_P(, SteadyStepsOnRandomNetworks, testing::Range(0U, network_kinds));

/// Networks of equal links, as they are built; packet parameters of every kind.
std::string regular_network(unsigned kind, std::mt19937_64& random) {
    const auto one_of = [&random](auto... values) {
        const std::vector<std::string> list{fmt::format("{}", values)...};
        return list[random() % list.size()];
    };
    const std::string rate = one_of(25, 50, 128.5714);
    const std::string latency = one_of(100, 500, 1300);
    const std::string links = "bandwidth: [" + rate + "]\nlatency: [" + latency + "]\n";
    std::string text;
    switch (kind) {
        case 0:
            text = "topology: [Ring]\nnpus_count: [" + one_of(9, 16, 40) + "]\n" + links;
            break;
        case 1:
            text = "topology: [Mesh2D]\nnpus_count: [[" + one_of(4, 6) + ", " + one_of(3, 5) +
                   "]]\n" + links;
            break;
        case 2:
            text = fmt::format(
                "topology: [Ring, Ring]\nnpus_count: [{}, 2]\nbandwidth: [{}, {}]\n"
                "latency: [{}, {}]\n",
                one_of(16, 24), rate, rate, latency, latency);
            break;
        default:
            text = fmt::format(
                "FatTree: {{levels: 3, radix: 8, npus: {}, bandwidth: {}, "
                "latency: {}}}\n",
                one_of(12, 24, 32), rate, latency);
    }
    text += "packet:\n  mtu: " + one_of(512, 4096) +
            "\n  arbitration: " + one_of("round-robin", "round-robin", "oldest") +
            "\n  switching: " + one_of("store-and-forward", "store-and-forward", "cut-through") +
            "\n";
    text += random() % 4 == 0 ? "  speedup: 1\n" : "";
    text += random() % 4 == 0
                ? "  classes: 2\n  class_of: {all_gather: 1}\n  class_arbitration: [3, 1]\n"
                : "";
    return text;
}

class SteadyStepsOnRegularNetworks : public testing::TestWithParam<unsigned> {};

TEST_P(SteadyStepsOnRegularNetworks, EqualAllStepsOneByOne) {
    std::uint64_t skipped = 0;
    for (unsigned seed = 0; seed < 20; ++seed) {
        std::mt19937_64 random(1000 * GetParam() + seed);
        test::TestMachine machine;
        machine.network =
            topology::parse_network(regular_network(GetParam(), random), "network.yml");
        machine.system = ring_system(random);
        skipped += skipped_with_equal_results(machine, seed, random);
    }
    // Elsewhere hops are of unlike length, whose delays go round.
    const bool one_hop_each = GetParam() % 2 == 0;
    EXPECT_TRUE(skipped > 300 || !one_hop_each) << skipped;
}

INSTANTIATE_TEST_SUITE_P(, SteadyStepsOnRegularNetworks, testing::Range(0U, 4U));

test::TestMachine ring_machine(int npus) {
    test::TestMachine machine = test::line_machine(topology::DimensionKind::Ring, npus,
                                                   Rate(50'000'000'000), Time::ns(500));
    machine.network.packet.mtu = Bytes(4096);
    machine.network.packet.header = Bytes(64);
    machine.use(engine::Algorithm::Ring);
    return machine;
}

engine::Workload one_all_reduce(int npus, std::int64_t bytes) {
    return test::workload_of(static_cast<std::size_t>(npus), [&](Rank) {
        return std::vector<chakra::Node>{
            test::collective_node(1, CollectiveType::AllReduce, bytes)};
    });
}

// A step sends 8 packets of 4160 bytes, 83.2 ns each, over a link of 500 ns: 1165.6 ns. There are
// 2 (n - 1) = 510 of them, the first half of which reduces.
TEST(SteadySteps, RingOfEqualLinks) {
    const int npus = 256;
    const test::TestMachine machine = ring_machine(npus);
    const engine::Workload workload = one_all_reduce(npus, npus * std::int64_t{8 * 4096});
    const Outcome steady = run(workload, machine, true);
    EXPECT_EQ(steady.text.substr(0, steady.text.find('\n')),
              "finish " + std::to_string(510 * std::int64_t{1'165'600}));
    EXPECT_GT(steady.skipped, 480);
    EXPECT_TRUE(steady.text == run(workload, machine, false).text);
    EXPECT_TRUE(steady.text == run(workload, machine, true, 2).text);
}

// Reductions take time as long as there are any: the second half of the steps is faster.
TEST(SteadySteps, ReductionsEnd) {
    const int npus = 64;
    test::TestMachine machine = ring_machine(npus);
    machine.system.compute.memory_bandwidth = 50;
    const engine::Workload workload = one_all_reduce(npus, npus * std::int64_t{4096});
    const Outcome steady = run(workload, machine, true);
    // 83.2 ns + 500 ns, and in the first half three times 4096 bytes at 50 GB/s.
    EXPECT_EQ(steady.text.substr(0, steady.text.find('\n')),
              "finish " + std::to_string(63 * (2 * std::int64_t{583'200} + 245'760)));
    EXPECT_GT(steady.skipped, 100);
    EXPECT_TRUE(steady.text == run(workload, machine, false).text);
}

// Every step waits for the slowest link, so the ring settles into its pace, with messages under way
// at all times. (Messages of several packets would take turns at it instead of queueing up.)
TEST(SteadySteps, OneSlowLink) {
    const int npus = 96;
    test::TestMachine machine = ring_machine(npus);
    std::string text = "Custom:\n  nodes:\n";
    std::string links = "  links:\n";
    for (int npu = 0; npu < npus; ++npu) {
        text += fmt::format("    - {{name: n{}, kind: npu}}\n", npu);
        links += fmt::format("    - {{from: n{}, to: n{}, bandwidth: {}, latency: {}}}\n", npu,
                             (npu + 1) % npus, npu == 7 ? 1 : 50, 500);
    }
    machine.network = topology::parse_network(text + links, "ring.yml");
    const engine::Workload workload = one_all_reduce(npus, npus * std::int64_t{4096});
    const Outcome steady = run(workload, machine, true);
    EXPECT_TRUE(steady.text == run(workload, machine, false).text);
    EXPECT_GT(steady.skipped, 20);
}

// Operations end at their own times while the ring goes on: it is moved on up to there.
TEST(SteadySteps, ComputationsEndMeanwhile) {
    const int npus = 128;
    const test::TestMachine machine = ring_machine(npus);
    const engine::Workload workload = test::workload_of(npus, [&](Rank rank) {
        std::vector<chakra::Node> nodes{
            test::collective_node(1, CollectiveType::AllReduce, npus * std::int64_t{4096})};
        if (rank.value() % 40 == 3) {
            nodes.push_back(test::compute_node(2, 37));
            nodes.push_back(test::send_node(3, rank.value() + 1, 50'000, 0, {2}));
        } else if (rank.value() % 40 == 4) {
            nodes.push_back(test::receive_node(4, rank.value() - 1, 50'000));
            nodes.push_back(test::compute_node(5, 11, {4}));
        }
        return nodes;
    });
    const Outcome steady = run(workload, machine, true);
    EXPECT_TRUE(steady.text == run(workload, machine, false).text);
    EXPECT_GT(steady.skipped, 40);
}

// Who shuffles simultaneous events wants to see them.
TEST(SteadySteps, NotWhereEventsAreShuffled) {
    const int npus = 32;
    const test::TestMachine machine = ring_machine(npus);
    const engine::Workload workload = one_all_reduce(npus, npus * std::int64_t{4096});
    const Outcome shuffled = run(workload, machine, true, 1, 7);
    EXPECT_EQ(shuffled.skipped, 0);
    EXPECT_TRUE(shuffled.text == run(workload, machine, true).text);
}

// 32 parts of 4096 or 4097 bytes: no step is like another.
TEST(SteadySteps, UnequalPartsGoOneByOne) {
    const test::TestMachine machine = ring_machine(32);
    const engine::Workload workload = one_all_reduce(32, 32 * std::int64_t{4096} + 5);
    const Outcome steady = run(workload, machine, true);
    EXPECT_EQ(steady.skipped, 0);
    EXPECT_TRUE(steady.text == run(workload, machine, false).text);
}

}  // namespace
}  // namespace npunet::packet_test::steady_steps_test
