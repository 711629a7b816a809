// collectives.csv with a row for every rank's part in every collective, instead of one for each
// collective: who came late, and who was let go when.
//
//     file.stream() << report::collective_parts_csv(results);
#pragma once

#include <string>

#include "engine/results.h"

namespace npunet::report {

/// By rank, then start, of results with operations (RunOptions::timeline). `id` is the collective's
/// in results.json, empty where the results list only some of the collectives: runs that were
/// broken off, and networks of which classes of NPUs are listed.
[[nodiscard]] std::string collective_parts_csv(const engine::Results& results);

}  // namespace npunet::report
