// Errors about options of the command line, in terms of a sweep.yml.
//
//     "--micro-batch: found 3; expected a divisor of ... . Give another --batch"
//     "sweep.yml: line 3, plan.micro_batch[1]: found 3; expected ... . Give another batch"
//
// Generators, engine and readers of machines know options, as every other command has them.
#pragma once

#include <vector>

#include "base/errors.h"
#include "study/sweep/design_space.h"
#include "study/sweep/parameters.h"

namespace npunet::study {

/// The error at a point: an option that it is about becomes the place where the value stands in the
/// spec or in its list of points, and options that it mentions become the keys of the spec. What
/// names no option of a sweep stays as it is.
[[nodiscard]] InputError in_terms_of_spec(const InputError& error, const DesignSpace& space,
                                          const Point& point,
                                          const std::vector<Parameter>& parameters);

}  // namespace npunet::study
