// The messages of one collective, alone on a machine: its chunks and phases over time.
//
//     const report::CollectiveSteps steps = collective_steps(machine, request, Fidelity::Fluid);
#pragma once

#include "report/figures/collective_steps_figure.h"
#include "study/collective_times.h"

namespace npunet::study {

/// Of the first algorithm of the request at its largest size; `sizes` and `algorithms` are not
/// empty. Throws InputError for an algorithm whose messages have no phases, that of a communication
/// library, and where the algorithm is refused.
[[nodiscard]] report::CollectiveSteps collective_steps(const Machine& machine,
                                                       const CollectiveTimesRequest& request,
                                                       Fidelity fidelity);

}  // namespace npunet::study
