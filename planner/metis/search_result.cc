#include <algorithm>
#include <numeric>

#include "planner/metis/search.h"

namespace npunet::planner::metis {

std::size_t SearchResult::size() const {
    return ends_.empty() ? 0 : ends_.back();
}

void SearchResult::add(PlanBlock block) {
    if (!block.plans().empty()) {
        ends_.push_back(size() + block.plans().size());
        blocks_.push_back(std::move(block));
    }
}

SearchResult::Place SearchResult::place_of(std::size_t number) const {
    const auto end = std::upper_bound(ends_.begin(), ends_.end(), number);
    const PlanBlock& block = blocks_[static_cast<std::size_t>(end - ends_.begin())];
    const std::size_t first = *end - block.plans().size();
    return {&block, &block.plans()[number - first]};
}

double SearchResult::cost(std::size_t number) const {
    return place_of(number).plan->cost;
}

std::vector<std::size_t> SearchResult::best(std::size_t count) const {
    std::vector<double> costs;
    costs.reserve(size());
    for (const PlanBlock& block : blocks_) {
        for (const KeptPlan& plan : block.plans()) {
            costs.push_back(plan.cost);
        }
    }
    std::vector<std::size_t> numbers(costs.size());
    std::iota(numbers.begin(), numbers.end(), std::size_t{0});
    count = std::min(count, numbers.size());
    std::partial_sort(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(count),
                      numbers.end(), [&](std::size_t a, std::size_t b) {
                          return costs[a] != costs[b] ? costs[a] < costs[b] : a < b;
                      });
    numbers.resize(count);
    return numbers;
}

void SearchResult::keep_best(std::size_t count) {
    std::vector<std::size_t> numbers = best(count);
    std::sort(numbers.begin(), numbers.end());
    PlanBlock kept;
    auto next = numbers.begin();
    std::size_t first = 0;
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
        std::vector<std::size_t> inside;
        for (; next != numbers.end() && *next < ends_[b]; ++next) {
            inside.push_back(*next - first);
        }
        kept.append(blocks_[b], inside);
        first = ends_[b];
    }
    blocks_.clear();
    ends_.clear();
    kept.shrink();
    add(std::move(kept));
}

Plan SearchResult::plan(std::size_t number) const {
    const auto [block, kept] = place_of(number);
    const PlanGroup& group = block->group(*kept);
    const SearchTables& tables = *tables_;
    MixedStages mixed(tables);
    PlanStages stages(tables, mixed);
    stages.arrange(group.sequence, block->logs(group), group.stages);
    stages.start(kept->batches);
    std::vector<std::uint16_t> bounds{0};
    bounds.insert(bounds.end(), block->bounds(*kept), block->bounds(*kept) + group.stages);
    for (std::size_t s = 0; s < group.stages; ++s) {
        stages.set_log_dp(s, block->log_dp(*kept)[s]);
    }
    stages.refresh();

    Plan plan;
    cost_of(stages, tables, group.costed, bounds, plan.parts);
    plan.cost_ms = kept->cost;
    for (const int type : tables.sequences()[group.sequence].order()) {
        plan.node_sequence.push_back(tables.cluster().types()[static_cast<std::size_t>(type)].name);
    }
    for (std::size_t s = 0; s < group.stages; ++s) {
        plan.device_groups.push_back(std::int64_t{1} << block->logs(group)[s]);
        plan.strategies.emplace_back(std::int64_t{1} << stages.log_dp()[s],
                                     std::int64_t{1} << stages.log_tp(s));
        plan.memory_mb.push_back(stages.demand(s, bounds[s], bounds[s + 1]));
    }
    plan.batches = tables.batches()[kept->batches];
    plan.layer_partition.assign(bounds.begin(), bounds.end());
    plan.attempts = kept->attempts;
    plan.costed_stages = group.costed;
    plan.capacity_mb = stages.capacity();
    return plan;
}

}  // namespace npunet::planner::metis
