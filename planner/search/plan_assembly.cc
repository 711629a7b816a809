#include "planner/search/plan_assembly.h"

#include <algorithm>
#include <cassert>

namespace npunet::planner {

PlanAssembly::PlanAssembly(const Problem& problem, std::int64_t micro_batches, std::int64_t chunks)
    : problem_(problem) {
    plan_.micro_batches = micro_batches;
    plan_.chunks = chunks;
    for (const NodeClass& node_class : problem.classes()) {
        free_.push_back(node_class.members);
    }
}

std::size_t PlanAssembly::take_whole(std::size_t node_class) {
    const std::size_t node = free_[node_class].back();
    free_[node_class].pop_back();
    return node;
}

std::size_t PlanAssembly::take_part(const StageSet& set, char32_t source) {
    const auto part_class = static_cast<std::size_t>(set.part_class);
    Open open;
    if (source == 0) {
        open.node = take_whole(part_class);
        open.rest = {part_class, problem_.classes()[part_class].node.devices, false,
                     plan_.chunks > 1 && plan_.stages.empty() && set.is_part()};
    } else {
        const auto found = std::find_if(open_.begin(), open_.end(), [&](const Open& known) {
            return known.rest.code() == source;
        });
        assert(found != open_.end());
        open = *found;
        open_.erase(found);
    }
    for (Open& other : open_) {
        other.rest.has_previous = false;
    }
    open.rest.left -= set.part_devices;
    open.rest.has_previous = set.is_part();
    if (open.rest.left > 0) {
        open_.push_back(open);
    }
    return open.node;
}

void PlanAssembly::put_before(const StageSet& set, char32_t source, PlanStage stage) {
    if (set.part_class >= 0) {
        stage.shares.push_back({take_part(set, source), set.part_devices, 0});
    } else {
        for (Open& open : open_) {
            open.rest.has_previous = false;
        }
    }
    for (std::size_t c = 0; c < set.whole.size(); ++c) {
        for (std::int32_t i = 0; i < set.whole[c]; ++i) {
            const std::int64_t devices = problem_.classes()[c].node.devices;
            stage.shares.push_back({take_whole(c), devices, 0});
        }
    }
    std::sort(stage.shares.begin(), stage.shares.end(),
              [](const NodeShare& a, const NodeShare& b) { return a.node < b.node; });
    plan_.stages.push_back(std::move(stage));
}

Plan PlanAssembly::finish() {
    std::reverse(plan_.stages.begin(), plan_.stages.end());
    std::vector<std::int64_t> given(problem_.cluster().nodes.size(), 0);
    for (PlanStage& stage : plan_.stages) {
        for (NodeShare& share : stage.shares) {
            share.first = given[share.node];
            given[share.node] += share.devices;
        }
    }
    return std::move(plan_);
}

}  // namespace npunet::planner
