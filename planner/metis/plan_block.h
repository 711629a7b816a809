// Plans found, kept as small as can be: there are hundreds of thousands of them.
#pragma once

#include <cstdint>
#include <vector>

namespace npunet::planner::metis {

/// What plans of the same device groups share.
struct PlanGroup {
    std::uint32_t sequence = 0;  ///< number of the node sequence
    std::uint32_t stages = 0;
    std::uint32_t costed = 0;  ///< so many of the stages
    std::size_t logs = 0;      ///< where its sizes begin
};

struct KeptPlan {
    double cost = 0;
    std::size_t stages = 0;  ///< where its stages begin
    std::uint32_t group = 0;
    std::uint16_t batches = 0;  ///< number of the number of micro-batches
    std::uint8_t attempts = 0;  ///< divisions of the layers, the last of which fitted
};

class PlanBlock {
public:
    /// The plans that are added next have these device groups.
    void begin_group(std::uint32_t sequence, std::uint32_t costed, const std::uint8_t* logs,
                     std::size_t stages);
    /// `bounds`: as many as stages and one.
    void add(double cost, std::size_t batches, int attempts,
             const std::vector<std::uint8_t>& log_dp, const std::vector<std::uint16_t>& bounds);
    /// Those of the numbers, ascending.
    void append(const PlanBlock& other, const std::vector<std::size_t>& numbers);
    void shrink();

    [[nodiscard]] const std::vector<KeptPlan>& plans() const { return plans_; }
    [[nodiscard]] const PlanGroup& group(const KeptPlan& plan) const { return groups_[plan.group]; }
    [[nodiscard]] const std::uint8_t* logs(const PlanGroup& group) const {
        return &logs_[group.logs];
    }
    [[nodiscard]] const std::uint8_t* log_dp(const KeptPlan& plan) const {
        return &log_dp_[plan.stages];
    }
    /// Without the first, which is 0.
    [[nodiscard]] const std::uint16_t* bounds(const KeptPlan& plan) const {
        return &bounds_[plan.stages];
    }

private:
    std::vector<PlanGroup> groups_;
    std::vector<KeptPlan> plans_;
    std::vector<std::uint8_t> logs_;
    std::vector<std::uint8_t> log_dp_;
    std::vector<std::uint16_t> bounds_;
};

}  // namespace npunet::planner::metis
