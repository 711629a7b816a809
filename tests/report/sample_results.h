// A small run, written down by hand, that the tests of report/ print in every format.
#pragma once

#include "engine/results.h"

namespace npunet::report {

/// Four ranks in two classes (0, 1 and 2, 3), two collectives, three links, five operations of
/// which two overlap. Figures hold finish = compute + exposed communication + exposed memory +
/// idle.
[[nodiscard]] engine::Results sample_results();

/// The same workload, message by message: quicker, and no headers on the wire.
[[nodiscard]] engine::Results sample_analytical();

}  // namespace npunet::report
