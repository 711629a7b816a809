// The k best plans found so far, one of each cost.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "planner/search/plan.h"

namespace npunet::planner {

struct FoundPlan {
    double step_ms = 0;
    std::uint64_t description = 0;  ///< a hash of what tells it from others
    Plan plan;
};

class BestPlans {
public:
    /// Plans of more than `most_ms` are not of interest.
    explicit BestPlans(std::size_t keep, double most_ms = std::numeric_limits<double>::infinity())
        : keep_(keep), most_ms_(most_ms) {}

    /// No plan of more than this is of interest: once there are k, the cost of the last of them.
    [[nodiscard]] double limit_ms() const {
        return plans_.size() < keep_ ? most_ms_ : std::min(most_ms_, plans_.back().step_ms);
    }
    [[nodiscard]] bool are_complete() const { return plans_.size() == keep_; }
    /// Would add() keep it?
    [[nodiscard]] bool wants(double step_ms, std::uint64_t description) const;
    void add(FoundPlan plan);
    void add_all(const BestPlans& others);

    /// Ascending; equal ones by their descriptions.
    [[nodiscard]] const std::vector<FoundPlan>& all() const { return plans_; }

private:
    std::size_t keep_;
    double most_ms_;
    std::vector<FoundPlan> plans_;
};

}  // namespace npunet::planner
