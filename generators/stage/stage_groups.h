// Communicator groups and what single ranks fill into the nodes of their stage.
//
// Rank = dp_i + dp (tp_i + tp (sp_i + sp stage)), dp fastest. Groups count from 1: those of dp
// first, then tp, sp, groups of one rank included. Inside a kind the remaining coordinates count
// with the pipeline stage slowest, then dp, tp, sp.
#pragma once

#include <cstdint>
#include <vector>

#include "generators/stage/pipeline_split.h"
#include "generators/stage/stage_arguments.h"
#include "generators/workload.h"

namespace npunet::generators::stage_dialect {

/// STAGE begins at random and is made reproducible by seeding Python's generator with 0; this is
/// the number that it then draws.
inline constexpr std::int32_t first_tag = 885440;

/// `position_of_stage[p]`: what ranks count the p-th stage of the pipeline as.
[[nodiscard]] std::vector<RankGroup> make_groups(
    const StageArguments& arguments, const std::vector<std::int32_t>& position_of_stage);

/// `numbers`: ids that a rank of each stage takes.
[[nodiscard]] std::vector<RankBinding> make_bindings(const StageArguments& arguments,
                                                     const std::vector<RankGroup>& groups,
                                                     const std::vector<std::uint64_t>& numbers);

}  // namespace npunet::generators::stage_dialect
