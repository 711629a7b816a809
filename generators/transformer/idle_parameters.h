// What of a plan changes nothing because of the rest of it.
#pragma once

#include <string>
#include <vector>

#include "generators/transformer/model_spec.h"
#include "generators/transformer/plan.h"

namespace npunet::generators {

/// A sentence, without a period, about each value that is not the default and has no effect on a
/// step of this plan, which is resolved: a schedule without a pipeline, ZeRO without replicas.
[[nodiscard]] std::vector<std::string> notes_on_idle_parameters(const ModelSpec& model,
                                                                const Plan& plan);

}  // namespace npunet::generators
