// A measured training step, predicted: its workload on its machine at the analytical fidelity.
//
//     const StepPrediction prediction = predict_step(step, {});
//     in_unit_of(step, prediction.seconds);
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/device/stack_profile.h"
#include "study/simulation_run.h"
#include "study/steps/measured_steps.h"

namespace npunet::study {

/// What a prediction is made of, and can be made without.
enum class Ingredient : std::uint8_t {
    KernelRates,      ///< without: peaks of the data sheet, memory at its full rate
    LibraryCosts,     ///< without: collectives of npunet's own, as fast as the links
    StepOperations,   ///< without: products, attention, norms and the optimizer alone
    LoadedRates,      ///< without: clocks of rested GPUs
    ComputeRate,      ///< without: the scalar is 1
    MemoryTime,       ///< without: the scalar is 1
    TensorOverlap,    ///< without: the scalar is 0
    GradientOverlap,  ///< without: data-parallel sums and gathers after the passes
};

/// What a prediction takes into account.
struct StepOptions {
    /// The scalars of the stack profile; else kernel times alone.
    bool scalars = true;
    Fidelity fidelity = Fidelity::Analytical;
    std::optional<Ingredient> without = std::nullopt;
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
