// Training drawn at random, and all that its results say.
//
//     const engine::Workload workload = random_workload(16, random);
//     const engine::SystemConfig system = random_system(random);
//     EXPECT_EQ(described(one_run), described(another));
#pragma once

#include <random>
#include <string>
#include <vector>

#include "engine/machine/system_config.h"
#include "engine/program/workload.h"
#include "engine/results/results.h"
#include "engine/simulation/simulation.h"

namespace npunet::packet_test {

/// Everything that the results say of ranks, collectives and operations, as text.
[[nodiscard]] std::string described(const engine::Results& results);

/// Collectives of the world and of random groups, messages and compute, in an order in which no
/// rank waits for itself: for every rank what concerns it, some of it depending on what came
/// before.
[[nodiscard]] engine::Workload random_workload(int ranks, std::mt19937_64& random);

[[nodiscard]] engine::SystemConfig random_system(std::mt19937_64& random);

/// Broadcasts, reduces, gathers and scatters of the world and of two random groups, one after the
/// other or at a time.
[[nodiscard]] engine::Workload random_rooted_workload(int ranks, std::mt19937_64& random);

/// Carries them out in 2 to 8 chunks, of which up to 4 are under way: what only leaves a member
/// goes one after the other (Transport::send_in_turn()).
[[nodiscard]] engine::SystemConfig random_system_of_chunks(std::mt19937_64& random);

/// The simulations of all parts of a split network, which gather their results: by part these, or
/// what the error says.
[[nodiscard]] std::vector<std::string> finish_together(
    const std::vector<engine::Simulation*>& parts);

}  // namespace npunet::packet_test
