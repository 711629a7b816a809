// Scalars of a stack profile, fitted to measured training steps: least squares of ln(predicted /
// measured) over all scalars at once (Gauss and Newton), with a weak pull towards the device's own
// rates.
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
