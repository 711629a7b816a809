// npus.csv, collectives.csv and links.csv: one row for each NPU, collective and link.
//
//     AtomicFile file(folder / "npus.csv");
//     file.stream() << report::npus_csv(results);
//     file.commit();
//
// The first line names the columns, with their units. Fields that hold a comma, a quote or a line
// break are quoted as RFC 4180 says; lines end with a line feed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/results.h"

namespace npunet::report {

/// A text as one field: quoted where it must be.
[[nodiscard]] std::string csv_field(std::string_view text);

/// In nanoseconds; "inf" for Time::max().
[[nodiscard]] std::string ns_field(Time time);

/// Ranks as one field.
[[nodiscard]] std::string blank_separated(const std::vector<Rank>& ranks);

[[nodiscard]] std::string npus_csv(const engine::Results& results);
/// The ranks of a group stand in one field, separated by blanks.
[[nodiscard]] std::string collectives_csv(const engine::Results& results);
[[nodiscard]] std::string links_csv(const engine::Results& results);

}  // namespace npunet::report
