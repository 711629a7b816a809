// What the parallel dimensions ask of each other and of the model, beyond plain divisions: parts of
// a sequence, experts, the two grids of ranks, ZeRO.
#pragma once

#include <cstdint>
#include <string>

#include "generators/transformer/model_spec.h"
#include "generators/transformer/plan.h"

namespace npunet::generators {

/// Throws InputError unless value % divisor == 0: "--tp: found 3; expected a divisor of the 32
/// heads".
void check_divides(const std::string& option, std::int64_t divisor, const char* what,
                   std::int64_t value, const std::string& remedy = "");

/// Throws InputError that names the numbers that clash. Needs degrees from 1 on, a sequence, and
/// etp filled in.
void check_parallel_dimensions(const ModelSpec& model, const Plan& plan);

}  // namespace npunet::generators
