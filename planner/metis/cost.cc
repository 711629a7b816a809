#include "planner/metis/cost.h"

#include <algorithm>

namespace npunet::planner::metis {

namespace {

/// Bytes that a stage sends on. After the last but one layer Metis takes logits.
double activation(const SearchTables& tables, const PlanStages& stages, std::size_t stage,
                  std::size_t end) {
    const Arguments& arguments = tables.arguments();
    const auto positions =
        static_cast<double>(tables.micro_batch(stages.batches(), stages.log_dp()[stage])) *
        static_cast<double>(arguments.sequence_length);
    if (static_cast<std::int64_t>(end) == arguments.num_layers - 1) {
        return positions * static_cast<double>(arguments.vocab_size) /
               static_cast<double>(std::int64_t{1} << stages.log_tp(stage));
    }
    return positions * static_cast<double>(arguments.hidden_size);
}

/// Bytes of a stage's parameters on a device. The number of layers between may come out below 0.
double parameters(const SearchTables& tables, std::size_t log_tp, std::size_t first,
                  std::size_t end) {
    const SearchTables::Shares& shares = tables.shares(log_tp);
    auto between = static_cast<std::int64_t>(end) - static_cast<std::int64_t>(first);
    double bytes = 0;
    if (first == 0) {
        bytes += shares.input_bytes;
        --between;
    }
    if (static_cast<std::int64_t>(end) == tables.arguments().num_layers) {
        bytes += shares.output_bytes;
        --between;
    }
    return bytes + shares.transformer_bytes * static_cast<double>(between);
}

}  // namespace

bool cost_of(PlanStages& stages, const SearchTables& tables, std::size_t costed,
             const std::vector<std::uint16_t>& bounds, CostParts& parts) {
    const std::size_t last = costed - 1;
    const auto batches = static_cast<double>(tables.batches()[stages.batches()]);
    const double* const fb_sync = stages.fb_sync(last);
    if (fb_sync == nullptr) {
        return false;
    }
    parts = {};
    double slowest = 0;
    double sum = 0;
    for (std::size_t s = 0; s < costed; ++s) {
        if (stages.unprofiled(s)) {
            return false;
        }
        const std::size_t first = bounds[s];
        const std::size_t end = bounds[s + 1];
        const double time = stages.execution(s, first, end);
        slowest = std::max(slowest, time);
        sum += time;
        if (s != last) {
            parts.pipeline_ms += activation(tables, stages, s, end) / stages.pipeline_bandwidth(s);
        }
        const std::size_t log_tp = stages.log_tp(s);
        const double gradients = stages.gradient_factor(s) * parameters(tables, log_tp, first, end);
        const double optimizer =
            tables.shares(log_tp).optimizer_ms * tables.part_of_layers(end - first);
        // The amounts of an empty stage may be below 0.
        parts.gradients_ms = s == 0 ? gradients : std::max(parts.gradients_ms, gradients);
        parts.optimizer_ms = std::max(parts.optimizer_ms, optimizer);
    }
    parts.execution_ms = (batches - 1) * slowest + sum;
    parts.fb_sync_ms = *fb_sync * batches;
    parts.batch_generator_ms = tables.profiles().first().batch_generator_ms * batches;
    return true;
}

}  // namespace npunet::planner::metis
