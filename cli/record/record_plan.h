// The plan of a recorded program, where the user tells it: which ranks do the same work, and what
// stands beside logs of Megatron-LM's form.
//
//     RecordPlanOptions options;
//     options.add_to(command);
//     if (const auto plan = options.plan(16)) ...     // --tp 2 --pp 2: dp 4
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "generators/megatron/groups/process_groups.h"
#include "generators/megatron/program/training_run.h"

namespace npunet::cli {

/// Which rank is recorded in place of each, and which others are recorded to check that.
struct ToldRanks {
    std::vector<std::int32_t> as_rank;
    std::vector<std::int32_t> probes;
};

/// Ranks of a stage of the pipeline do the same: the first of each stands for them. Probes: in the
/// first stage the last rank along each other dimension, and the last rank of all.
[[nodiscard]] ToldRanks told_ranks(const generators::megatron::Parallelism& plan);

class RecordPlanOptions {
public:
    /// This object must outlive `command`.
    void add_to(CLI::App& command);

    /// Nothing where no option of the plan is given; dp follows. Throws InputError for sizes that
    /// do not multiply to `ranks`.
    [[nodiscard]] std::optional<generators::megatron::Parallelism> plan(std::int64_t ranks) const;

    /// Refuses a plan without --tp, --cp, --dp and --pp, the sizes that tell which ranks do the
    /// same work. Throws InputError.
    void require_sizes() const;

    /// Whether logs of Megatron-LM's form are asked for.
    [[nodiscard]] bool writes_logs() const { return !model_.empty(); }
    /// What stands beside them. Throws InputError for what is missing or impossible.
    [[nodiscard]] generators::megatron::TrainingRun run(std::int64_t ranks) const;

private:
    std::optional<std::int64_t> tp_;
    std::optional<std::int64_t> cp_;
    std::optional<std::int64_t> dp_;
    std::optional<std::int64_t> pp_;
    std::optional<std::int64_t> ep_;
    std::string rank_order_;
    std::string model_;
    std::optional<std::int64_t> micro_batches_;
    std::optional<std::int64_t> global_batch_size_;
};

}  // namespace npunet::cli
