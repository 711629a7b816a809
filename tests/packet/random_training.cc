#include "random_training.h"

#include <algorithm>
#include <array>
#include <barrier>
#include <thread>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "tests/support/machines.h"
#include "tests/support/workloads.h"

namespace npunet::packet_test {

using chakra::CollectiveType;

std::string described(const engine::Results& results) {
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

namespace {

/// `count` times about half of the ranks, in random order.
std::vector<engine::Group> random_groups(int count, int ranks, std::mt19937_64& random) {
    std::vector<engine::Group> groups;
    for (int i = 0; i < count; ++i) {
        std::vector<Rank> members;
        for (int rank = 0; rank < ranks; ++rank) {
            if (random() % 2 == 0) {
                members.emplace_back(rank);
            }
        }
        std::shuffle(members.begin(), members.end(), random);
        if (members.size() > 1) {
            groups.push_back({"group" + std::to_string(i), members});
        }
    }
    return groups;
}

}  // namespace

engine::Workload random_workload(int ranks, std::mt19937_64& random) {
    const auto below = [&random](int bound) {
        return static_cast<int>(random() % static_cast<unsigned>(bound));
    };
    const std::vector<engine::Group> groups = random_groups(3, ranks, random);
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

engine::Workload random_rooted_workload(int ranks, std::mt19937_64& random) {
    constexpr CollectiveType types[] = {CollectiveType::Broadcast, CollectiveType::Reduce,
                                        CollectiveType::Gather, CollectiveType::Scatter};
    std::vector<engine::Group> groups = random_groups(2, ranks, random);
    std::vector<Rank> world;
    for (int rank = 0; rank < ranks; ++rank) {
        world.emplace_back(rank);
    }
    groups.push_back({"world", world});
    std::vector<std::vector<chakra::Node>> nodes(static_cast<std::size_t>(ranks));
    for (std::uint64_t id = 1; id <= 8; ++id) {
        const engine::Group& group = groups[random() % groups.size()];
        const Rank root = group.ranks[random() % group.ranks.size()];
        chakra::Node node = test::collective_node(
            id, types[random() % 4], static_cast<std::int64_t>(1 + random() % 200'000), group.name);
        node.set_integer("comm_root", root.value());
        for (const Rank member : group.ranks) {
            std::vector<chakra::Node>& list = nodes[member.index()];
            node.data_deps.clear();
            if (!list.empty() && random() % 2 == 0) {
                node.data_deps = {list.back().id};
            }
            list.push_back(node);
        }
    }
    return test::workload_of(
        static_cast<std::size_t>(ranks), [&](Rank rank) { return nodes[rank.index()]; }, groups);
}

engine::SystemConfig random_system_of_chunks(std::mt19937_64& random) {
    test::TestMachine machine;
    using engine::Algorithm;
    engine::Implementation implementation;
    // Of gathers and scatters the ring is none: they stay direct.
    implementation.algorithm =
        std::array{Algorithm::Ring, Algorithm::Direct, Algorithm::BinomialTree}[random() % 3];
    machine.use(implementation);
    machine.system.preferred_dataset_splits = static_cast<std::int32_t>(2 + random() % 7);
    machine.system.active_chunks_per_dimension = static_cast<std::int32_t>(1 + random() % 4);
    return machine.system;
}

std::vector<std::string> finish_together(const std::vector<engine::Simulation*>& parts) {
    std::vector<std::string> texts(parts.size());
    std::vector<std::vector<std::int64_t>> given(parts.size());
    std::barrier together(static_cast<std::ptrdiff_t>(parts.size()));
    std::vector<std::thread> threads;
    for (std::size_t part = 0; part < parts.size(); ++part) {
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
                texts[part] = described(parts[part]->finish(largest));
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

}  // namespace npunet::packet_test
