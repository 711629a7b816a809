// The first answers about a run (analysis/step_summary.h), for people and for programs.
//
//     text += step_summary_text(results);
//     write_step_summary(json, results);
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/step_summary.h"
#include "base/json_writer.h"
#include "engine/results/results.h"

namespace npunet::report {

/// A line each, of what is known: the rates of the step (report/results/step_rates.h), where the
/// time of the NPU went that finishes last, its exposed communication by dimension, the largest
/// peak of memory, the bottleneck, the bounds. Empty for results without NPUs, or that took no
/// time.
[[nodiscard]] std::string step_summary_text(const engine::Results& results);

/// The lines of it that tell runs of one workload apart, each without a newline: all but memory and
/// bounds.
[[nodiscard]] std::vector<std::string> step_summary_lines(const engine::Results& results);

/// The same but for the rates, as names and values.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> step_summary_facts(
    const engine::Results& results);

/// "TP 312.0 ms, DP 91.20 ms": exposed communication by dimension, by precedence; those that are
/// exposed for no time are left out. Empty where all of it is "other".
[[nodiscard]] std::string exposed_by_dimension(const engine::NpuResult& npu);

/// "the NICs carry data-parallel all_reduce of ranks 0-15 for 910.0 ms, 240.1 ms of it exposed
/// (6.6% of the run)".
[[nodiscard]] std::string bottleneck_sentence(const engine::Results& results,
                                              const analysis::StepSummary& summary);

/// What bounds a run, without pointers into its results.
struct BoundBy {
    analysis::Bottleneck bottleneck;
    std::string links;  ///< of communication: the class that carries it; may be empty
    std::string words;  ///< "DP over NIC, 6.6% exposed", "compute, 85.0%"
};

/// Nothing for results without NPUs, or that took no time.
[[nodiscard]] std::optional<BoundBy> bound_by(const engine::Results& results);

/// Members of the current object: "kind", "dimension" and "links" of communication, "time_ns",
/// "exposed_ns".
void write_bound(JsonWriter& json, const BoundBy& bound);

/// The member "summary" of the current object, of docs/results.md; nothing where there is none.
void write_step_summary(JsonWriter& json, const engine::Results& results);

/// The member "by_dimension" of the current object; nothing where the NPU has no such times.
void write_dimension_times(JsonWriter& json, const engine::NpuResult& npu);

/// "tp", ..., "other": in files.
[[nodiscard]] const char* key_of(engine::Parallelism dimension);

}  // namespace npunet::report
