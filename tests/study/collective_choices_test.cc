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

namespace npunet::study {
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
            EXPECT_GE(102 * other.time.ps(), 100 * choice.chosen.time.ps());
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
}  // namespace npunet::study
