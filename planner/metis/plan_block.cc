#include "planner/metis/plan_block.h"

namespace npunet::planner::metis {

void PlanBlock::begin_group(std::uint32_t sequence, std::uint32_t costed, const std::uint8_t* logs,
                            std::size_t stages) {
    groups_.push_back({sequence, static_cast<std::uint32_t>(stages), costed, logs_.size()});
    logs_.insert(logs_.end(), logs, logs + stages);
}

void PlanBlock::add(double cost, std::size_t batches, int attempts,
                    const std::vector<std::uint8_t>& log_dp,
                    const std::vector<std::uint16_t>& bounds) {
    plans_.push_back({cost, log_dp_.size(), static_cast<std::uint32_t>(groups_.size() - 1),
                      static_cast<std::uint16_t>(batches), static_cast<std::uint8_t>(attempts)});
    log_dp_.insert(log_dp_.end(), log_dp.begin(), log_dp.end());
    bounds_.insert(bounds_.end(), bounds.begin() + 1, bounds.end());
}

void PlanBlock::append(const PlanBlock& other, const std::vector<std::size_t>& numbers) {
    const PlanGroup* last = nullptr;
    for (const std::size_t number : numbers) {
        const KeptPlan& plan = other.plans_[number];
        const PlanGroup& group = other.group(plan);
        if (last != &group) {
            begin_group(group.sequence, group.costed, other.logs(group), group.stages);
            last = &group;
        }
        KeptPlan& copy = plans_.emplace_back(plan);
        copy.stages = log_dp_.size();
        copy.group = static_cast<std::uint32_t>(groups_.size() - 1);
        log_dp_.insert(log_dp_.end(), other.log_dp(plan), other.log_dp(plan) + group.stages);
        bounds_.insert(bounds_.end(), other.bounds(plan), other.bounds(plan) + group.stages);
    }
}

void PlanBlock::shrink() {
    groups_.shrink_to_fit();
    plans_.shrink_to_fit();
    logs_.shrink_to_fit();
    log_dp_.shrink_to_fit();
    bounds_.shrink_to_fit();
}

}  // namespace npunet::planner::metis
