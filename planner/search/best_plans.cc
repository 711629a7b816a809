#include "planner/search/best_plans.h"

#include <algorithm>
#include <cmath>

namespace npunet::planner {

namespace {

bool goes_before(const FoundPlan& a, const FoundPlan& b) {
    return a.step_ms != b.step_ms ? a.step_ms < b.step_ms : a.description < b.description;
}

}  // namespace

bool BestPlans::wants(double step_ms, std::uint64_t description) const {
    if (step_ms > limit_ms()) {
        return false;
    }
    constexpr double rounding = 1e-12;
    return std::none_of(plans_.begin(), plans_.end(), [&](const FoundPlan& known) {
        return known.description == description ||
               std::abs(known.step_ms - step_ms) <= rounding * step_ms;
    });
}

void BestPlans::add(FoundPlan plan) {
    if (!wants(plan.step_ms, plan.description)) {
        return;
    }
    plans_.insert(std::upper_bound(plans_.begin(), plans_.end(), plan, goes_before),
                  std::move(plan));
    if (plans_.size() > keep_) {
        plans_.pop_back();
    }
}

void BestPlans::add_all(const BestPlans& others) {
    for (const FoundPlan& plan : others.plans_) {
        add(plan);
    }
}

}  // namespace npunet::planner
