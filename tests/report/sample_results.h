// A small run, written down by hand, that the tests of report/ print in every format.
#pragma once

#include "engine/results/job_results.h"
#include "engine/results/results.h"

namespace npunet::report {

/// Four ranks in two classes (0, 1 and 2, 3), two collectives, three links, five operations of
/// which two overlap. Figures hold finish = compute + exposed communication + exposed memory +
/// idle.
[[nodiscard]] engine::Results sample_results();

/// Twelve flows of one message each, flow i from NPU i to NPU 0 (0: to 1) with a slowdown of
/// 1 + i / 4; flow 2 took 100 ns longer than the others, and flow 3 is as slow as flow 2.
[[nodiscard]] engine::FlowResults sample_flows();

/// Of a step on NPUs of 989 TFLOP/s.
[[nodiscard]] engine::StepRates sample_rates();

/// Defaults of a run with pauses and DCQCN: every key except those of credits.
[[nodiscard]] engine::Resolved sample_resolved();

/// The same workload, message by message: quicker, and no headers on the wire.
[[nodiscard]] engine::Results sample_analytical();

/// Two jobs on one network: sample_results() as "first" on NPUs 0 to 3, and as "second", with a
/// note, on NPUs 9, 4, 5, 6 from 250 ns on.
[[nodiscard]] engine::JobsResults sample_jobs();

}  // namespace npunet::report
