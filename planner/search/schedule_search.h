// The search among the plans of one number of micro-batches, one number of chunks, and, for
// interleaved plans, one number of stages.
//
//     ScheduleSearch search(problem, sets, {8, 1, 0}, keep);
//     search.run(best, {});
//
// Partial plans are extended from the end of the pipeline to its start, those with most layers left
// first, so that a list of partial plans is complete when its turn comes. One is cut off when even
// the least that its rest can cost (bounds.h) makes it worse than the k best plans known.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <set>
#include <unordered_map>
#include <vector>

#include "planner/search/best_plans.h"
#include "planner/search/bounds.h"
#include "planner/search/device_states.h"
#include "planner/search/partial_plans.h"
#include "planner/search/problem.h"
#include "planner/search/stage_options.h"
#include "planner/search/stage_sets.h"

namespace npunet::planner {

struct ScheduleChoice {
    std::int64_t micro_batches = 1;
    std::int64_t chunks = 1;
    std::int64_t stages = 0;  ///< interleaved: S; 1F1B: 0, any number
};

/// What a search did.
struct SearchCounts {
    std::uint64_t extended = 0;       ///< stages put before partial plans
    std::uint64_t cut_off = 0;        ///< of those, by bounds
    std::uint64_t superfluous = 0;    ///< of those, since others are nowhere worse
    std::uint64_t out_of_memory = 0;  ///< of those
    std::uint64_t plans_costed = 0;   ///< complete plans

    SearchCounts& operator+=(const SearchCounts& other);
};

class ScheduleSearch {
public:
    ScheduleSearch(const Problem& problem, const std::vector<StageSet>& sets,
                   const ScheduleChoice& choice, std::size_t keep);

    /// Some node has no place in any plan of this choice, or there are too few layers to give every
    /// device some.
    [[nodiscard]] bool is_impossible() const { return impossible_; }
    /// At least what any of these plans costs.
    [[nodiscard]] double least_ms() const;

    struct Limits {
        /// Of the partial plans with the same number of layers left only so many are extended,
        /// those with the least bounds: not exact, but quick. 0: all.
        std::size_t width = 0;
        /// Only stages of whole nodes of one class, and of parts alone.
        bool simple_stages = false;
        /// Only whether there is a plan that fits: times count as nothing.
        bool ignore_times = false;
        /// The search ends early once this says so; empty: never.
        std::function<bool()> stop;
    };
    /// Adds the best plans to `best`, and prunes by those that are in it.
    void run(BestPlans& best, const Limits& limits);

    [[nodiscard]] const SearchCounts& counts() const { return counts_; }
    /// The least bound of what was cut off: below it there is nothing but what was found. Infinite
    /// when nothing was cut off.
    [[nodiscard]] double least_cut_off_ms() const { return least_cut_off_ms_; }
    [[nodiscard]] const std::set<MissingProfile>& missing() const { return options_.missing(); }

private:
    using List = std::vector<std::uint32_t>;  // of partial plans
    /// The lists of one number of layers left, in the order in which their states came.
    struct Layer {
        std::vector<List> lists;
        std::unordered_map<std::uint64_t, std::size_t> index;  // looked up only
    };

    /// `moves`: of the plan's state.
    void extend(std::uint32_t plan, const std::vector<Move>& moves, BestPlans& best);
    void extend_by(std::uint32_t plan, const Move& move, const StageOption& option,
                   BestPlans& best);
    void place(const PartialPlan& plan, double bound_of_rest, BestPlans& best);
    void complete(const PartialPlan& plan, BestPlans& best);
    [[nodiscard]] std::vector<std::uint32_t> to_extend(std::int32_t layers,
                                                       std::size_t width) const;
    [[nodiscard]] double round_trip_ms(const PartialPlan& plan, const Move& move,
                                       const StageOption& option) const;
    [[nodiscard]] double wrap_ms(const PartialPlan& plan, const Move& move,
                                 const StageOption& option) const;
    /// At least what the step costs.
    [[nodiscard]] double bound_ms(const PartialPlan& plan) const;
    [[nodiscard]] double step_ms(double longest, double sum, double update) const;
    void use_sets(bool simple_stages);
    void check_memory() const;
    [[nodiscard]] const std::vector<double>& capacities_of(std::uint32_t state) const;
    /// Counts a partial plan of that bound as cut off when it is above the limit.
    [[nodiscard]] bool is_cut_off(double bound, const BestPlans& best);
    /// Each class of nodes is in a set that can hold some layer.
    [[nodiscard]] bool all_classes_fit() const;
    [[nodiscard]] bool holds_some_layer(const StageOption& option) const;
    [[nodiscard]] bool count_fits(const PartialPlan& plan) const;
    [[nodiscard]] Plan plan_of(const PartialPlan& last) const;

    const Problem& problem_;
    const std::vector<StageSet>& sets_;
    ScheduleChoice choice_;
    StageOptions options_;
    Bounds bounds_;
    DeviceStates states_;
    PartialPlans plans_;
    std::vector<std::uint32_t> used_sets_;                 ///< those with options
    std::vector<std::uint32_t> options_begin_;             ///< by set, into options_.all()
    mutable std::vector<std::vector<double>> capacities_;  ///< by state, where they were asked for
    std::vector<Layer> layers_;                            ///< by layers left
    double weight_of_longest_ = 0;                         ///< m - 1/v
    double weight_of_sum_ = 1;                             ///< 1/v
    std::int64_t most_devices_ = 0;                        ///< of a stage
    bool impossible_ = false;
    bool ignores_times_ = false;
    SearchCounts counts_;
    double least_cut_off_ms_ = std::numeric_limits<double>::infinity();
};

}  // namespace npunet::planner
