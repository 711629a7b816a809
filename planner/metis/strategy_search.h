// The search for strategies within one inter-stage plan: from pure data parallelism, stage after
// stage turns half its dp into tp, until a division of the layers fits the memory at once.
//
// A "step" is a change of strategy or a further division of the layers; steps after the last plan
// that fits do not count, as in the original.
//
//     StrategySearch search(tables);
//     search.arrange(visit, logs, stages);
//     for (std::size_t b = 0; b < tables.batches().size(); ++b) { search.run(b, found); }
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "planner/metis/cost.h"
#include "planner/metis/division_cache.h"
#include "planner/metis/inter_stage.h"
#include "planner/metis/layer_balancer.h"
#include "planner/metis/memory_adjustment.h"
#include "planner/metis/mixed_stages.h"
#include "planner/metis/plan_block.h"
#include "planner/metis/plan_stages.h"

namespace npunet::planner::metis {

/// What a part of the search found.
struct Found {
    PlanBlock plans;
    std::uint64_t steps = 0;
    std::uint64_t costed = 0;   ///< plans with a cost, kept or not
    std::uint64_t dropped = 0;  ///< plans without, for a key that Metis does not find
};

class StrategySearch {
public:
    /// The tables must outlive this.
    explicit StrategySearch(const SearchTables& tables);

    /// `logs` must outlive the runs.
    void arrange(const Visit& visit, const std::uint8_t* logs, std::size_t stages);

    /// Plans that cost `limit` or more are counted, but not kept.
    void run(std::size_t batches, Found& found,
             double limit = std::numeric_limits<double>::infinity());

private:
    enum class Keys { LargestDp, Last, First };

    void start(std::size_t batches);
    bool advance();
    [[nodiscard]] std::size_t stage_of_largest_dp();
    [[nodiscard]] std::size_t stage_to_split();
    [[nodiscard]] bool too_much_for_profiles(std::size_t stage) const;
    [[nodiscard]] bool without_samples(std::size_t stage) const;
    int divide_layers(std::uint64_t& steps);
    void find_headroom();
    void take_costs(int attempts, Found& found, double limit);

    const SearchTables* tables_;
    MixedStages mixed_;
    PlanStages stages_;
    LayerBalancer balancer_;
    DivisionCache division_cache_;
    MemoryAdjustment adjustment_;
    Visit visit_;
    const std::uint8_t* logs_ = nullptr;
    bool group_begun_ = false;

    bool hopeless_ = false;     ///< a stage is beyond the profiles, and its tp only grows
    std::size_t waiting_ = 0;   ///< stages with more replicas than samples
    std::uint8_t largest_ = 0;  ///< logarithm of the largest dp, or above it
    std::size_t largest_at_ = 0;
    Keys keys_ = Keys::LargestDp;
    std::vector<double> headroom_;
    std::vector<double> first_headroom_;
    std::vector<double> performance_;
    std::vector<double> demand_;
    std::vector<std::uint16_t> counts_;
    std::vector<std::uint16_t> bounds_;
};

}  // namespace npunet::planner::metis
