// Training that several processes simulate together, each some of the ranks, is the training that
// one simulates: here as parts of a split network in one process.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "engine/simulation/simulation.h"
#include "packet/make_packet_network.h"
#include "random_training.h"
#include "split_network.h"
#include "tests/support/machines.h"
#include "tests/support/random_faults.h"
#include "tests/support/refusals.h"
#include "tests/support/workloads.h"

namespace npunet::packet_test::split_simulation_test {
namespace {

using chakra::CollectiveType;

std::string links_of(const std::vector<engine::LinkUse>& uses) {
    return transcript({}, uses, 0);
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
        std::vector<engine::Simulation*> parts;
        for (const std::unique_ptr<engine::Simulation>& simulation : simulations_) {
            parts.push_back(simulation.get());
        }
        return finish_together(parts);
    }

private:
    const engine::Dialect dialect_ = engine::Dialect::named("npunet");
    const engine::SystemConfig system_;
    SplitNetwork split_;
    std::vector<std::unique_ptr<engine::Simulation>> simulations_;
};

class SplitSimulationRuns : public testing::TestWithParam<unsigned> {};

/// Runs the parts: each ends as the whole network has, and its links have carried the same.
void expect_equal(Together& parts, const std::string& expected,
                  const std::vector<engine::LinkUse>& links) {
    parts.network().run();
    for (const std::string& text : parts.finish()) {
        ASSERT_EQ(text, expected);
    }
    ASSERT_EQ(links_of(parts.network().link_use()), links_of(links));
}

// Random training on random networks of both kinds, ranks placed on parts at random: every part
// that gathers finds the times of every rank, collective and operation that one simulation of all
// of them finds, and the links have carried the same.
TEST_P(SplitSimulationRuns, EqualsTheWhole) {
    constexpr unsigned count = 60;
    const unsigned first_seed = 1000 * GetParam() + 1;
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
        const std::unique_ptr<packet::PacketNetwork> machine = packet::make_network(network, queue);
        engine::Simulation whole(workload, network, system, dialect, queue, *machine);
        const std::string expected = described(whole.run());

        Together parts(workload, network, system, random_parts(network.graph, 4, random), random());
        expect_equal(parts, expected, machine->link_use());
        if (HasFatalFailure()) {
            return;
        }
        crossings += parts.network().crossings();
    }
    EXPECT_GT(crossings, 100U * count);
}

// Chunks of collectives with a root go one after the other, to members of the same part and of
// others, with credits; their last notification comes before or after they have left the part.
TEST_P(SplitSimulationRuns, WithMessagesInTurnEqualsTheWhole) {
    constexpr unsigned count = 60;
    const unsigned first_seed = 1000 * GetParam() + 1;
    std::uint64_t crossings = 0;
    std::size_t in_turn = 0;
    for (unsigned seed = first_seed; seed < first_seed + count; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        std::mt19937_64 random(seed);
        topology::NetworkDescription network = test::random_network(
            test::offered_routings[random() % std::size(test::offered_routings)], random);
        network.packet.switching = random() % 2 == 0 ? topology::Switching::CutThrough
                                                     : topology::Switching::StoreAndForward;
        const engine::Workload workload =
            random_rooted_workload(static_cast<int>(network.graph.npus()), random);
        const engine::SystemConfig system = random_system_of_chunks(random);
        const engine::Dialect dialect = engine::Dialect::named("npunet");

        engine::EventQueue queue;
        const std::unique_ptr<packet::PacketNetwork> machine = packet::make_network(network, queue);
        engine::Simulation whole(workload, network, system, dialect, queue, *machine);
        whole.start();
        while (!queue.empty()) {
            queue.run_instant();
            in_turn += whole.transport().lines();
        }
        const std::string expected = described(whole.finish());

        Together parts(workload, network, system, random_parts(network.graph, 4, random), random());
        expect_equal(parts, expected, machine->link_use());
        if (HasFatalFailure()) {
            return;
        }
        crossings += parts.network().crossings();
    }
    EXPECT_GT(crossings, 100U * count);
    EXPECT_GT(in_turn, 100U * count);
}

INSTANTIATE_TEST_SUITE_P(Seeds, SplitSimulationRuns, testing::Range(0U, 2U));

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
    EXPECT_THAT(test::message_of<StallError>([&] { parts.network().run(); }),
                testing::HasSubstr("disagree about their next collective"));
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
        EXPECT_THAT(test::message_of<InputError>([&] { parts.network().run(); }),
                    testing::HasSubstr("100 bytes sent"));
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
}  // namespace npunet::packet_test::split_simulation_test
