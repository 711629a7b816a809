// How a stage may work for a given number of micro-batches and chunks: its devices, (dp, tp), and
// what that costs for any range of layers.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "planner/search/plan_cost.h"
#include "planner/search/problem.h"
#include "planner/search/stage_sets.h"

namespace npunet::planner {

/// What ranges of layers [first, end) of a round cost a stage, of every round together.
struct RangeTable {
    std::vector<double> computing_ms;
    /// The most chunks in flight that fit; 0: the layers do not.
    std::vector<std::int32_t> most_in_flight;
};

struct StageOption {
    std::uint32_t set = 0;    ///< index into the sets
    std::uint32_t table = 0;  ///< index into StageOptions::tables()
    std::int32_t tp = 1;
    std::int32_t dp = 1;
    std::int64_t batch = 1;
    double tensor_ms = 0;           ///< for each layer of a round, of all rounds
    double side_ms = 0;             ///< one way over its nodes
    double inside_ms = 0;           ///< one way inside a node; a part only
    double update_ms_per_byte = 0;  ///< gradients and optimizer
    double update_ms = 0;
};

/// A type, a tensor-parallel degree and a micro-batch size without profile.
using MissingProfile = std::tuple<std::size_t, std::int64_t, std::int64_t>;

class StageOptions {
public:
    StageOptions(const Problem& problem, const std::vector<StageSet>& sets,
                 std::int64_t micro_batches, std::int64_t chunks);

    [[nodiscard]] std::int64_t micro_batches() const { return micro_batches_; }
    [[nodiscard]] std::int64_t chunks() const { return chunks_; }
    [[nodiscard]] std::int64_t round_layers() const { return round_layers_; }

    /// By set; a set's options stand together.
    [[nodiscard]] const std::vector<StageOption>& all() const { return options_; }
    [[nodiscard]] const RangeTable& table(const StageOption& option) const {
        return tables_[option.table];
    }
    /// Where [first, end) stands in a table.
    [[nodiscard]] std::size_t at(std::int64_t first, std::int64_t end) const {
        return static_cast<std::size_t>(first * (round_layers_ + 1) + end);
    }
    /// Bytes of the parameters of [0, layer) of every round.
    [[nodiscard]] double parameters_before(std::int64_t layer) const {
        return parameters_[static_cast<std::size_t>(layer)];
    }
    /// Stages that were left out since these have no profile.
    [[nodiscard]] const std::set<MissingProfile>& missing() const { return missing_; }

private:
    /// The types of a set, each with the least memory of its nodes.
    using Devices = std::vector<std::pair<std::size_t, double>>;

    void add_options_of(const Problem& problem, const std::vector<StageSet>& sets,
                        std::uint32_t index);
    [[nodiscard]] bool has_profiles(const Problem& problem, const Devices& devices, std::int64_t tp,
                                    std::int64_t batch);
    [[nodiscard]] std::uint32_t table_of(const Problem& problem, const Devices& devices,
                                         std::int64_t tp, std::int64_t batch);
    [[nodiscard]] RangeTable make_table(const Problem& problem, const Devices& devices,
                                        std::int64_t tp, std::int64_t batch) const;

    std::int64_t micro_batches_;
    std::int64_t chunks_;
    std::int64_t round_layers_;
    std::vector<StageOption> options_;
    std::vector<RangeTable> tables_;
    std::map<std::tuple<Devices, std::int64_t, std::int64_t>, std::uint32_t> table_index_;
    std::vector<double> parameters_;
    std::set<MissingProfile> missing_;
};

}  // namespace npunet::planner
