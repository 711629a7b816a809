#include "study/steps/step_ledger.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/errors.h"
#include "base/thread_pool.h"

namespace npunet::study {

namespace {

using engine::StackProfile;
using Rows = std::vector<const StepLedgerRow*>;

/// Everything that a prediction depends on.
std::string plan_text(const MeasuredStep& step) {
    const generators::ModelSpec& model = step.model;
    const generators::Plan& plan = step.plan;
    return fmt::format(
        "{} {} {} {} | {} {} {} {} {} {} {} | {} {} {} {} {} {} {} | {} {} {} | {} {} {} {} {} {}",
        step.device, step.stack, step.fp8, model.name, model.layers, model.hidden, model.heads,
        model.kv_heads, model.ffn, model.vocab, model.gated, plan.dp, plan.tp, plan.pp, plan.cp,
        plan.ep, plan.vpp, plan.batch, plan.micro_batch, plan.sequence, plan.zero,
        plan.sequence_parallel, static_cast<int>(plan.recompute), model.dtypes.gradients,
        step.domain, step.intra_gb_s, step.inter_gb_s);
}

/// Kendall's tau-b.
std::optional<double> tau_of(const std::vector<std::pair<double, double>>& pairs) {
    double agree = 0;
    double x_ties = 0;
    double y_ties = 0;
    double all = 0;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            const double x = pairs[i].first - pairs[j].first;
            const double y = pairs[i].second - pairs[j].second;
            all += 1;
            x_ties += x == 0 ? 1 : 0;
            y_ties += y == 0 ? 1 : 0;
            agree += x * y > 0 ? 1 : x * y < 0 ? -1 : 0;
        }
    }
    const double scale = std::sqrt((all - x_ties) * (all - y_ties));
    return scale > 0 ? std::optional(agree / scale) : std::nullopt;
}

StepSummary summary_of(const std::string& name, const Rows& rows) {
    StepSummary summary;
    summary.name = name;
    summary.rows = rows.size();
    std::vector<std::pair<double, double>> rates;
    for (const StepLedgerRow* row : rows) {
        if (!row->step.skipped.empty()) {
            continue;
        }
        ++summary.answered;
        summary.mean += std::abs(row->error_percent);
        summary.bias += row->error_percent;
        summary.most = std::max(summary.most, std::abs(row->error_percent));
        const double work = row->step.tokens() *
                            static_cast<double>(generators::multiplying_weights(row->step.model)) /
                            static_cast<double>(row->step.gpus);
        rates.emplace_back(work / measured_seconds(row->step), work / row->seconds);
    }
    if (summary.answered > 0) {
        summary.mean /= static_cast<double>(summary.answered);
        summary.bias /= static_cast<double>(summary.answered);
    }
    summary.tau = tau_of(rates);
    return summary;
}

std::string part_of(const MeasuredStep& step) {
    return fmt::format("{}, {}", step.stack, step.device.empty() ? step.gpu : step.device);
}

/// Also among rows that are skipped: which of them to believe is open either way.
void mark_repeats(std::vector<StepLedgerRow>& rows) {
    std::map<std::string, std::vector<StepLedgerRow*>> alike;
    for (StepLedgerRow& row : rows) {
        if (row.step.quantity != StepQuantity::None && row.step.value > 0 && row.step.gpus > 0) {
            alike[fmt::format("{} | {} {} {} {}", plan_text(row.step), row.step.gpu, row.step.gpus,
                              static_cast<int>(row.step.quantity), row.step.unit)]
                .push_back(&row);
        }
    }
    for (const auto& [text, list] : alike) {
        for (StepLedgerRow* row : list) {
            for (const StepLedgerRow* other : list) {
                const double ratio = other->step.value / row->step.value;
                if (row->repeated_by.empty() && (ratio > 1.1 || ratio < 1 / 1.1)) {
                    row->repeated_by = other->step.id;
                }
            }
        }
    }
}

}  // namespace

std::vector<double> predict_steps(std::vector<MeasuredStep>& steps, const StackOfStep& stack_of,
                                  const StepOptions& options) {
    std::map<std::string, std::vector<std::size_t>> alike;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        if (steps[i].skipped.empty()) {
            alike[plan_text(steps[i])].push_back(i);
        }
    }
    std::vector<const std::vector<std::size_t>*> tasks;
    for (const auto& [text, list] : alike) {
        tasks.push_back(&list);
    }
    std::vector<double> seconds(steps.size());
    for_each_in_parallel(tasks.size(), [&](std::size_t task) {
        const std::vector<std::size_t>& list = *tasks[task];
        double predicted = 0;
        std::string skipped;
        try {
            const MeasuredStep& first = steps[list.front()];
            predicted = predicted_seconds(first, stack_of(first), options);
        } catch (const InputError& error) {
            skipped = error.what();
        }
        for (const std::size_t place : list) {
            seconds[place] = predicted;
            steps[place].skipped = skipped;
        }
    });
    return seconds;
}

StepLedger step_ledger(std::vector<MeasuredStep> steps, const StepOptions& options,
                       const std::string& stack) {
    std::map<std::string, StackProfile> stacks;
    for (MeasuredStep& step : steps) {
        if (!stack.empty()) {
            step.stack = stack;
        }
        if (step.skipped.empty() && stacks.find(step.stack) == stacks.end()) {
            stacks.emplace(step.stack, engine::load_stack_profile(step.stack));
        }
    }
    const std::vector<double> seconds = predict_steps(
        steps,
        [&stacks](const MeasuredStep& step) -> const StackProfile& {
            return stacks.at(step.stack);
        },
        options);
    StepLedger ledger;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        StepLedgerRow row;
        row.step = std::move(steps[i]);
        if (row.step.skipped.empty()) {
            const StackProfile& used = stacks.at(row.step.stack);
            row.seconds = seconds[i];
            row.predicted = in_unit_of(row.step, row.seconds);
            row.error_percent = 100 * (row.seconds / measured_seconds(row.step) - 1);
            row.uncertainty =
                options.scalars ? used.scalars_of(row.step.device).residual_percent : 0;
            // A group may have steps on GPUs that take over the scalars of another.
            row.calibrated = row.uncertainty > 0 &&
                             std::find(used.calibrated_on.begin(), used.calibrated_on.end(),
                                       row.step.group) != used.calibrated_on.end();
        }
        ledger.rows.push_back(std::move(row));
    }
    mark_repeats(ledger.rows);
    std::map<std::string, Rows> parts;
    Rows all;
    for (const StepLedgerRow& row : ledger.rows) {
        if (row.step.quantity != StepQuantity::None) {
            all.push_back(&row);
            parts[part_of(row.step)].push_back(&row);
        }
    }
    for (const auto& [name, rows] : parts) {
        ledger.parts.push_back(summary_of(name, rows));
    }
    ledger.all = summary_of("all", all);
    return ledger;
}

std::vector<report::LedgerPoint> ledger_points(const StepLedger& ledger) {
    std::vector<report::LedgerPoint> points;
    for (const StepLedgerRow& row : ledger.rows) {
        if (row.step.skipped.empty()) {
            points.push_back(
                {part_of(row.step), measured_seconds(row.step), row.error_percent, row.calibrated});
        }
    }
    return points;
}

}  // namespace npunet::study
