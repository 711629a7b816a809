#include "chakra/dependencies/dependency_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "test_files.h"

namespace npunet::chakra::dependency_check_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Node node(std::uint64_t id, std::vector<std::uint64_t> data, std::vector<std::uint64_t> ctrl = {}) {
    Node made;
    made.id = id;
    made.name = "n" + std::to_string(id);
    made.data_deps = std::move(data);
    made.ctrl_deps = std::move(ctrl);
    return made;
}

InputProblem problem(const std::vector<Node>& nodes, FollowedDeps followed = FollowedDeps::Data) {
    const auto found = problem_of([&] { (void)check_dependencies(nodes, "w.0.et", followed); });
    EXPECT_EQ(found.file, "w.0.et");
    return found;
}

TEST(DependencyCheck, NothingToFind) {
    EXPECT_TRUE(check_dependencies({}, "w.0.et").absent_ctrl_deps.empty());
    EXPECT_NO_THROW(check_dependencies({node(5, {}), node(6, {5}), node(7, {5, 6, 5})}, "w.0.et"));
}

// Traces need not be in topological order, and ids may be any 64-bit numbers.
TEST(DependencyCheck, ForwardDependenciesAndScatteredIds) {
    constexpr std::uint64_t large = std::numeric_limits<std::uint64_t>::max();
    EXPECT_NO_THROW(check_dependencies({node(large, {7}), node(7, {0}), node(0, {})}, "w.0.et"));
    EXPECT_NO_THROW(check_dependencies({node(large, {large - 1}), node(large - 1, {})}, "w.0.et"));
    EXPECT_EQ(problem({node(large, {7}), node(7, {1})}).place, "node 7 'n7'");
}

TEST(DependencyCheck, DuplicateIds) {
    const auto found = problem({node(4, {}), node(5, {}), node(4, {5})});
    EXPECT_EQ(found.place, "node 4 'n4'");
    EXPECT_EQ(found.found, "the id of node 4 'n4'");
    EXPECT_THAT(problem({node(1, {}), node(1'000'000, {}), node(1'000'000, {})}).found,
                HasSubstr("the id of node 1000000"));
}

TEST(DependencyCheck, AbsentDataDependency) {
    const auto found = problem({node(0, {}), node(1, {0, 77})});
    EXPECT_EQ(found.place, "node 1 'n1'");
    EXPECT_EQ(found.found, "a data dependency on node 77");
}

TEST(DependencyCheck, AbsentCtrlDependenciesAreWarnings) {
    const auto warnings = check_dependencies({node(3, {}, {9}), node(4, {3}, {3, 8})}, "w.0.et",
                                             FollowedDeps::DataAndCtrl);
    EXPECT_THAT(warnings.absent_ctrl_deps, ElementsAre(AbsentCtrlDep{3, 9}, AbsentCtrlDep{4, 8}));
}

TEST(DependencyCheck, SelfDependency) {
    const auto found = problem({node(0, {}), node(1, {1})});
    EXPECT_EQ(found.place, "node 1 'n1'");
    EXPECT_EQ(found.found, "a dependency on itself");
}

TEST(DependencyCheck, CyclesAreNamedNodeByNode) {
    const auto found = problem({node(0, {}), node(1, {0, 3}), node(2, {1}), node(3, {2})});
    EXPECT_EQ(found.place, "node 1 'n1'");
    EXPECT_EQ(found.found,
              "a cycle of 3 nodes: node 1 'n1' waits for node 3 'n3' waits for node 2 'n2' waits "
              "for node 1 'n1'");
}

// The search enters through node 9, but the cycle is 1 and 2 alone.
TEST(DependencyCheck, TheWayToACycleIsNotPartOfIt) {
    EXPECT_EQ(problem({node(9, {2}), node(1, {2}), node(2, {1})}).found,
              "a cycle of 2 nodes: node 1 'n1' waits for node 2 'n2' waits for node 1 'n1'");
}

TEST(DependencyCheck, CtrlDependenciesCountWhenFollowed) {
    const std::vector<Node> nodes{node(0, {}, {1}), node(1, {0})};
    EXPECT_NO_THROW(check_dependencies(nodes, "w.0.et"));
    EXPECT_THAT(problem(nodes, FollowedDeps::DataAndCtrl).found, HasSubstr("a cycle of 2 nodes"));
    EXPECT_NO_THROW(check_dependencies({node(0, {}, {0})}, "w.0.et"));
    EXPECT_EQ(problem({node(0, {}, {0})}, FollowedDeps::DataAndCtrl).found,
              "a dependency on itself");
}

// A chain of a million nodes, listed so that the search must go down all of it; then closed.
TEST(DependencyCheck, MillionNodes) {
    constexpr std::uint64_t count = 1'000'000;
    for (const std::uint64_t step : {std::uint64_t{1}, std::uint64_t{1000}}) {  // both indices
        DependencyCheck open("w.0.et");
        DependencyCheck closed("w.0.et");
        Node link;
        for (std::uint64_t i = 0; i < count; ++i) {
            link.id = i * step;
            link.data_deps.clear();
            if (i + 1 < count) {
                link.data_deps = {(i + 1) * step};
            }
            open.add(link);
            link.data_deps = {(i + 1) % count * step};
            closed.add(link);
        }
        EXPECT_NO_THROW((void)open.finish());
        const auto found = problem_of([&] { (void)closed.finish(); });
        EXPECT_THAT(found.found, HasSubstr("a cycle of 1000000 nodes: node 0"));
        EXPECT_LT(found.found.size(), 1000U);
    }
}

/// Brute force: take away nodes all of whose dependencies are gone until none is left.
bool executable(const std::vector<Node>& nodes) {
    std::set<std::uint64_t> finished;
    for (bool progress = true; progress;) {
        progress = false;
        for (const Node& candidate : nodes) {
            const bool ready = std::all_of(candidate.data_deps.begin(), candidate.data_deps.end(),
                                           [&](auto dep) { return finished.count(dep) > 0; });
            progress |= ready && finished.insert(candidate.id).second;
        }
    }
    return finished.size() == nodes.size();
}

// The check refuses a graph exactly when executing it would stall.
TEST(DependencyCheck, AgreesWithExecution) {
    std::mt19937 random(7);
    int stalls = 0;
    for (int round = 0; round < 2000; ++round) {
        const std::uint64_t count = 2 + random() % 8;
        std::vector<Node> nodes;
        for (std::uint64_t id = 0; id < count; ++id) {
            nodes.push_back(node(id, {}));
        }
        for (std::uint64_t edge = 0; edge < count; ++edge) {
            nodes[random() % count].data_deps.push_back(random() % count);
        }
        bool refused = false;
        try {
            (void)check_dependencies(nodes, "w.0.et");
        } catch (const InputError&) {
            refused = true;
        }
        ASSERT_EQ(refused, !executable(nodes)) << "round " << round;
        stalls += refused ? 1 : 0;
    }
    EXPECT_GT(stalls, 100);
    EXPECT_LT(stalls, 1900);
}

}  // namespace
}  // namespace npunet::chakra::dependency_check_test
