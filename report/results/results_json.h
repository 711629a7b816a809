// results.json: everything a simulation found, for programs. Every key is explained in
// docs/results.md.
//
//     AtomicFile file(folder / "results.json");
//     file.stream() << report::results_json(results);
//     file.commit();
//
// Two runs of the same input differ only in the object "performance".
#pragma once

#include <cstddef>
#include <string>

#include "base/json_writer.h"
#include "engine/network/resolved.h"
#include "engine/results/job_results.h"
#include "engine/results/results.h"
#include "report/results/collective_choices.h"
#include "report/results/output_scope.h"

namespace npunet::report {

/// Above this many ranks, "npus" lists classes of equal NPUs instead of every NPU.
inline constexpr std::size_t most_listed_npus = 4096;

/// The most memory that this process has held so far; 0 where the system does not say.
[[nodiscard]] Bytes peak_resident_memory();

/// The document, with a newline at its end. `peak_memory` becomes performance.peak_rss_bytes and
/// `command`, unless it is empty, the key `command`.
[[nodiscard]] std::string results_json(const engine::Results& results,
                                       Bytes peak_memory = peak_resident_memory(),
                                       const std::string& command = "",
                                       const OutputScope& scope = {});

/// The document of several jobs: what they have in common, and when each of them ran ("jobs").
[[nodiscard]] std::string results_json(const engine::JobsResults& results,
                                       Bytes peak_memory = peak_resident_memory(),
                                       const std::string& command = "",
                                       const OutputScope& scope = {});

/// The same as a value inside a larger document, which has the command itself.
void write_results(JsonWriter& json, const engine::Results& results, Bytes peak_memory,
                   const OutputScope& scope = {});

/// The object "resolved": values used by a run where its inputs leave them to defaults.
void write_resolved(JsonWriter& json, const engine::Resolved& resolved);

}  // namespace npunet::report
