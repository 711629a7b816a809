// What people read of the links of a run on the console: each class of links, and the busiest ones.
//
//     context.out << report::link_tables(results);
#pragma once

#include <cstddef>
#include <string>

#include "engine/results/results.h"

namespace npunet::report {

/// A row for each class of links and, of several, one for all; below it the `count` links that were
/// busy longest, links of a class with equal figures as one row. Columns of pauses, marks, drops
/// and congestion notifications (CNPs) are there where any link has them.
[[nodiscard]] std::string link_tables(const engine::Results& results, std::size_t count = 10);

}  // namespace npunet::report
