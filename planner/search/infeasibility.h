// Why a problem is infeasible, and what would be enough.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>

#include "base/errors.h"
#include "planner/search/plan.h"
#include "planner/search/problem.h"
#include "planner/search/stage_options.h"

namespace npunet::planner {

/// A plan of a problem, or none.
using FindPlan = std::function<std::optional<Plan>(const Problem&)>;

/// The error for a search that found nothing: memory that is too small (and how much would be
/// enough, found out by `find` on machines with more of it), profiles that are missing, or a batch
/// that no division of the devices divides.
[[nodiscard]] InputError infeasible(const Problem& problem, const std::set<MissingProfile>& missing,
                                    const FindPlan& find);

/// The error for profiles that plans need and that are missing among the others; nothing where
/// there are none.
[[nodiscard]] std::optional<InputError> missing_among_others(
    const Problem& problem, const std::set<MissingProfile>& missing);

/// "A100 tp 4 batch 8 (DeviceType.A100_tp4_bs8.json)".
[[nodiscard]] std::string describe(const Problem& problem, const MissingProfile& missing);

}  // namespace npunet::planner
