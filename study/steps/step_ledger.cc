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

void predict(StepLedgerRow& row, const StackProfile& stack, const StepOptions& options) {
    try {
        row.seconds = predicted_seconds(row.step, stack, options);
        row.predicted = in_unit_of(row.step, row.seconds);
        row.error_percent = 100 * (row.seconds / measured_seconds(row.step) - 1);
    } catch (const InputError& error) {
        row.step.skipped = error.what();
    }
    row.calibrated = std::find(stack.calibrated_on.begin(), stack.calibrated_on.end(),
                               row.step.group) != stack.calibrated_on.end();
}

void mark_repeats(std::vector<StepLedgerRow>& rows) {
    std::map<std::string, std::vector<StepLedgerRow*>> alike;
    for (StepLedgerRow& row : rows) {
        if (row.step.skipped.empty()) {
            alike[plan_text(row.step)].push_back(&row);
        }
    }
    for (const auto& [text, list] : alike) {
        for (StepLedgerRow* row : list) {
            for (const StepLedgerRow* other : list) {
                const double ratio = measured_seconds(other->step) / measured_seconds(row->step);
                if (ratio > 1.1 || ratio < 1 / 1.1) {
                    row->repeated_by = other->step.id;
                }
            }
        }
    }
}

}  // namespace

StepLedger step_ledger(std::vector<MeasuredStep> steps, const StepOptions& options,
                       const std::string& stack) {
    StepLedger ledger;
    std::map<std::string, StackProfile> stacks;
    std::map<std::string, std::vector<std::size_t>> alike;
    for (MeasuredStep& step : steps) {
        if (!stack.empty()) {
            step.stack = stack;
        }
        if (step.skipped.empty() && stacks.find(step.stack) == stacks.end()) {
            stacks.emplace(step.stack, engine::load_stack_profile(step.stack));
        }
        if (step.skipped.empty()) {
            alike[plan_text(step)].push_back(ledger.rows.size());
        }
        ledger.rows.emplace_back();
        ledger.rows.back().step = std::move(step);
    }
    std::vector<const std::vector<std::size_t>*> tasks;
    for (const auto& [text, list] : alike) {
        tasks.push_back(&list);
    }
    for_each_in_parallel(tasks.size(), [&](std::size_t task) {
        const std::vector<std::size_t>& list = *tasks[task];
        StepLedgerRow& first = ledger.rows[list.front()];
        predict(first, stacks.at(first.step.stack), options);
        for (const std::size_t other : list) {
            StepLedgerRow& row = ledger.rows[other];
            row.seconds = first.seconds;
            row.calibrated = first.calibrated;
            row.step.skipped = first.step.skipped;
            if (row.step.skipped.empty()) {
                row.predicted = in_unit_of(row.step, row.seconds);
                row.error_percent = 100 * (row.seconds / measured_seconds(row.step) - 1);
            }
        }
    });
    mark_repeats(ledger.rows);
    std::map<std::string, Rows> parts;
    Rows all;
    for (const StepLedgerRow& row : ledger.rows) {
        if (row.step.quantity != StepQuantity::None) {
            all.push_back(&row);
            parts[fmt::format("{}, {}", row.step.stack,
                              row.step.device.empty() ? row.step.gpu : row.step.device)]
                .push_back(&row);
        }
    }
    for (const auto& [name, rows] : parts) {
        ledger.parts.push_back(summary_of(name, rows));
    }
    ledger.all = summary_of("all", all);
    return ledger;
}

}  // namespace npunet::study
