// Training that several processes simulate together, each some of the ranks, is the training that
// one simulates: here as parts of a split network in one process.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <barrier>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "engine/simulation.h"
#include "ns3-module/model/npu-packet-level.h"
#include "split_network.h"
#include "tests/support/machines.h"
#include "tests/support/random_faults.h"
#include "tests/support/workloads.h"

namespace npunet::packet_test {
namespace {

using chakra::CollectiveType;
using engine::Results;

/// Everything that the results say of ranks, collectives and operations, as text.
std::string described(const Results& results) {
    std::string text = "finish " + std::to_string(results.finish.ps());
    const auto number = [&text](std::int64_t value) { text += ' ' + std::to_string(value); };
    for (const engine::NpuResult& npu : results.npus) {
        text += "\nnpu";
        number(npu.rank.value());
        for (const Time time :
             {npu.finish, npu.compute, npu.communication, npu.exposed_communication, npu.idle}) {
            number(time.ps());
        }
    }
    for (const engine::CollectiveResult& collective : results.collectives) {
        text +=
            "\ncollective " + collective.name + ' ' + collective.type + ' ' + collective.algorithm;
        number(collective.id);
        number(static_cast<std::int64_t>(collective.group.size()));
        number(collective.bytes.value());
        for (const Time time :
             {collective.first_start, collective.last_start, collective.end, collective.least}) {
            number(time.ps());
        }
    }
    for (const engine::Operation& operation : results.operations) {
        text += "\noperation " + operation.name;
        number(operation.rank.value());
        number(operation.start.ps());
        number(operation.end.ps());
    }
    return text + '\n';
}

std::string links_of(const std::vector<engine::LinkUse>& uses) {
    return transcript({}, uses, 0);
}

/// Collectives of the world and of random groups, messages and compute, in an order in which nobody
/// waits for himself: for every rank what concerns it, some of it depending on what came before.
engine::Workload random_workload(int ranks, std::mt19937_64& random) {
    const auto below = [&random](int bound) {
        return static_cast<int>(random() % static_cast<unsigned>(bound));
    };
    std::vector<engine::Group> groups;
    for (int i = 0; i < 3; ++i) {
        std::vector<Rank> members;
        for (int rank = 0; rank < ranks; ++rank) {
            if (below(2) == 0) {
                members.emplace_back(rank);
            }
        }
        std::shuffle(members.begin(), members.end(), random);
        if (members.size() > 1) {
            groups.push_back({"group" + std::to_string(i), members});
        }
    }
    std::vector<std::vector<chakra::Node>> nodes(static_cast<std::size_t>(ranks));
    std::uint64_t id = 1;
    const auto add = [&](int rank, chakra::Node node) {
        std::vector<chakra::Node>& list = nodes[static_cast<std::size_t>(rank)];
        if (!list.empty() && random() % 3 != 0) {
            node.data_deps = {list.back().id};
        }
        list.push_back(std::move(node));
    };
    constexpr CollectiveType types[] = {CollectiveType::AllReduce, CollectiveType::AllGather,
                                        CollectiveType::ReduceScatter, CollectiveType::AllToAll,
                                        CollectiveType::Barrier};
    for (int step = 0; step < 12; ++step, ++id) {
        const std::int64_t bytes = 1 + below(40'000);
        const int rank = below(ranks);
        switch (below(4)) {
            case 0: {
                const int peer = (rank + 1 + below(ranks - 1)) % ranks;
                const auto tag = static_cast<std::int32_t>(id);
                add(rank, test::send_node(id, peer, bytes, tag));
                add(peer, test::receive_node(id, rank, bytes, tag));
                break;
            }
            case 1:
                add(rank, test::compute_node(id, static_cast<std::uint64_t>(below(20))));
                break;
            default: {
                const CollectiveType type = types[below(5)];
                const int group = below(static_cast<int>(groups.size()) + 1) - 1;
                if (group < 0) {
                    for (int each = 0; each < ranks; ++each) {
                        add(each, test::collective_node(id, type, bytes));
                    }
                } else {
                    for (const Rank each : groups[static_cast<std::size_t>(group)].ranks) {
                        add(each.value(),
                            test::collective_node(id, type, bytes,
                                                  groups[static_cast<std::size_t>(group)].name));
                    }
                }
            }
        }
    }
    return test::workload_of(
        static_cast<std::size_t>(ranks), [&](Rank rank) { return nodes[rank.index()]; }, groups);
}

engine::SystemConfig random_system(std::mt19937_64& random) {
    test::TestMachine machine;
    using engine::Algorithm;
    engine::Implementation implementation;
    implementation.algorithm =
        std::array{Algorithm::Ring, Algorithm::Direct, Algorithm::HalvingDoubling,
                   Algorithm::DoubleBinaryTree}[random() % 4];
    implementation.flat = implementation.algorithm == Algorithm::DoubleBinaryTree;
    machine.use(implementation);
    machine.system.preferred_dataset_splits = static_cast<std::int32_t>(1 + random() % 4);
    machine.system.active_chunks_per_dimension = static_cast<std::int32_t>(1 + random() % 2);
    machine.system.endpoint_delay = Time::ns(static_cast<std::int64_t>(random() % 2) * 10);
    machine.system.compute.memory_bandwidth = random() % 2 == 0 ? 100 : 0;
    return machine.system;
}

/// The simulations of all parts, and what they have in common at the end.
class Together {
public:
    Together(const engine::Workload& workload, const topology::NetworkDescription& network,
             engine::SystemConfig system, const Parts& parts, std::uint64_t seed)
        : system_(std::move(system)), split_(network, parts, seed) {
        for (std::uint32_t part = 0; part < split_.parts(); ++part) {
            std::vector<bool> here;
            for (const NodeId npu : network.npu_of_rank) {
                here.push_back(split_.owns(part, npu));
            }
            simulations_.push_back(std::make_unique<engine::Simulation>(
                workload, network, system_, dialect_, split_.queue(part), split_.network(part),
                engine::Fold::everyone_for_itself(), engine::RankShare(here)));
            simulations_.back()->start();
        }
    }
    [[nodiscard]] SplitNetwork& network() { return split_; }

    /// By part: the results, or what the error says.
    [[nodiscard]] std::vector<std::string> finish() {
        std::vector<std::string> texts(simulations_.size());
        std::vector<std::vector<std::int64_t>> given(simulations_.size());
        std::barrier together(static_cast<std::ptrdiff_t>(simulations_.size()));
        std::vector<std::thread> threads;
        for (std::size_t part = 0; part < simulations_.size(); ++part) {
            threads.emplace_back([&, part] {
                const auto largest = [&, part](std::vector<std::int64_t> values) {
                    given[part] = values;
                    together.arrive_and_wait();
                    for (const std::vector<std::int64_t>& others : given) {
                        for (std::size_t i = 0; i < values.size(); ++i) {
                            values[i] = std::max(values[i], others.at(i));
                        }
                    }
                    together.arrive_and_wait();
                    return values;
                };
                try {
                    texts[part] = described(simulations_[part]->finish(largest));
                } catch (const StallError& error) {
                    texts[part] = error.what();
                }
            });
        }
        for (std::thread& thread : threads) {
            thread.join();
        }
        return texts;
    }

private:
    const engine::Dialect dialect_ = engine::Dialect::named("npunet");
    const engine::SystemConfig system_;
    SplitNetwork split_;
    std::vector<std::unique_ptr<engine::Simulation>> simulations_;
};

void compare(unsigned first_seed, unsigned count) {
    std::uint64_t crossings = 0;
    for (unsigned seed = first_seed; seed < first_seed + count; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        std::mt19937_64 random(seed);
        topology::NetworkDescription network = test::random_network(
            test::offered_routings[random() % std::size(test::offered_routings)], random);
        network.packet.switching = random() % 2 == 0 ? topology::Switching::CutThrough
                                                     : topology::Switching::StoreAndForward;
        if (network.virtual_channels() <= 4 && random() % 2 == 0) {
            network.packet.classes = random_classes(random);
        }
        if (random() % 2 == 0) {
            network.packet.flow_control = topology::FlowControl::None;
            network.packet.transport.kind = topology::TransportKind::SelectiveRepeat;
            network.packet.congestion_control =
                topology::standard_choice(topology::CongestionAlgorithm::Dcqcn);
        }
        const auto ranks = static_cast<int>(network.graph.npus());
        const engine::Workload workload = random_workload(ranks, random);
        const engine::SystemConfig system = random_system(random);
        const engine::Dialect dialect = engine::Dialect::named("npunet");

        engine::EventQueue queue;
        const std::unique_ptr<packet::PacketLevel> machine =
            packet::MakePacketLevel(network, queue);
        engine::Simulation whole(workload, network, system, dialect, queue, *machine);
        const std::string expected = described(whole.run());

        Together parts(workload, network, system, random_parts(network.graph, 4, random), random());
        parts.network().run();
        for (const std::string& text : parts.finish()) {
            ASSERT_EQ(text, expected);
        }
        ASSERT_EQ(links_of(parts.network().link_use()), links_of(machine->link_use()));
        crossings += parts.network().crossings();
    }
    EXPECT_GT(crossings, 100U * count);
}

// Random training on random networks of both kinds, ranks placed on parts at random: every part
// that gathers finds the times of every rank, collective and operation that one simulation of all
// of them finds, and the links have carried the same.
TEST(SplitSimulation, EqualsTheWhole0) {
    compare(1, 60);
}
TEST(SplitSimulation, EqualsTheWhole1) {
    compare(1001, 60);
}

const Rate rate(50'000'000'000);

topology::NetworkDescription ring_of_four() {
    return test::ring_machine(4, rate, Time::ns(500)).network;
}

// Rank 3 never joins the all-reduce for which the others wait: the part that it is in has nothing
// left to do, and says that others have.
TEST(SplitSimulation, AStallInOnePart) {
    const topology::NetworkDescription network = ring_of_four();
    const engine::Workload workload = test::workload_of(4, [](Rank rank) {
        return rank == Rank(3)
                   ? std::vector<chakra::Node>{}
                   : std::vector{test::collective_node(1, CollectiveType::AllReduce, 4096)};
    });
    Together parts(workload, network, engine::SystemConfig(), {0, 0, 1, 2}, 1);
    parts.network().run();
    const std::vector<std::string> texts = parts.finish();
    EXPECT_THAT(texts[0], testing::HasSubstr("2 of 4 ranks have work left"));
    EXPECT_THAT(texts[1], testing::HasSubstr("1 of 4 ranks have work left"));
    EXPECT_THAT(texts[2], testing::HasSubstr("ranks of other processes have work left"));
}

// Disagreements are found by whoever comes first, though the others are elsewhere.
TEST(SplitSimulation, CollectivesThatDiffer) {
    const topology::NetworkDescription network = ring_of_four();
    const engine::Workload workload = test::workload_of(4, [](Rank rank) {
        return std::vector{
            test::collective_node(1, CollectiveType::AllReduce, rank == Rank(2) ? 8192 : 4096)};
    });
    Together parts(workload, network, engine::SystemConfig(), {0, 0, 1, 1}, 1);
    try {
        parts.network().run();
        FAIL() << "nobody has noticed";
    } catch (const StallError& error) {
        EXPECT_THAT(error.what(), testing::HasSubstr("disagree about their next collective"));
    }
}

// A send and its receive are compared where the receive is.
TEST(SplitSimulation, SizesThatDiffer) {
    const topology::NetworkDescription network = ring_of_four();
    for (const std::uint64_t delay : {std::uint64_t{0}, std::uint64_t{50}}) {
        const engine::Workload workload = test::workload_of(4, [delay](Rank rank) {
            switch (rank.value()) {
                case 0:
                    return std::vector{test::send_node(1, 3, 100)};
                case 3:
                    return std::vector{test::compute_node(1, delay),
                                       test::receive_node(2, 0, 200, 0, {1})};
                default:
                    return std::vector<chakra::Node>{};
            }
        });
        Together parts(workload, network, engine::SystemConfig(), {0, 0, 1, 1}, 1);
        try {
            parts.network().run();
            FAIL() << "nobody has noticed";
        } catch (const InputError& error) {
            EXPECT_THAT(error.what(), testing::HasSubstr("100 bytes sent"));
        }
    }
}

// A pool serves its accesses one after the other, wherever they come from.
TEST(SplitSimulation, RefusesMemoryOfSeveralNpus) {
    const topology::NetworkDescription network = ring_of_four();
    const engine::Workload workload =
        test::workload_of(4, [](Rank) { return std::vector{test::memory_node(1, 4096)}; });
    engine::SystemConfig system;
    system.remote_memory.kind = engine::RemoteMemoryConfig::Kind::Pool;
    system.remote_memory.bandwidth = rate;
    EXPECT_THROW(Together(workload, network, system, {0, 0, 1, 1}, 1), InputError);
}

}  // namespace
}  // namespace npunet::packet_test
