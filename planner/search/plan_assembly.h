// From "two nodes of this class and a part of that open node" to the numbers of nodes and devices.
//
// Stages come from the pipeline's end to its start, as the search takes them; nodes of a class are
// given out from the last in the hostfile to the first, so that the first stages have the first
// nodes.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/search/device_states.h"
#include "planner/search/plan.h"
#include "planner/search/problem.h"
#include "planner/search/stage_sets.h"

namespace npunet::planner {

class PlanAssembly {
public:
    PlanAssembly(const Problem& problem, std::int64_t micro_batches, std::int64_t chunks);

    /// `source`: Move::source.
    void put_before(const StageSet& set, char32_t source, PlanStage stage);
    /// The plan, once every device has its stage.
    [[nodiscard]] Plan finish();

private:
    struct Open {
        std::size_t node = 0;
        OpenNode rest;
    };

    [[nodiscard]] std::size_t take_whole(std::size_t node_class);
    /// The node that a part is of.
    [[nodiscard]] std::size_t take_part(const StageSet& set, char32_t source);

    const Problem& problem_;
    Plan plan_;                                   ///< stages in reverse until finish()
    std::vector<std::vector<std::size_t>> free_;  ///< whole nodes by class, ascending
    std::vector<Open> open_;
};

}  // namespace npunet::planner
