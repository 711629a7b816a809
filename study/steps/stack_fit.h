// Scalars of a stack profile, fitted to measured training steps: least squares of ln(predicted /
// measured), by steps along one scalar after the other that are halved three times.
//
//     const StackFit fit = fit_stack(profile, {"h100-sxm5-80gb"}, steps);
#pragma once

#include <string>
#include <vector>

#include "engine/device/stack_profile.h"
#include "study/steps/measured_steps.h"

namespace npunet::study {

struct StackFit {
    engine::StackScalars scalars;
    std::size_t rows = 0;
    double mean_percent = 0;  ///< of the absolute errors
    double most_percent = 0;
};

/// For devices that share their scalars. Those of the profile are not read. `steps`: all of these
/// devices and this stack; the overlap of tensor-parallel communication is fitted where one has
/// any. Throws InputError without steps that can be predicted.
[[nodiscard]] StackFit fit_stack(const engine::StackProfile& profile,
                                 const std::vector<std::string>& devices,
                                 std::vector<MeasuredStep> steps);

}  // namespace npunet::study
