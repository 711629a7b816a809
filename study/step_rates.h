// How fast a step is, and how well it uses the machine.
//
//     results.rates = step_rates(model, plan, machine, results);
//
// Tokens, sequences and model FLOPs (generators/transformer/model_flops.h) of the step over the
// finish of the run. The peak is that of the data type of the activations in the device profile
// where system.json names one, else peak-perf; NPUs with a peak-perf of their own have that.
#pragma once

#include <optional>

#include "engine/results/results.h"
#include "generators/transformer/model_spec.h"
#include "generators/transformer/plan.h"
#include "study/simulation_run.h"

namespace npunet::study {

/// Nothing for a run that was broken off or took no time. Needs a resolved plan.
[[nodiscard]] std::optional<engine::StepRates> step_rates(const generators::ModelSpec& model,
                                                          const generators::Plan& plan,
                                                          const Machine& machine,
                                                          const engine::Results& results);

}  // namespace npunet::study
