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

#include <cstddef>
#include <limits>
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
/// The ranks of a group stand in one field, separated by blanks. Of more than `most` bytes, only
/// the rows of those that take longest, in their order.
[[nodiscard]] std::string collectives_csv(
    const engine::Results& results, std::size_t most = std::numeric_limits<std::size_t>::max());
/// Of more than `most` bytes, only the rows of those that are busiest, in their order.
[[nodiscard]] std::string links_csv(const engine::Results& results,
                                    std::size_t most = std::numeric_limits<std::size_t>::max());

/// collectives.csv with a row for every rank's part in every collective: when each rank joined it
/// and when it left. By rank, then start, of results with operations (RunOptions::timeline). `id`
/// is the collective's in results.json, empty where the results list only some of the collectives:
/// runs that were broken off, and networks of which classes of NPUs are listed.
[[nodiscard]] std::string collective_parts_csv(const engine::Results& results);

}  // namespace npunet::report
