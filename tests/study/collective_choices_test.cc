// What is said of choices: every algorithm that was timed, once for each different choice.

#include "study/collective_choices.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "as_machine.h"
#include "study/collective_times.h"
#include "tests/support/machines.h"
#include "tests/support/workloads.h"

namespace npunet::study::collective_choices_test {
namespace {

using chakra::CollectiveType;
using engine::CollectiveChoice;
using engine::CollectiveKind;
using engine::TimedAlgorithm;

/// 4 x 4 NPUs in rings, whose system.json leaves everything open.
Machine torus() {
    Machine machine = as_machine(test::grid_machine(topology::DimensionKind::Ring, 4, 4,
                                                    Rate(50'000'000'000), Time::ns(500)));
    for (auto& list : machine.system.implementation_lists) {
        list.clear();
    }
    machine.system.preferred_dataset_splits = 0;
    machine.system.active_chunks_per_dimension = 0;
    return machine;
}

std::vector<engine::Group> rows_of_four() {
    std::vector<engine::Group> groups;
    for (std::int32_t row = 0; row < 4; ++row) {
        groups.push_back({"row" + std::to_string(row), {}, false});
        for (std::int32_t column = 0; column < 4; ++column) {
            groups.back().ranks.emplace_back(4 * row + column);
        }
    }
    return groups;
}

/// Two equal all-reduces of all, and one of each row.
engine::Workload all_and_rows() {
    return test::workload_of(
        16,
        [](Rank rank) {
            return std::vector{
                test::collective_node(1, CollectiveType::AllReduce, 1 << 20),
                test::collective_node(2, CollectiveType::AllReduce, 1 << 20, "", {1}),
                test::collective_node(3, CollectiveType::AllReduce, 1 << 16,
                                      "row" + std::to_string(rank.value() / 4), {2})};
        },
        rows_of_four());
}

TEST(CollectiveChoices, AreToldOnceWithAllThatWasTimed) {
    const Machine machine = torus();
    const std::vector<CollectiveChoice> choices = collective_choices(all_and_rows(), machine);
    ASSERT_EQ(choices.size(), 2U);
    EXPECT_EQ(choices[0].bytes, Bytes(1 << 16));
    EXPECT_EQ(choices[0].groups, 4U);
    EXPECT_EQ(choices[0].group, (std::vector{Rank(0), Rank(1), Rank(2), Rank(3)}));
    EXPECT_EQ(choices[1].bytes, Bytes(1 << 20));
    EXPECT_EQ(choices[1].groups, 1U);
    EXPECT_EQ(choices[1].group.size(), 16U);
    for (const CollectiveChoice& choice : choices) {
        EXPECT_EQ(choice.kind, CollectiveKind::AllReduce);
        std::set<std::string> names{choice.chosen.name};
        Time before;
        for (const TimedAlgorithm& other : choice.others) {
            EXPECT_TRUE(names.insert(other.name).second) << other.name;
            EXPECT_GE(other.time, before);
            EXPECT_GE(1025 * other.time.ps(), 1000 * choice.chosen.time.ps());
            before = other.time;
        }
        EXPECT_TRUE(names.count("ring") == 1 || names.count("ring+ring") == 1);
    }
    EXPECT_GE(choices[1].others.size(), 8U);
}

// The estimate of the choice is what the simulation finds, and so are those of the others in the
// chunks named.
TEST(CollectiveChoices, TimesAreThoseOfTheSimulation) {
    const Machine machine = torus();
    const CollectiveChoice choice = collective_choices(all_and_rows(), machine).at(1);
    const auto simulated = [&](const engine::Implementation& implementation,
                               const TimedAlgorithm& timed) {
        Machine fixed = machine;
        fixed.system.implementations(CollectiveKind::AllReduce) = {implementation};
        fixed.system.preferred_dataset_splits = timed.chunks;
        fixed.system.active_chunks_per_dimension = timed.active;
        const engine::Workload workload = test::workload_of(16, [](Rank) {
            return std::vector{test::collective_node(1, CollectiveType::AllReduce, 1 << 20)};
        });
        return simulate(workload, fixed, Fidelity::Analytical).finish;
    };
    std::size_t compared = 0;
    std::vector<TimedAlgorithm> all = choice.others;
    all.push_back(choice.chosen);
    for (const char* name : {"ring", "direct", "bidirectionalRing"}) {
        const engine::Implementation implementation = *engine::Implementation::named(name);
        const auto timed = std::find_if(all.begin(), all.end(), [&](const TimedAlgorithm& one) {
            return one.name == std::string(name) + "+" + name;
        });
        if (timed != all.end()) {
            EXPECT_EQ(simulated(implementation, *timed), timed->time) << name;
            ++compared;
        }
    }
    EXPECT_GE(compared, 2U);
}

// On NPUs that are all alike the choice is one, whichever the group or the root: two groups with
// two roots each have one entry, of two groups.
TEST(CollectiveChoices, GroupsAreCountedOnceWhateverTheRoot) {
    Machine machine = as_machine(test::line_machine(topology::DimensionKind::FullyConnected, 8,
                                                    Rate(50'000'000'000), Time::ns(500)));
    machine.system.implementations(CollectiveKind::Broadcast).clear();
    machine.system.preferred_dataset_splits = 0;
    machine.system.active_chunks_per_dimension = 0;
    std::vector<engine::Group> groups(2);
    for (std::int32_t rank = 0; rank < 8; ++rank) {
        engine::Group& group = groups[static_cast<std::size_t>(rank / 4)];
        group.name = "half" + std::to_string(rank / 4);
        group.ranks.emplace_back(rank);
    }
    const auto broadcasts = [](Rank rank) {
        const std::int32_t first = rank.value() / 4 * 4;
        std::vector<chakra::Node> nodes;
        for (const std::int32_t root : {0, 1}) {
            const auto id = static_cast<std::uint64_t>(root) + 1;
            nodes.push_back(test::collective_node(
                id, CollectiveType::Broadcast, 1 << 20, "half" + std::to_string(first / 4),
                root == 0 ? std::vector<std::uint64_t>{} : std::vector<std::uint64_t>{1}));
            nodes.back().set_integer("comm_root", first + root);
        }
        return nodes;
    };
    const std::vector<CollectiveChoice> choices =
        collective_choices(test::workload_of(8, broadcasts, groups), machine);
    ASSERT_EQ(choices.size(), 1U);
    EXPECT_EQ(choices[0].groups, 2U);
}

// Without bytes nothing is sent, and nothing chosen.
TEST(CollectiveChoices, NothingIsToldOfCollectivesWithoutMessages) {
    const engine::Workload workload = test::workload_of(16, [](Rank) {
        return std::vector{test::collective_node(1, CollectiveType::AllReduce, 0)};
    });
    EXPECT_TRUE(collective_choices(workload, torus()).empty());
}

// What system.json gives in full is not chosen; of what it gives in part there is a choice of the
// rest, and nothing beside it.
TEST(CollectiveChoices, NothingIsToldOfWhatIsGiven) {
    Machine machine = torus();
    machine.system.implementations(CollectiveKind::AllReduce) = {
        *engine::Implementation::named("ring")};
    const std::vector<CollectiveChoice> chunks = collective_choices(all_and_rows(), machine);
    ASSERT_EQ(chunks.size(), 2U);
    EXPECT_TRUE(chunks[1].others.empty());
    EXPECT_EQ(chunks[1].chosen.name, "ring+ring");
    machine.system.preferred_dataset_splits = 4;
    machine.system.active_chunks_per_dimension = 2;
    EXPECT_TRUE(collective_choices(all_and_rows(), machine).empty());
}

}  // namespace
}  // namespace npunet::study::collective_choices_test
