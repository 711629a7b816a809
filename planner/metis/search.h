// Metis's search for a plan on a heterogeneous cluster, as its program does it: the same plans in
// the same order with the same costs to the last bit, and the same number of steps. What the
// original gets wrong is kept (docs/planner.md); the search of the default dialect does not.
//
//     const Inputs inputs = read_inputs("hostfile", "clusterfile.json", "profile");
//     Arguments arguments;
//     arguments.num_layers = 10; ...
//     const SearchResult result = search(inputs, arguments);
//     result.steps();                                   // 612
//     for (const std::size_t number : result.best(10)) { print(result.plan(number)); }
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "planner/metis/arguments.h"
#include "planner/metis/cost.h"
#include "planner/metis/plan_block.h"
#include "planner/metis/search_tables.h"

namespace npunet::planner::metis {

struct Plan {
    double cost_ms = 0;
    CostParts parts;
    std::vector<std::string> node_sequence;
    std::vector<std::int64_t> device_groups;
    std::vector<std::pair<std::int64_t, std::int64_t>> strategies;  ///< dp and tp of each stage
    std::int64_t batches = 0;                                       ///< micro-batches
    std::vector<std::int64_t> layer_partition;  ///< from 0; the last may be below the layers
    int attempts = 0;                           ///< divisions of the layers until one fitted
    std::int64_t costed_stages = 0;             ///< so many are in the cost
    std::vector<double> memory_mb;              ///< of a stage, by Metis's estimate, in MiB
    std::vector<double> capacity_mb;            ///< of all devices of a stage, in MiB
};

class SearchResult {
public:
    explicit SearchResult(std::shared_ptr<const SearchTables> tables)
        : tables_(std::move(tables)) {}

    [[nodiscard]] std::uint64_t steps() const { return steps_; }
    [[nodiscard]] std::uint64_t plans_costed() const { return costed_; }
    /// Plans that got no cost: a batch beyond the largest profiled one, no time between the passes.
    [[nodiscard]] std::uint64_t plans_dropped() const { return dropped_; }
    [[nodiscard]] std::uint64_t inter_stage_plans() const { return inter_stage_plans_; }
    /// The progress function asked to stop: only a part was searched.
    [[nodiscard]] bool stopped() const { return stopped_; }

    /// Plans that were kept, 0 to size() - 1 in the order in which they were found.
    [[nodiscard]] std::size_t size() const;
    [[nodiscard]] double cost(std::size_t number) const;
    [[nodiscard]] Plan plan(std::size_t number) const;
    /// Numbers of the plans of least cost, the first found first among equals; at most `count`.
    [[nodiscard]] std::vector<std::size_t> best(std::size_t count) const;

private:
    friend class Search;
    struct Place {
        const PlanBlock* block;
        const KeptPlan* plan;
    };
    [[nodiscard]] Place place_of(std::size_t number) const;

    void add(PlanBlock block);
    /// Forgets all but the best.
    void keep_best(std::size_t count);

    std::shared_ptr<const SearchTables> tables_;
    std::vector<PlanBlock> blocks_;
    std::vector<std::size_t> ends_;  ///< numbers of the plans behind each block
    std::uint64_t steps_ = 0;
    std::uint64_t costed_ = 0;
    std::uint64_t dropped_ = 0;
    std::uint64_t inter_stage_plans_ = 0;
    bool stopped_ = false;
};

/// Throws InputError where the original would die or never end: a profile that a plan needs is
/// missing, the devices are no power of two, nodes are smaller than the first, and the like.
[[nodiscard]] SearchResult search(const Inputs& inputs, const Arguments& arguments,
                                  const Progress& progress = {});

}  // namespace npunet::planner::metis
