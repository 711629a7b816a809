// Routing as text: `uniform`, `zipf:1.2`, or the name of a file with counts.
//
//     model.moe.routing = routing_named("zipf:1.2", "--moe-routing");
#pragma once

#include <string>

#include "generators/transformer/model_spec.h"

namespace npunet::generators {

/// Throws InputError that names `source`. A file is not opened.
[[nodiscard]] Routing routing_named(const std::string& text, const std::string& source);
[[nodiscard]] std::string routing_name(const Routing& routing);

}  // namespace npunet::generators
