// The workload that STAGE (branch recomp) generates: the same nodes, ids, dependencies, attributes
// and groups, known errors included (docs/generators.md lists them).
//
//     StageArguments arguments;
//     arguments.dp = 4;
//     GeneratedWorkload workload = generate(arguments);
//     write_workload(workload, {"traces", "llama.%d.et", "llama.json"});   // byte for byte STAGE's
//
// Use it to reproduce results of STAGE; transformer/training_step.h models what Megatron-LM runs.
// Sizes are elements, and one element counts as one byte; a multiply-add is one operation.
#pragma once

#include "generators/stage/stage_arguments.h"
#include "generators/workload.h"

namespace npunet::generators {

/// Throws InputError as check() does, and for tensors that have no whole number of elements.
[[nodiscard]] GeneratedWorkload generate(const StageArguments& arguments);

}  // namespace npunet::generators
