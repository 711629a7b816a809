#include "chakra/dependencies/dependency_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

namespace npunet::chakra {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Place = DependencyGraph::Place;
using Ids = std::vector<std::uint64_t>;

struct Given {
    std::uint64_t id;
    Ids data;
    Ids ctrl;
};

DependencyGraph graph_of(const std::vector<Given>& nodes) {
    DependencyGraph graph;
    for (const Given& node : nodes) {
        graph.add(node.id, node.data.data(), node.data.size(), node.ctrl.data(), node.ctrl.size());
    }
    graph.resolve();
    return graph;
}

// Counted, nearly counted, scattered: whichever form the index takes, it answers as a linear search
// for the first of the id does.
TEST(IdIndex, AgreesWithALinearSearch) {
    std::mt19937_64 random(3);
    for (const std::uint64_t range :
         {std::uint64_t{0}, std::uint64_t{60}, std::uint64_t{1} << 63}) {
        Ids ids;
        for (std::uint64_t i = 0; i < 50; ++i) {
            ids.push_back(range == 0 ? 900 + i : 7 + random() % range);
            if (i % 10 == 9 && range != 0) {
                ids.push_back(ids[random() % ids.size()]);
            }
        }
        const IdIndex index(ids);
        std::size_t duplicates = 0;
        for (std::size_t i = 0; i < ids.size(); ++i) {
            const auto first = std::find(ids.begin(), ids.end(), ids[i]) - ids.begin();
            EXPECT_EQ(index.find(ids[i]), static_cast<Place>(first));
            if (first != static_cast<std::ptrdiff_t>(i)) {
                ASSERT_LT(duplicates, index.duplicates().size());
                EXPECT_EQ(index.duplicates()[duplicates].first, static_cast<Place>(first));
                EXPECT_EQ(index.duplicates()[duplicates++].second, static_cast<Place>(i));
            }
        }
        EXPECT_EQ(index.duplicates().size(), duplicates);
        for (int i = 0; i < 200; ++i) {
            const std::uint64_t id = range == 0 ? 880 + random() % 90 : random() % range;
            const auto found = std::find(ids.begin(), ids.end(), id);
            EXPECT_EQ(index.find(id), found == ids.end() ? IdIndex::absent
                                                         : static_cast<Place>(found - ids.begin()));
        }
    }
    EXPECT_EQ(IdIndex(Ids{}).find(0), IdIndex::absent);
}

TEST(DependencyGraph, CountsEveryKind) {
    const auto graph = graph_of({{5, {6, 5, 9}, {}}, {6, {5, 5}, {7, 6}}, {7, {}, {8, 5, 8}}});
    const auto& data = graph.counts(DependencyKind::Data);
    const auto& ctrl = graph.counts(DependencyKind::Ctrl);
    EXPECT_EQ(data.all, 5U);
    EXPECT_EQ(data.dangling, 1U);
    EXPECT_EQ(data.forward, 1U);
    EXPECT_EQ(data.self, 1U);
    EXPECT_EQ(ctrl.all, 5U);
    EXPECT_EQ(ctrl.dangling, 2U);
    EXPECT_EQ(ctrl.forward, 1U);
    EXPECT_EQ(ctrl.self, 1U);
    ASSERT_EQ(graph.dangling().size(), 3U);
    EXPECT_EQ(graph.dangling()[0].on, 9U);
    EXPECT_EQ(graph.id_of(graph.dangling()[1].node), 7U);
    ASSERT_EQ(graph.repeated().size(), 1U);
    EXPECT_EQ(graph.repeated()[0].on, 5U);
    EXPECT_EQ(data.repeated, 1U);
    EXPECT_EQ(ctrl.repeated, 0U);
    EXPECT_EQ(graph.row(1, FollowedDeps::Data).size(), 2U);
    EXPECT_EQ(graph.row(1, FollowedDeps::DataAndCtrl).size(), 4U);
}

// Ids from one end of 64 bits to the other: whatever lies between one and the next.
TEST(DependencyGraph, IdsFarFromEachOther) {
    const Ids ids{0, ~std::uint64_t{0}, std::uint64_t{1} << 63, 127, 128, 1, 1ULL << 35};
    std::vector<Given> nodes;
    for (const std::uint64_t id : ids) {
        nodes.push_back({id, ids, {ids.rbegin(), ids.rend()}});
    }
    const auto graph = graph_of(nodes);
    EXPECT_THAT(graph.dangling(), IsEmpty());
    for (Place node = 0; node < ids.size(); ++node) {
        const auto row = graph.row(node, FollowedDeps::DataAndCtrl);
        EXPECT_THAT(std::vector<Place>(row.begin(), row.end()),
                    ElementsAre(0, 1, 2, 3, 4, 5, 6, 6, 5, 4, 3, 2, 1, 0));
    }
}

// A hostile trace is nothing but odd dependencies: all are counted, the first of a kind are kept.
TEST(DependencyGraph, KeepsTheFirstOfManyOddOnes) {
    constexpr std::size_t many = DependencyGraph::kept + 7;
    DependencyGraph graph;
    const Ids dangling(many, 9);
    const Ids self(many, 2);
    graph.add(1, nullptr, 0, dangling.data(), many);
    graph.add(2, self.data(), many, nullptr, 0);
    graph.add(3, dangling.data(), 1, nullptr, 0);
    graph.resolve();
    EXPECT_EQ(graph.counts(DependencyKind::Ctrl).dangling, many);
    EXPECT_EQ(graph.counts(DependencyKind::Data).self, many);
    EXPECT_EQ(graph.counts(DependencyKind::Data).repeated, many - 1);
    ASSERT_EQ(graph.dangling().size(), DependencyGraph::kept + 1);
    EXPECT_EQ(graph.dangling().back().kind, DependencyKind::Data);  // not behind those of control
    EXPECT_EQ(graph.self().size(), DependencyGraph::kept);
    EXPECT_EQ(graph.repeated().size(), DependencyGraph::kept);
}

// Two knots that share no node, one of them entered through a node outside.
TEST(DependencyGraph, OneCycleOfEveryKnot) {
    const auto graph = graph_of({{0, {2}, {}},
                                 {1, {2}, {}},
                                 {2, {1}, {}},
                                 {3, {4, 5}, {}},
                                 {4, {5}, {}},
                                 {5, {3}, {}},
                                 {6, {}, {7}},
                                 {7, {6}, {}}});
    EXPECT_THAT(graph.cycles(FollowedDeps::Data),
                ElementsAre(ElementsAre(1, 2), ElementsAre(3, 5)));
    EXPECT_THAT(graph.cycles(FollowedDeps::DataAndCtrl),
                ElementsAre(ElementsAre(1, 2), ElementsAre(3, 5), ElementsAre(6, 7)));
}

/// reach[i][j]: i waits for j, directly or not.
std::vector<std::vector<bool>> closure(const std::vector<Given>& nodes, FollowedDeps followed) {
    const std::size_t count = nodes.size();
    std::vector<std::vector<bool>> reach(count, std::vector<bool>(count, false));
    for (std::size_t i = 0; i < count; ++i) {
        const auto mark = [&](const Ids& deps) {
            for (const std::uint64_t dep : deps) {
                if (dep < count) {
                    reach[i][dep] = true;
                }
            }
        };
        mark(nodes[i].data);
        if (followed == FollowedDeps::DataAndCtrl) {
            mark(nodes[i].ctrl);
        }
    }
    for (std::size_t k = 0; k < count; ++k) {
        for (std::size_t i = 0; i < count; ++i) {
            for (std::size_t j = 0; reach[i][k] && j < count; ++j) {
                reach[i][j] = reach[i][j] || reach[k][j];
            }
        }
    }
    return reach;
}

// Against the transitive closure (Warshall): nodes i and j are in one knot when each reaches the
// other; every knot gives one cycle, which begins at its first node and consists of dependencies.
TEST(DependencyGraph, CyclesAgreeWithTheTransitiveClosure) {
    std::mt19937 random(11);
    int cyclic = 0;
    for (int round = 0; round < 3000; ++round) {
        const std::uint64_t count = 2 + random() % 9;
        std::vector<Given> nodes;
        for (std::uint64_t id = 0; id < count; ++id) {
            nodes.push_back({id, {}, {}});
        }
        for (std::uint64_t edge = 0; edge < count; ++edge) {
            Given& node = nodes[random() % count];
            (random() % 3 == 0 ? node.ctrl : node.data).push_back(random() % (count + 1));
        }
        const DependencyGraph graph = graph_of(nodes);
        for (const FollowedDeps followed : {FollowedDeps::Data, FollowedDeps::DataAndCtrl}) {
            const auto reach = closure(nodes, followed);
            std::set<Place> firsts;
            bool acyclic = true;
            for (std::size_t i = 0; i < count; ++i) {
                acyclic &= !reach[i][i];
                for (std::size_t j = i + 1; j < count; ++j) {
                    if (reach[i][j] && reach[j][i]) {
                        std::size_t first = i;
                        for (std::size_t k = 0; k < i; ++k) {
                            first = reach[i][k] && reach[k][i] ? std::min(first, k) : first;
                        }
                        firsts.insert(static_cast<Place>(first));
                    }
                }
            }
            EXPECT_EQ(graph.acyclic(followed), acyclic) << "round " << round;
            const auto cycles = graph.cycles(followed);
            ASSERT_EQ(cycles.size(), firsts.size()) << "round " << round;
            for (const auto& cycle : cycles) {
                EXPECT_EQ(firsts.count(cycle.front()), 1U);
                for (std::size_t i = 0; i < cycle.size(); ++i) {
                    const auto row = graph.row(cycle[i], followed);
                    EXPECT_EQ(std::count(row.begin(), row.end(), cycle[(i + 1) % cycle.size()]) > 0,
                              true);
                }
                ++cyclic;
            }
        }
    }
    EXPECT_GT(cyclic, 500);
}

TEST(DependencyGraph, NothingAtAll) {
    const DependencyGraph graph = graph_of({});
    EXPECT_TRUE(graph.acyclic(FollowedDeps::DataAndCtrl));
    EXPECT_THAT(graph.dangling(), IsEmpty());
}

}  // namespace
}  // namespace npunet::chakra
