#include "planner/search/partial_plans.h"

#include <algorithm>
#include <cmath>

namespace npunet::planner {

PartialPlans::PartialPlans(std::uint32_t keep, bool count_must_agree)
    : keep_(keep), count_must_agree_(count_must_agree) {}

std::uint32_t PartialPlans::add_first(std::uint32_t state, std::int32_t layers) {
    PartialPlan plan;
    plan.state = state;
    plan.layers = layers;
    plans_.push_back(plan);
    return static_cast<std::uint32_t>(plans_.size() - 1);
}

bool PartialPlans::is_nowhere_worse(const PartialPlan& a, const PartialPlan& b) const {
    return (count_must_agree_ ? a.stages == b.stages : a.stages <= b.stages) &&
           a.sum_ms <= b.sum_ms && a.longest_ms <= b.longest_ms && a.update_ms <= b.update_ms &&
           a.side_ms <= b.side_ms && a.inside_ms <= b.inside_ms &&
           a.last_side_ms <= b.last_side_ms && a.last_inside_ms <= b.last_inside_ms;
}

bool PartialPlans::are_alike(const PartialPlan& a, const PartialPlan& b) {
    constexpr double rounding = 1e-12;
    const auto near = [](double x, double y) {
        return std::abs(x - y) <= rounding * std::max(x, y);
    };
    return a.stages == b.stages && near(a.sum_ms, b.sum_ms) && near(a.longest_ms, b.longest_ms) &&
           near(a.update_ms, b.update_ms) && near(a.side_ms, b.side_ms) &&
           near(a.inside_ms, b.inside_ms) && near(a.last_side_ms, b.last_side_ms) &&
           near(a.last_inside_ms, b.last_inside_ms);
}

bool PartialPlans::add(const PartialPlan& plan, std::vector<std::uint32_t>& list) {
    std::uint32_t dominated = 0;
    for (const std::uint32_t index : list) {
        const PartialPlan& other = plans_[index];
        if (is_nowhere_worse(other, plan) && ++dominated == keep_) {
            return false;
        }
        if (are_alike(other, plan)) {
            return false;
        }
    }
    const auto is_superfluous = [&](std::uint32_t index) {
        PartialPlan& other = plans_[index];
        // Of equal ones the earlier counts as better.
        return is_nowhere_worse(plan, other) && !is_nowhere_worse(other, plan) &&
               ++other.dominated >= keep_;
    };
    list.erase(std::remove_if(list.begin(), list.end(), is_superfluous), list.end());
    plans_.push_back(plan);
    plans_.back().dominated = dominated;
    list.push_back(static_cast<std::uint32_t>(plans_.size() - 1));
    return true;
}

}  // namespace npunet::planner
