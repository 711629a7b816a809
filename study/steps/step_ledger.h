// Predicted beside measured training steps, row by row: what `npunet validate steps` prints.
//
//     const StepLedger ledger = step_ledger(read_measured_steps(path), {});
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "report/figures/ledger_figure.h"
#include "study/steps/measured_steps.h"
#include "study/steps/step_prediction.h"

namespace npunet::study {

struct StepLedgerRow {
    MeasuredStep step;
    double seconds = 0;            ///< predicted
    double predicted = 0;          ///< in the row's unit
    double error_percent = 0;      ///< of the time: positive where the prediction is longer
    double uncertainty = 0;        ///< percent: root mean square of the errors calibrated on
    bool calibrated = false;       ///< the device's scalars were, on the row's group among others
    std::string repeated_by = "";  ///< a row of the same plan that measured more than 10 % apart
};

/// Errors of the times, in percent.
struct StepSummary {
    std::string name;
    std::size_t rows = 0;
    std::size_t answered = 0;
    double mean = 0;  ///< of their absolute values
    double most = 0;
    double bias = 0;
    /// Kendall's rank correlation of FLOP/s of a GPU, measured and predicted: whether better plans
    /// are predicted to be better. Nothing for fewer than two.
    std::optional<double> tau;
};

struct StepLedger {
    std::vector<StepLedgerRow> rows;
    std::vector<StepSummary> parts;  ///< by stack and device
    StepSummary all;
};

/// The predicted time of every step, in s, by place; equal plans are simulated once, on all cores.
/// Sets `skipped` of steps that have no such plan.
using StackOfStep = std::function<const engine::StackProfile&(const MeasuredStep& step)>;
[[nodiscard]] std::vector<double> predict_steps(std::vector<MeasuredStep>& steps,
                                                const StackOfStep& stack_of,
                                                const StepOptions& options);

/// `stack`: a name or file for all rows in place of the one of each; empty: none.
[[nodiscard]] StepLedger step_ledger(std::vector<MeasuredStep> steps, const StepOptions& options,
                                     const std::string& stack = "");

/// Those answered, of the parts of the ledger.
[[nodiscard]] std::vector<report::LedgerPoint> ledger_points(const StepLedger& ledger);

}  // namespace npunet::study
