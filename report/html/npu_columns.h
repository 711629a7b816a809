// Where the time of the NPUs of a run went: a column for each, from compute to idle, over its rank.
//
//     section.body += npu_columns(results);
#pragma once

#include <cstddef>
#include <string>

#include "engine/results.h"

namespace npunet::report {

/// The most columns; with more NPUs a column stands for neighbours of as many ranks each, and shows
/// the one that finishes last.
inline constexpr std::size_t most_columns = 640;

/// A drawing with legend and caption; empty where there are no NPUs or the run takes no time.
[[nodiscard]] std::string npu_columns(const engine::Results& results);

}  // namespace npunet::report
