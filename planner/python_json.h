// JSON text as Python's json.dump(document, file, indent=2) writes it, byte for byte.
//
//     python_json({{"time_ms", 10.814285278320312}, {"layers", {1, 2}}});
//
// Floating-point numbers are Python's repr: the shortest decimal that reads back as the same
// double, of several the nearest, where two are equally near the even one; with an exponent below
// 1e-4 and from 1e16 on.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace npunet::planner {

/// Recursive: for documents that we made. Numbers must be finite.
[[nodiscard]] std::string python_json(const nlohmann::ordered_json& document);

}  // namespace npunet::planner
