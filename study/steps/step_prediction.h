// A measured training step, predicted: its workload on its machine at the analytical fidelity.
//
//     const StepPrediction prediction = predict_step(step, {});
//     in_unit_of(step, prediction.seconds);
#pragma once

#include <string>
#include <vector>

#include "engine/device/stack_profile.h"
#include "study/simulation_run.h"
#include "study/steps/measured_steps.h"

namespace npunet::study {

/// What a prediction takes into account.
struct StepOptions {
    /// The scalars of the stack profile; else kernel times alone.
    bool scalars = true;
    Fidelity fidelity = Fidelity::Analytical;
};

/// The device of the step, its links and its collectives, with the stack.
[[nodiscard]] Machine machine_of(const MeasuredStep& step, const engine::StackProfile& stack);
/// The plan with what the stack does.
[[nodiscard]] generators::Plan plan_of(const MeasuredStep& step, const engine::StackProfile& stack);

/// In s. Throws InputError where the step has no such plan.
[[nodiscard]] double predicted_seconds(const MeasuredStep& step, const engine::StackProfile& stack,
                                       const StepOptions& options);

/// A step's time as the row's quantity, in its unit.
[[nodiscard]] double in_unit_of(const MeasuredStep& step, double seconds);
/// The time of a step that the row's value stands for, in s.
[[nodiscard]] double measured_seconds(const MeasuredStep& step);

}  // namespace npunet::study
