// The inputs of the published table of planning times: half V100, half A100 in nodes of four, and
// profiles of a model of L layers, stretched from the samples in the shared folder.
#pragma once

#include <cstdint>
#include <filesystem>

#include "planner/metis/arguments.h"

namespace npunet::planner::metis {

/// Where the samples are: profiles of a model of ten layers on A100s, tp 1, 2, 4 and batch 1, 2, 4.
[[nodiscard]] std::filesystem::path published_samples();

/// The samples for L layers, tp and batch up to `most`: layers between the first and the last are
/// copies of the second; beyond the samples twice the batch takes twice the time and twice the tp
/// half of it. A V100 takes 3.5 times as long.
[[nodiscard]] ProfileSet stretched_profiles(std::int64_t layers, std::int64_t most);

/// `devices` of each type.
[[nodiscard]] Inputs published_inputs(std::int64_t layers, std::int64_t devices);

[[nodiscard]] Arguments published_arguments(std::int64_t layers, Strategy strategy);

}  // namespace npunet::planner::metis
