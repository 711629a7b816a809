// The search finds what trying every plan finds, on problems small enough for that; its answers do
// not depend on the number of threads; what it reports of a plan is what docs/planner.md
// says.
#include "planner/search/plan_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/errors.h"
#include "tests/planner/search/brute_force.h"
#include "tests/planner/search/random_problems.h"
#include "tests/planner/search/searched_problem.h"

namespace npunet::planner {
namespace {

using test::BruteNode;
using test::BrutePlan;
using test::BruteProblem;
using test::BruteStage;
using test::random_problem;
using test::RandomProblem;

constexpr std::uint64_t random_problems = 300;

BrutePlan brute(const BruteProblem& problem, const Plan& plan) {
    BrutePlan result;
    result.m = static_cast<int>(plan.micro_batches);
    result.v = static_cast<int>(plan.chunks);
    for (const PlanStage& stage : plan.stages) {
        BruteStage brute_stage;
        brute_stage.devices.assign(problem.nodes.size(), 0);
        for (const NodeShare& share : stage.shares) {
            brute_stage.devices[share.node] = static_cast<int>(share.devices);
        }
        brute_stage.tp = static_cast<int>(stage.tp);
        brute_stage.dp = static_cast<int>(stage.dp);
        brute_stage.first = static_cast<int>(stage.first_layer);
        brute_stage.count = static_cast<int>(stage.layers);
        result.stages.push_back(std::move(brute_stage));
    }
    return result;
}

/// Costs that differ by rounding alone count once: plans of equal cost are reported by one or by
/// all.
std::vector<double> distinct(const std::vector<double>& costs) {
    std::vector<double> result;
    for (const double cost : costs) {
        if (result.empty() || cost > result.back() * (1 + 1e-9)) {
            result.push_back(cost);
        }
    }
    return result;
}

void expect_prefix(const std::vector<double>& found, const std::vector<double>& all) {
    ASSERT_LE(found.size(), all.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
        EXPECT_NEAR(found[i], all[i], all[i] * 1e-9) << "plan " << i;
    }
}

/// A search's plans, or none where it says that there are none.
PlanSearchResult search(const BruteProblem& problem, std::size_t keep, std::size_t threads = 1) {
    const Problem searched = test::searched(problem);
    PlanSearchOptions options;
    options.keep = keep;
    options.threads = threads;
    options.one_forward_one_backward = problem.one_forward_one_backward;
    options.interleaved = problem.interleaved;
    try {
        return search_plans(searched, options);
    } catch (const InputError&) {
        return {};
    }
}

std::vector<double> costs_of(const PlanSearchResult& result) {
    std::vector<double> costs;
    for (const RankedPlan& plan : result.plans) {
        costs.push_back(plan.cost.step_ms());
    }
    return costs;
}

TEST(PlanSearch, FindsTheOptimumOfEveryRandomProblem) {
    std::size_t with_plans = 0;
    for (std::uint64_t seed = 0; seed < random_problems; ++seed) {
        const RandomProblem random = random_problem(seed);
        if (random.parameters_differ) {
            continue;
        }
        SCOPED_TRACE(text_of(random));
        const std::vector<double> best = test::best_costs(random.problem, 1);
        const std::vector<double> found = costs_of(search(random.problem, 1));
        ASSERT_EQ(found.size(), best.size());
        expect_prefix(found, best);
        with_plans += best.size();
    }
    EXPECT_GE(with_plans, 200U);
}

TEST(PlanSearch, FindsTheBestPlansInOrder) {
    for (std::uint64_t seed = 0; seed < random_problems; ++seed) {
        const RandomProblem random = random_problem(seed);
        if (random.parameters_differ) {
            continue;
        }
        SCOPED_TRACE(text_of(random));
        const std::vector<double> all = distinct(test::best_costs(random.problem, 5000));
        const std::vector<double> found = costs_of(search(random.problem, 8));
        EXPECT_TRUE(std::is_sorted(found.begin(), found.end()));
        ASSERT_EQ(found.empty(), all.empty());
        expect_prefix(distinct(found), all);
    }
}

TEST(PlanSearch, ReportsPlansOfTheSpaceAtTheirCost) {
    for (std::uint64_t seed = 0; seed < random_problems; ++seed) {
        const RandomProblem random = random_problem(seed);
        if (random.parameters_differ) {
            continue;
        }
        SCOPED_TRACE(text_of(random));
        for (const RankedPlan& ranked : search(random.problem, 4).plans) {
            const BrutePlan plan = brute(random.problem, ranked.plan);
            SCOPED_TRACE(text_of(plan));
            EXPECT_NEAR(ranked.cost.step_ms(), test::step_ms(random.problem, plan),
                        ranked.cost.step_ms() * 1e-9);
            EXPECT_TRUE(ranked.cost.fits);
            EXPECT_TRUE(test::fits_in_memory(random.problem, plan));
            std::vector<int> used(random.problem.nodes.size(), 0);
            for (const BruteStage& stage : plan.stages) {
                for (std::size_t n = 0; n < used.size(); ++n) {
                    used[n] += stage.devices[n];
                }
            }
            for (std::size_t n = 0; n < used.size(); ++n) {
                EXPECT_EQ(used[n], random.problem.nodes[n].devices);
            }
        }
    }
}

TEST(PlanSearch, TellsPlansFromEachOther) {
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        const RandomProblem random = random_problem(seed);
        if (random.parameters_differ) {
            continue;
        }
        const PlanSearchResult result = search(random.problem, 8);
        std::set<std::string> texts;
        for (const RankedPlan& ranked : result.plans) {
            texts.insert(text_of(brute(random.problem, ranked.plan)));
        }
        EXPECT_EQ(texts.size(), result.plans.size()) << text_of(random);
    }
}

TEST(PlanSearch, DoesNotDependOnThreads) {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        const RandomProblem random = random_problem(seed);
        if (random.parameters_differ) {
            continue;
        }
        SCOPED_TRACE(text_of(random));
        const PlanSearchResult one = search(random.problem, 5, 1);
        const PlanSearchResult four = search(random.problem, 5, 4);
        EXPECT_EQ(costs_of(one), costs_of(four));
        EXPECT_EQ(one.counts.extended, four.counts.extended);
        EXPECT_EQ(one.counts.plans_costed, four.counts.plans_costed);
        ASSERT_EQ(one.plans.size(), four.plans.size());
        for (std::size_t i = 0; i < one.plans.size(); ++i) {
            EXPECT_EQ(text_of(brute(random.problem, one.plans[i].plan)),
                      text_of(brute(random.problem, four.plans[i].plan)));
        }
    }
}

// Plans whose nodes are whole are counted exactly; split nodes that look alike to the stages to
// come count once, so with those there may be fewer.
TEST(PlanSearch, CountsThePlansOfTheSpace) {
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        const RandomProblem random = random_problem(seed);
        if (random.parameters_differ) {
            continue;
        }
        const PlanSearchResult result = search(random.problem, 1);
        if (result.plans.empty()) {
            continue;
        }
        SCOPED_TRACE(text_of(random));
        const auto all = static_cast<double>(test::number_of_plans(random.problem));
        EXPECT_LE(result.plans_in_space, all);
        EXPECT_GE(result.plans_in_space, 0.5 * all);
        const bool has_no_parts =
            std::all_of(random.problem.nodes.begin(), random.problem.nodes.end(),
                        [](const BruteNode& node) { return node.devices == 1; });
        if (has_no_parts) {
            EXPECT_EQ(result.plans_in_space, all);
        }
    }
}

}  // namespace
}  // namespace npunet::planner
