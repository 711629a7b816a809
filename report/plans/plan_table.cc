#include "report/plans/plan_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/printable.h"
#include "report/text_table.h"

namespace npunet::report {

namespace {

constexpr double visible_ms = 5e-5;

std::string joined(const std::vector<std::string>& items, const char* separator) {
    return fmt::format("{}", fmt::join(items, separator));
}

std::vector<std::string> texts_of(const std::vector<std::int64_t>& numbers) {
    std::vector<std::string> texts;
    texts.reserve(numbers.size());
    for (const std::int64_t number : numbers) {
        texts.push_back(std::to_string(number));
    }
    return texts;
}

std::vector<std::string> strategies_of(const RankedPlan& plan) {
    std::vector<std::string> texts;
    texts.reserve(plan.strategies.size());
    for (const auto& [dp, tp] : plan.strategies) {
        texts.push_back(fmt::format("{}x{}", dp, tp));
    }
    return texts;
}

std::vector<std::string> layers_of(const RankedPlan& plan) {
    std::vector<std::string> texts;
    for (std::size_t i = 1; i < plan.layer_partition.size(); ++i) {
        texts.push_back(std::to_string(plan.layer_partition[i] - plan.layer_partition[i - 1]));
    }
    return texts;
}

/// Of the stage that is fullest: "83%"; "-" where that is not known.
std::string memory_of(const RankedPlan& plan) {
    double fullest = -1;
    for (std::size_t i = 0; i < std::min(plan.memory_mb.size(), plan.capacity_mb.size()); ++i) {
        fullest = std::max(fullest, plan.memory_mb[i] / plan.capacity_mb[i]);
    }
    return fullest < 0 ? "-" : fmt::format("{:.1f}%", 100 * fullest);
}

bool any_schedule(const RankedPlans& ranked) {
    return std::any_of(ranked.plans.begin(), ranked.plans.end(),
                       [](const RankedPlan& plan) { return !plan.schedule.empty(); });
}

std::string schedule_of(const RankedPlan& plan) {
    return plan.chunks > 1 ? fmt::format("{} x{}", plan.schedule, plan.chunks) : plan.schedule;
}

TextTable table_of(const RankedPlans& ranked) {
    const bool schedules = any_schedule(ranked);
    std::vector<std::string> heading{"rank", "types", "devices", "dp x tp", "layers"};
    if (schedules) {
        heading.emplace_back("schedule");
    }
    const std::size_t text_columns = heading.size();
    heading.insert(heading.end(), {"batches", "memory", "cost (ms)"});
    const bool simulated = !ranked.plans.empty() && ranked.plans.front().simulated_ms >= 0;
    if (simulated) {
        heading.emplace_back("simulated (ms)");
    }
    for (const auto& [name, ms] : ranked.plans.front().parts) {
        heading.push_back(name);
    }
    TextTable table(heading, text_columns);
    for (std::size_t i = 0; i < ranked.plans.size(); ++i) {
        const RankedPlan& plan = ranked.plans[i];
        std::vector<std::string> row{std::to_string(i + 1), joined(plan.node_sequence, ","),
                                     runs_of(texts_of(plan.device_groups)),
                                     runs_of(strategies_of(plan)), runs_of(layers_of(plan))};
        if (schedules) {
            row.push_back(schedule_of(plan));
        }
        row.insert(row.end(), {std::to_string(plan.batches), memory_of(plan),
                               fmt::format("{:.4f}", plan.cost_ms)});
        if (simulated) {
            row.push_back(plan.simulated_ms < 0 ? "-" : fmt::format("{:.4f}", plan.simulated_ms));
        }
        for (const auto& [name, ms] : plan.parts) {
            row.push_back(fmt::format("{:.4f}", ms));
        }
        table.add(std::move(row));
    }
    return table;
}

/// Why the first plan is before the second, by the parts of their costs.
std::string comparison_of(const RankedPlan& first, const RankedPlan& second) {
    std::string text =
        fmt::format("Plan 1 takes {:.4f} ms less than plan 2", second.cost_ms - first.cost_ms);
    const char* separator = ": ";
    for (std::size_t i = 0; i < std::min(first.parts.size(), second.parts.size()); ++i) {
        const double difference = first.parts[i].second - second.parts[i].second;
        if (std::abs(difference) >= visible_ms) {
            text += fmt::format("{}{} {:+.4f}", separator, first.parts[i].first, difference);
            separator = ", ";
        }
    }
    return text + ".\n";
}

std::string devices_of(const PlannedStage& stage) {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < stage.shares.size();) {
        const PlannedStage::Share& share = stage.shares[i];
        // A run of whole or equal shares of nodes that follow each other.
        std::size_t end = i + 1;
        while (end < stage.shares.size() &&
               stage.shares[end].node == stage.shares[end - 1].node + 1 &&
               stage.shares[end].type == share.type && stage.shares[end].devices == share.devices) {
            ++end;
        }
        const std::string nodes =
            end - i > 1 ? fmt::format("nodes {}-{}", share.node, stage.shares[end - 1].node)
                        : fmt::format("node {}", share.node);
        texts.push_back(fmt::format(
            "{}: {} {}", nodes, share.devices * static_cast<std::int64_t>(end - i), share.type));
        i = end;
    }
    return joined(texts, ", ");
}

/// Of the first plan.
std::string stages_of(const RankedPlan& plan) {
    TextTable table(
        {"stage", "devices", "dp x tp", "layers", "micro-batch", "computing (ms)", "transfers (ms)",
         "gradients (ms)", "optimizer (ms)", "memory (GiB)", "of (GiB)"},
        4);
    constexpr double mib_per_gib = 1024;
    for (std::size_t s = 0; s < plan.stages.size(); ++s) {
        const PlannedStage& stage = plan.stages[s];
        const std::int64_t last = stage.first_layer + stage.layers - 1;
        table.add({std::to_string(s), devices_of(stage), fmt::format("{}x{}", stage.dp, stage.tp),
                   stage.layers == 1 ? fmt::format("{}", last)
                                     : fmt::format("{}-{}", stage.first_layer, last),
                   std::to_string(stage.micro_batch),
                   fmt::format("{:.4f}", stage.computing_ms + stage.tensor_ms),
                   fmt::format("{:.4f}", stage.transfer_ms),
                   fmt::format("{:.4f}", stage.gradients_ms),
                   fmt::format("{:.4f}", stage.optimizer_ms),
                   fmt::format("{:.2f}", stage.memory_mb / mib_per_gib),
                   fmt::format("{:.2f}", stage.capacity_mb / mib_per_gib)});
    }
    const std::string rounds = plan.chunks > 1
                                   ? fmt::format(", layers of the first of {} rounds", plan.chunks)
                                   : std::string();
    return fmt::format("Plan 1, of a micro-batch{} (gradients and optimizer: of a step):\n{}\n",
                       rounds, table.text());
}

std::string summary_of(const RankedPlans& ranked) {
    std::string text =
        fmt::format("{} steps, {} {} costed, {:.3f} ms", ranked.steps, ranked.plans_costed,
                    ranked.plans_costed == 1 ? "plan" : "plans", ranked.average_ms());
    if (ranked.trial_ms.size() > 1) {
        text += fmt::format(" on average of {} trials", ranked.trial_ms.size());
    }
    return text + ".\n";
}

}  // namespace

std::string runs_of(const std::vector<std::string>& items) {
    std::string text;
    for (std::size_t i = 0; i < items.size();) {
        std::size_t end = i;
        while (end < items.size() && items[end] == items[i]) {
            ++end;
        }
        text += text.empty() ? "" : " ";
        text += end - i > 1 ? fmt::format("{}*{}", end - i, items[i]) : items[i];
        i = end;
    }
    return text;
}

std::string plan_table(const RankedPlans& ranked) {
    std::string text;
    if (!ranked.plans.empty()) {
        text = table_of(ranked).text() + "\n";
    }
    if (ranked.plans.size() > 1) {
        text += comparison_of(ranked.plans[0], ranked.plans[1]);
    }
    if (!ranked.plans.empty() && !ranked.plans.front().stages.empty()) {
        text += '\n';
        text += stages_of(ranked.plans.front());
    }
    for (std::size_t i = 0; i < ranked.plans.size(); ++i) {
        for (const std::string& note : ranked.plans[i].notes) {
            text += fmt::format("Plan {}: {}\n", i + 1, printable(note));
        }
    }
    text += summary_of(ranked);
    for (const std::string& note : ranked.notes) {
        text += printable(note) + "\n";
    }
    return text;
}

}  // namespace npunet::report
