// npus.csv, collectives.csv and links.csv: one row for each NPU, collective and link.
//
//     AtomicFile file(folder / "npus.csv");
//     file.stream() << report::npus_csv(results);
//     file.commit();
//
// The first line names the columns, with their units. Fields that hold a comma or a quote are
// quoted (RFC 4180); lines end with a line feed. Names are escaped so that spreadsheets do not
// evaluate them.
#pragma once

#include <string>
#include <vector>

#include "base/csv_field.h"
#include "engine/results.h"

namespace npunet::report {

/// In nanoseconds; "inf" for Time::max().
[[nodiscard]] std::string ns_field(Time time);

/// Ranks as one field.
[[nodiscard]] std::string blank_separated(const std::vector<Rank>& ranks);

[[nodiscard]] std::string npus_csv(const engine::Results& results);
/// The ranks of a group stand in one field, separated by blanks.
[[nodiscard]] std::string collectives_csv(const engine::Results& results);
[[nodiscard]] std::string links_csv(const engine::Results& results);

}  // namespace npunet::report
