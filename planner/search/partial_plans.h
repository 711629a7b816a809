// Plans under construction, from the last stage to the first: what is kept of each, and which are
// kept.
//
// A partial plan is the stages of the end of a pipeline. Two that leave the same layers and the
// same devices differ only in what they have cost and how they meet the stages before: one that is
// nowhere worse makes another superfluous. To find the k best plans, a partial plan is dropped only
// when k different ones are nowhere worse.
// Of those that are alike in all of this one is kept: plans of equal cost, such as those that
// exchange equal stages, count as one.
#pragma once

#include <cstdint>
#include <vector>

namespace npunet::planner {

struct PartialPlan {
    double sum_ms = 0;              ///< of the periods
    double longest_ms = 0;          ///< of them
    double update_ms = 0;           ///< the longest
    double side_ms = 0;             ///< of the stage taken last, see plan_cost.h
    double inside_ms = 0;           ///< of the same; 0 where that cannot matter
    double last_side_ms = 0;        ///< of the pipeline's last stage; 0 in 1F1B
    double last_inside_ms = 0;      ///< of the same
    std::uint64_t description = 0;  ///< a hash of the stages
    std::uint32_t parent = 0;       ///< index of the plan that lacks the stage taken last
    std::uint32_t option = 0;       ///< of the stage taken last: index into StageOptions::all()
    std::uint32_t state = 0;        ///< devices left
    std::int32_t layers = 0;        ///< left, of a round
    std::int32_t stages = 0;
    char32_t source = 0;          ///< Move::source
    std::uint32_t dominated = 0;  ///< by how many different ones
};

/// The partial plans of one search.
class PartialPlans {
public:
    /// `keep` is k. `count_must_agree`: plans of different numbers of stages are not compared.
    PartialPlans(std::uint32_t keep, bool count_must_agree);

    [[nodiscard]] const PartialPlan& operator[](std::uint32_t index) const { return plans_[index]; }
    /// Puts in the plan without stages.
    std::uint32_t add_first(std::uint32_t state, std::int32_t layers);
    /// Adds to a list of plans of the same state and layers, unless it is superfluous, and takes
    /// out what has become so. Returns whether it was added.
    bool add(const PartialPlan& plan, std::vector<std::uint32_t>& list);

    [[nodiscard]] std::size_t size() const { return plans_.size(); }

private:
    [[nodiscard]] bool is_nowhere_worse(const PartialPlan& a, const PartialPlan& b) const;
    /// But for rounding: whatever comes before them costs the same with both.
    [[nodiscard]] static bool are_alike(const PartialPlan& a, const PartialPlan& b);

    std::uint32_t keep_;
    bool count_must_agree_;
    std::vector<PartialPlan> plans_;
};

}  // namespace npunet::planner
