// Best, best within the limit and Pareto front against brute force over all pairs.

#include "study/sweep/ranking.h"

#include <gtest/gtest.h>

#include <random>
#include <utility>

namespace npunet::study {
namespace {

Value number(std::int64_t value) {
    return {std::to_string(value), value, ""};
}

/// `count` points that differ in dp, in one or two tasks (batch).
DesignSpace space_of(std::size_t count, std::size_t tasks) {
    DesignSpace space;
    Axis batch{{"batch"}, {}, true};
    Axis dp{{"dp"}, {}, true};
    for (std::size_t i = 0; i < tasks; ++i) {
        batch.rows.push_back({number(static_cast<std::int64_t>(i + 1))});
    }
    for (std::size_t i = 0; i < count; ++i) {
        dp.rows.push_back({number(static_cast<std::int64_t>(i + 1))});
        space.points.push_back(
            {{static_cast<std::uint32_t>(i % tasks), static_cast<std::uint32_t>(i)}, std::nullopt});
    }
    space.axes = {batch, dp};
    return space;
}

Outcome outcome(std::int64_t time, std::int64_t memory) {
    Outcome result;
    result.largest.finish = Time::ps(time);
    result.largest.peak_memory = Bytes(memory);
    return result;
}

// p is on the front if no q is at least as good in both and better in one.
bool on_front(std::size_t p, const std::vector<std::size_t>& group,
              const std::vector<std::optional<Outcome>>& outcomes) {
    const Figures& own = outcomes[p]->largest;
    for (const std::size_t q : group) {
        const Figures& other = outcomes[q]->largest;
        const bool no_worse = other.finish <= own.finish && other.peak_memory <= own.peak_memory;
        if (outcomes[q]->memory_known() && no_worse &&
            (other.finish < own.finish || other.peak_memory < own.peak_memory)) {
            return false;
        }
    }
    return outcomes[p]->memory_known();
}

void check_group(const Group& group, const DesignSpace& space,
                 const std::vector<std::optional<Outcome>>& outcomes) {
    std::optional<std::size_t> within;
    for (const std::size_t p : group.points) {
        const Figures& own = outcomes[p]->largest;
        EXPECT_LE(outcomes[*group.best]->largest.finish, own.finish);
        const bool fits = outcomes[p]->memory_known() && own.peak_memory <= *space.memory_limit;
        if (fits && (!within || own.finish < outcomes[*within]->largest.finish)) {
            within = p;
        }
        const bool front =
            std::find(group.pareto.begin(), group.pareto.end(), p) != group.pareto.end();
        EXPECT_EQ(front, on_front(p, group.points, outcomes)) << p;
    }
    ASSERT_EQ(group.best_within_limit.has_value(), within.has_value());
    if (within) {
        EXPECT_EQ(outcomes[*group.best_within_limit]->largest.finish,
                  outcomes[*within]->largest.finish);
    }
}

TEST(Ranking, AgreesWithBruteForce) {
    std::mt19937_64 random(3);
    for (int round = 0; round < 300; ++round) {
        const std::size_t tasks = 1 + random() % 2;
        DesignSpace space = space_of(tasks * (1 + random() % 20), tasks);
        space.memory_limit = Bytes(static_cast<std::int64_t>(random() % 12));
        std::vector<std::optional<Outcome>> outcomes;
        for (std::size_t i = 0; i < space.points.size(); ++i) {
            outcomes.push_back(outcome(static_cast<std::int64_t>(1 + random() % 10),
                                       static_cast<std::int64_t>(random() % 10)));
        }
        outcomes.front()->largest.peak_memory = Bytes(5);  // some memory is known
        for (std::size_t i = 1; i < tasks; ++i) {
            outcomes[i]->largest.peak_memory = Bytes(5);
        }
        std::size_t points = 0;
        for (const Group& group : rank_points(space, outcomes).groups) {
            points += group.points.size();
            check_group(group, space, outcomes);
        }
        EXPECT_EQ(points, space.points.size());
    }
}

TEST(Ranking, FailedPointsAndUnknownMemory) {
    DesignSpace space = space_of(4, 1);
    const Ranking unknown =
        rank_points(space, {outcome(5, 0), failed("stalled", ""), outcome(4, 0), outcome(4, 0)});
    ASSERT_EQ(unknown.groups.size(), 1U);
    EXPECT_EQ(unknown.groups[0].points, (std::vector<std::size_t>{2, 3, 0}));
    EXPECT_EQ(unknown.groups[0].best, 2U);
    EXPECT_EQ(unknown.groups[0].best_within_limit, 2U) << "without a limit as without memory";
    EXPECT_EQ(unknown.groups[0].pareto, (std::vector<std::size_t>{2, 3}));
    space.memory_limit = Bytes(100);
    EXPECT_FALSE(rank_points(space, {outcome(5, 0)}).groups[0].best_within_limit.has_value());
    EXPECT_TRUE(rank_points(space, {failed("stalled", "")}).groups.empty());
}

// Those that do not fit come last, whatever their time; those of unknown memory count as fitting.
TEST(Ranking, PointsThatDoNotFitComeLast) {
    std::vector<std::optional<Outcome>> outcomes{outcome(1, 9), outcome(2, 0), outcome(3, 5),
                                                 outcome(4, 8)};
    outcomes[0]->spare_memory = Bytes(-1);
    outcomes[2]->spare_memory = Bytes(3);
    outcomes[3]->spare_memory = Bytes(0);
    DesignSpace space = space_of(4, 1);
    const auto order = [&] { return rank_points(space, outcomes).groups.at(0).points; };
    EXPECT_EQ(order(), (std::vector<std::size_t>{1, 2, 3, 0}));
    space.memory_limit = Bytes(6);
    const Group limited = rank_points(space, outcomes).groups.at(0);
    EXPECT_EQ(limited.points, (std::vector<std::size_t>{1, 2, 3, 0}));
    EXPECT_EQ(limited.best, 1U);
    EXPECT_EQ(limited.best_within_limit, 2U);
    EXPECT_EQ(limited.pareto, (std::vector<std::size_t>{0, 2}));
    space.memory_limit = Bytes(9);
    EXPECT_EQ(order(), (std::vector<std::size_t>{0, 1, 2, 3}));
}

// The least of all NPUs decides; one line of the journal keeps it.
TEST(Ranking, SpareMemoryIsTheLeastOfAllNpus) {
    engine::Results results;
    for (const auto& [peak, capacity] : {std::pair(5, 8), std::pair(6, 7), std::pair(9, 0)}) {
        engine::NpuResult npu;
        npu.peak_memory = Bytes(peak);
        npu.memory_capacity = Bytes(capacity);
        results.npus.push_back(npu);
    }
    const Outcome known = outcome_of(results);
    EXPECT_EQ(known.spare_memory, Bytes(1));
    EXPECT_EQ(read_outcome(outcome_line(known))->spare_memory, Bytes(1));
    EXPECT_EQ(fits_memory(known, std::nullopt), true);
    results.npus.erase(results.npus.begin(), results.npus.begin() + 2);
    const Outcome unknown = outcome_of(results);
    EXPECT_FALSE(unknown.spare_memory.has_value());
    EXPECT_FALSE(read_outcome(outcome_line(unknown))->spare_memory.has_value());
    EXPECT_FALSE(fits_memory(unknown, std::nullopt).has_value());
}

}  // namespace
}  // namespace npunet::study
