// Small random problems for the planner's search, each within reach of the brute force.
//
//     const RandomProblem random = random_problem(seed);
//     EXPECT_EQ(search(random.problem), best_costs(random.problem, 10)) << text_of(random);
//
// Clusters of 1 to 4 nodes of 1 to 6 devices, at most 10 in all, many of them equal; 1 to 3 types;
// 1 to 6 layers; profiles with some of them missing. The same seed is the same problem on every
// machine: the numbers come from SplitMix64 (Steele, Lea and Flood 2014) by sums, products and
// quotients only.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "planner/profile.h"
#include "tests/planner/search/brute_force.h"

namespace npunet::test {

struct RandomProblem {
    std::uint64_t seed = 0;
    std::shared_ptr<const planner::ProfileSet> profiles;  ///< those that `problem` points to
    BruteProblem problem;
    /// Whether profiles disagree about the parameters of a layer.
    bool parameters_differ = false;
};

RandomProblem random_problem(std::uint64_t seed);

/// The nodes and numbers of a problem in a few lines, for messages of tests.
std::string text_of(const RandomProblem& random);

}  // namespace npunet::test
