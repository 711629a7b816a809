// The random problems are the same everywhere and have the optima that a search can get wrong; on
// them, distinct plans are the orbits of the exchanges of equal nodes.
#include "tests/planner/search/random_problems.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <vector>

namespace npunet::test {
namespace {

/// FNV-1a of numbers, bit by bit.
class Fingerprint {
public:
    void add(double value) {
        const auto bits = std::bit_cast<std::uint64_t>(value);
        for (unsigned shift = 0; shift < 64; shift += 8) {
            hash_ = (hash_ ^ ((bits >> shift) & 0xFFU)) * 0x100000001B3U;
        }
    }
    void add(const std::vector<double>& values) {
        for (const double value : values) {
            add(value);
        }
    }
    [[nodiscard]] std::uint64_t value() const { return hash_; }

private:
    std::uint64_t hash_ = 0xCBF29CE484222325U;
};

// The same numbers to the last bit with every compiler.
TEST(RandomProblems, SameEverywhere) {
    Fingerprint fingerprint;
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        const RandomProblem random = random_problem(seed);
        fingerprint.add(random.problem.layers);
        fingerprint.add(random.problem.gbs);
        fingerprint.add(random.problem.sequence * random.problem.hidden);
        for (const BruteNode& node : random.problem.nodes) {
            fingerprint.add({static_cast<double>(node.type), static_cast<double>(node.devices),
                             node.memory_mib, node.intra_rate, node.inter_rate,
                             node.intra_latency_ms, node.inter_latency_ms});
        }
        for (const planner::LayerProfile& profile : random.profiles->all()) {
            fingerprint.add(profile.layer_ms);
            fingerprint.add(profile.layer_memory_mib);
            fingerprint.add(profile.layer_activation_mib);
            fingerprint.add(profile.parameter_bytes);
            fingerprint.add(
                {profile.forward_backward_ms, profile.optimizer_ms, profile.batch_generator_ms});
        }
    }
    EXPECT_EQ(fingerprint.value(), 818283099836481517U);
}

/// A plan with its nodes renamed.
std::string renamed(BrutePlan plan, const std::vector<std::size_t>& names) {
    for (BruteStage& stage : plan.stages) {
        const std::vector<int> before = stage.devices;
        for (std::size_t i = 0; i < before.size(); ++i) {
            stage.devices[names[i]] = before[i];
        }
    }
    return text_of(plan);
}

/// The least text among those of the plan's images under all exchanges of equal nodes.
std::string orbit_of(const BruteProblem& problem, const BrutePlan& plan) {
    std::vector<std::size_t> names(problem.nodes.size());
    std::iota(names.begin(), names.end(), 0U);
    std::string least = text_of(plan);
    do {
        bool exchanges_equals = true;
        for (std::size_t i = 0; i < names.size(); ++i) {
            exchanges_equals = exchanges_equals && problem.nodes[i] == problem.nodes[names[i]];
        }
        if (exchanges_equals) {
            least = std::min(least, renamed(plan, names));
        }
    } while (std::next_permutation(names.begin(), names.end()));
    return least;
}

// Each orbit of plans has one distinct plan, and all of an orbit cost the same.
TEST(RandomProblems, DistinctPlansAreOrbits) {
    int compared = 0;
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        const RandomProblem random = random_problem(seed);
        if (number_of_plans(random.problem) > 1000) {
            continue;
        }
        std::map<std::string, double> orbits;
        for_each_plan(random.problem, [&](const BrutePlan& plan) {
            const auto [orbit, added] =
                orbits.emplace(orbit_of(random.problem, plan), plan.step_ms);
            EXPECT_EQ(orbit->second, plan.step_ms) << text_of(random) << text_of(plan);
        });
        std::map<std::string, double> distinct;
        for_each_distinct_plan(random.problem, [&](const BrutePlan& plan) {
            EXPECT_TRUE(distinct.emplace(orbit_of(random.problem, plan), plan.step_ms).second);
        });
        EXPECT_EQ(distinct, orbits) << text_of(random);
        compared += orbits.empty() ? 0 : 1;
    }
    EXPECT_GE(compared, 30);
}

/// What is remarkable about a plan.
std::set<std::string> traits_of(const BruteProblem& problem, const BrutePlan& plan) {
    std::set<std::string> traits;
    std::set<int> replicas;
    for (const BruteStage& stage : plan.stages) {
        std::set<int> types;
        for (std::size_t i = 0; i < problem.nodes.size(); ++i) {
            if (stage.devices[i] == 0) {
                continue;
            }
            types.insert(problem.nodes[i].type);
            if (stage.devices[i] < problem.nodes[i].devices) {
                traits.insert("split node");
            }
        }
        if (types.size() > 1) {
            traits.insert("mixed stage");
        }
        replicas.insert(stage.dp);
    }
    if (replicas.size() > 1) {
        traits.insert("unequal dp");
    }
    if (plan.v > 1) {
        traits.insert("interleaved");
    }
    if (plan.stages.size() >= 4) {
        traits.insert("four stages");
    }
    return traits;
}

// Among 300 problems, the plan of least cost has each of these at least 10 times.
TEST(RandomProblems, OptimaOfAllSorts) {
    std::map<std::string, int> optima;
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        const RandomProblem random = random_problem(seed);
        BrutePlan best;
        for_each_distinct_plan(random.problem, [&](const BrutePlan& plan) {
            if (best.stages.empty() || plan.step_ms < best.step_ms) {
                best = plan;
            }
        });
        for (const std::string& trait : traits_of(random.problem, best)) {
            ++optima[trait];
        }
        optima["no plan"] += best.stages.empty() ? 1 : 0;
    }
    for (const char* trait :
         {"split node", "mixed stage", "unequal dp", "interleaved", "four stages", "no plan"}) {
        EXPECT_GE(optima[trait], 10) << trait;
    }
}

}  // namespace
}  // namespace npunet::test
