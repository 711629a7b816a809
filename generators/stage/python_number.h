// Numbers as Python prints them.
//
//     python_float(536870912);      // "536870912.0"
#pragma once

#include <cstdint>
#include <string>

namespace npunet::generators::stage_dialect {

/// str(float(value)): the shortest decimal that reads back as the same double, with an exponent
/// from 1e16 on.
[[nodiscard]] std::string python_float(std::int64_t value);

}  // namespace npunet::generators::stage_dialect
