#include "report/plan_log.h"

#include <fmt/format.h>

#include "base/json_writer.h"

namespace npunet::report {

PlanLog::PlanLog(std::ostream& out, double average_ms, std::uint64_t steps) : out_(out) {
    out_ << fmt::format("average time: {} ms\n", shortest(average_ms))
         << fmt::format("count: {}\n", steps)
         << "rank, cost, node_sequence, device_groups, strategies(dp_deg, tp_deg), batches(number "
            "of batch), layer_partition\n";
}

void PlanLog::add(const RankedPlan& plan) {
    std::string strategies;
    for (const auto& [dp, tp] : plan.strategies) {
        strategies += fmt::format("{}({}, {})", strategies.empty() ? "" : ", ", dp, tp);
    }
    // A Python tuple of one has a comma behind it.
    const char* end = plan.node_sequence.size() == 1 ? "," : "";
    out_ << fmt::format("{}, {}, ({}{}), [{}], [{}], {}, [{}]\n", ++rank_, shortest(plan.cost_ms),
                        fmt::join(plan.node_sequence, ", "), end,
                        fmt::join(plan.device_groups, ", "), strategies, plan.batches,
                        fmt::join(plan.layer_partition, ", "));
}

}  // namespace npunet::report
