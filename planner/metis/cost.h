// The time of a step by Metis's formula: a pipeline of equal micro-batches, behind it what is
// between the passes, the optimizer, the gradients, the messages between stages and the making of
// batches.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/metis/plan_stages.h"

namespace npunet::planner::metis {

/// In ms. They add up to the cost, in this order.
struct CostParts {
    double execution_ms = 0;
    double fb_sync_ms = 0;
    double optimizer_ms = 0;
    double gradients_ms = 0;
    double pipeline_ms = 0;
    double batch_generator_ms = 0;

    [[nodiscard]] double sum() const {
        return execution_ms + fb_sync_ms + optimizer_ms + gradients_ms + pipeline_ms +
               batch_generator_ms;
    }
};

/// Of the first `costed` stages alone; stage s has the layers from bounds[s] to before bounds[s +
/// 1]. False where the original drops the plan for a key that it does not find.
bool cost_of(PlanStages& stages, const SearchTables& tables, std::size_t costed,
             const std::vector<std::uint16_t>& bounds, CostParts& parts);

}  // namespace npunet::planner::metis
