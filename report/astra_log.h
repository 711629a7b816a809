// The log lines that ASTRA-sim prints when its NPUs finish, so that scripts written for it read the
// output of npunet unchanged.
//
//     context.out << report::astra_log(results, "2026-01-31 12:00:00.000");
//
//     [2026-01-31 12:00:00.000] [workload] [info] sys[0] finished, 3000 cycles, exposed ...
//     [2026-01-31 12:00:00.000] [statistics] [info] sys[0], Wall time: 3000
//
// Every line splits at blanks into five words or more, of which the third is [workload] or
// [statistics] and the fifth begins with sys[RANK]; a value follows ": ". A cycle is a nanosecond.
#pragma once

#include <string>
#include <string_view>

#include "engine/results/results.h"

namespace npunet::report {

/// What stands where a log has the time of day: the same for every run, since that is no part of
/// the result.
inline constexpr std::string_view log_timestamp = "2026-01-01 00:00:00.000";

/// Nine lines a rank, ranks ascending; two more, "CPU time" and "Remote mem time", for a rank that
/// had such operations. `timestamp` is what stands in the first brackets, a date and
/// a time with one blank between them; times that are not whole nanoseconds are rounded down. Of a
/// run that was broken off, the ranks that had finished before.
[[nodiscard]] std::string astra_log(const engine::Results& results, std::string_view timestamp);

/// A warning as one line of the same log; it is no rank's, and its third word is [npunet].
[[nodiscard]] std::string astra_log_warning(const std::string& text, std::string_view timestamp);

}  // namespace npunet::report
