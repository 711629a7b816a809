// npus.csv, collectives.csv and links.csv: one row for each NPU, collective and link, or a row for
// every rank's part in every collective.
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
#include "engine/results/results.h"

namespace npunet::report {

/// In nanoseconds; "inf" for Time::max().
[[nodiscard]] std::string ns_field(Time time);

/// Ranks as one field.
[[nodiscard]] std::string blank_separated(const std::vector<Rank>& ranks);

[[nodiscard]] std::string npus_csv(const engine::Results& results);
/// The ranks of a group stand in one field, separated by blanks.
[[nodiscard]] std::string collectives_csv(const engine::Results& results);
[[nodiscard]] std::string links_csv(const engine::Results& results);

/// collectives.csv with a row for every rank's part in every collective: when each rank joined it
/// and when it left. By rank, then start, of results with operations (RunOptions::timeline). `id`
/// is the collective's in results.json, empty where the results list only some of the collectives:
/// runs that were broken off, and networks of which classes of NPUs are listed.
[[nodiscard]] std::string collective_parts_csv(const engine::Results& results);

}  // namespace npunet::report
