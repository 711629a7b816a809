// What only the npunet dialect of runs can do, checked.
#pragma once

#include "generators/megatron/training_run.h"

namespace npunet::generators::megatron {

/// Throws InputError for options that current Megatron-LM does not take together, or that this
/// does not model. resolve_run has checked the rest.
[[nodiscard]] TrainingRun resolve_npunet(TrainingRun run);

}  // namespace npunet::generators::megatron
