#include "report/plans/plan_output.h"

#include <fmt/format.h>

#include "base/json_writer.h"
#include "report/results/csv.h"

namespace npunet::report {

namespace {

using Layout = JsonWriter::Layout;

template <class Values>
void write_list(JsonWriter& json, const char* name, const Values& values) {
    json.key(name).begin_array();
    for (const auto& value : values) {
        json.value(value);
    }
    json.end_array();
}

void write_stages(JsonWriter& json, const std::vector<PlannedStage>& stages) {
    json.key("stages").begin_array(Layout::Lines);
    for (const PlannedStage& stage : stages) {
        json.begin_object();
        json.key("devices").begin_array();
        for (const PlannedStage::Share& share : stage.shares) {
            json.begin_object()
                .member("node", static_cast<std::int64_t>(share.node))
                .member("type", share.type)
                .member("first", share.first)
                .member("count", share.devices)
                .end_object();
        }
        json.end_array();
        json.member("dp", stage.dp).member("tp", stage.tp);
        json.member("micro_batch", stage.micro_batch);
        json.member("first_layer", stage.first_layer).member("layers", stage.layers);
        json.member("computing_ms", stage.computing_ms).member("tensor_ms", stage.tensor_ms);
        json.member("transfer_ms", stage.transfer_ms).member("gradients_ms", stage.gradients_ms);
        json.member("optimizer_ms", stage.optimizer_ms);
        json.member("memory_mb", stage.memory_mb).member("capacity_mb", stage.capacity_mb);
        json.end_object();
    }
    json.end_array();
}

void write_plan(JsonWriter& json, const RankedPlan& plan) {
    json.begin_object(Layout::Lines);
    json.member("cost_ms", plan.cost_ms);
    write_list(json, "node_sequence", plan.node_sequence);
    write_list(json, "device_groups", plan.device_groups);
    json.key("strategies").begin_array();
    for (const auto& [dp, tp] : plan.strategies) {
        json.begin_array().value(dp).value(tp).end_array();
    }
    json.end_array();
    json.member("batches", plan.batches);
    write_list(json, "layer_partition", plan.layer_partition);
    write_list(json, "memory_mb", plan.memory_mb);
    write_list(json, "capacity_mb", plan.capacity_mb);
    if (!plan.schedule.empty()) {
        json.member("schedule", plan.schedule);
        json.member("chunks", plan.chunks);
    }
    json.key("parts_ms").begin_object();
    for (const auto& [name, ms] : plan.parts) {
        json.member(name, ms);
    }
    json.end_object();
    if (!plan.stages.empty()) {
        write_stages(json, plan.stages);
    }
    if (plan.simulated_ms >= 0) {
        json.member("simulated_ms", plan.simulated_ms);
        json.member("link_bound_ms", plan.link_bound_ms);
    }
    write_list(json, "notes", plan.notes);
    json.end_object();
}

/// "16 8": one field.
template <class Values>
std::string field(const Values& values) {
    return csv_field(fmt::format("{}", fmt::join(values, " ")));
}

/// Names of device types, unescaped in Metis's format.
std::string types_field(const RankedPlans& ranked, const RankedPlan& plan) {
    return ranked.dialect == "metis"
               ? plain_csv_field(fmt::format("{}", fmt::join(plan.node_sequence, " ")))
               : field(plan.node_sequence);
}

std::string numbers_field(const std::vector<double>& values) {
    std::vector<std::string> texts;
    texts.reserve(values.size());
    for (const double value : values) {
        texts.push_back(shortest(value));
    }
    return field(texts);
}

std::string strategies_field(const RankedPlan& plan) {
    std::vector<std::string> texts;
    texts.reserve(plan.strategies.size());
    for (const auto& [dp, tp] : plan.strategies) {
        texts.push_back(fmt::format("{}x{}", dp, tp));
    }
    return field(texts);
}

}  // namespace

std::string plans_json(const RankedPlans& ranked) {
    JsonWriter json;
    json.begin_object(Layout::Lines);
    json.member("dialect", ranked.dialect);
    json.member("strategy", ranked.strategy);
    json.member("steps", ranked.steps);
    json.member("plans_costed", ranked.plans_costed);
    for (const auto& [name, value] : ranked.counts) {
        json.member(name, value);
    }
    json.key("plans").begin_array(Layout::Lines);
    for (const RankedPlan& plan : ranked.plans) {
        write_plan(json, plan);
    }
    json.end_array();
    write_list(json, "notes", ranked.notes);
    json.key("performance").begin_object();
    json.member("average_ms", ranked.average_ms());
    write_list(json, "trial_ms", ranked.trial_ms);
    json.end_object();
    json.end_object();
    return json.text() + "\n";
}

std::string plans_csv(const RankedPlans& ranked) {
    std::string csv =
        "rank,cost_ms,node_sequence,device_groups,strategies,batches,layer_partition,memory_mb,"
        "capacity_mb,schedule,chunks";
    if (!ranked.plans.empty()) {
        for (const auto& [name, ms] : ranked.plans.front().parts) {
            csv += fmt::format(",{}", csv_field(name + "_ms"));
        }
    }
    const bool simulated = !ranked.plans.empty() && ranked.plans.front().simulated_ms >= 0;
    csv += simulated ? ",simulated_ms,link_bound_ms\n" : "\n";
    for (std::size_t i = 0; i < ranked.plans.size(); ++i) {
        const RankedPlan& plan = ranked.plans[i];
        csv += fmt::format("{},{},{},{},{},{},{},{},{},{},{}", i + 1, shortest(plan.cost_ms),
                           types_field(ranked, plan), field(plan.device_groups),
                           strategies_field(plan), plan.batches, field(plan.layer_partition),
                           numbers_field(plan.memory_mb), numbers_field(plan.capacity_mb),
                           csv_field(plan.schedule), plan.chunks);
        for (const auto& [name, ms] : plan.parts) {
            csv += fmt::format(",{}", shortest(ms));
        }
        if (simulated) {
            csv += plan.simulated_ms < 0 ? ",,"
                                         : fmt::format(",{},{}", shortest(plan.simulated_ms),
                                                       shortest(plan.link_bound_ms));
        }
        csv += '\n';
    }
    return csv;
}

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
