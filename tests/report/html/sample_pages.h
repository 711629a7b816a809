// Runs whose pages are looked at: with hostile names, and large ones.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "analysis/run_timeline.h"
#include "engine/results/results.h"
#include "report/comparison/gap.h"

namespace npunet::report {

/// Texts that would break out of where they stand if they were not escaped.
[[nodiscard]] const std::vector<std::string>& hostile_texts();

/// sample_results() with a collective and a link for each of them, and as notes.
[[nodiscard]] engine::Results hostile_results();

/// An interval, a link and a node for each of them.
[[nodiscard]] analysis::RunTimeline hostile_timeline();

/// `npus` NPUs of which no two are alike, as many collectives as wanted, four links an NPU.
[[nodiscard]] engine::Results large_results(std::size_t npus, std::size_t collectives);

/// Two runs and the parts of their difference: for every collective of them, and with hostile
/// names. The parts of the whole sum to the difference of 200.25 ns; that of latency is -60 ns.
struct SampleComparison {
    std::vector<engine::Results> runs;
    GapExplanation why;
};
[[nodiscard]] SampleComparison sample_comparison();

/// The same with so many collectives.
[[nodiscard]] SampleComparison large_comparison(std::size_t npus, std::size_t collectives);

}  // namespace npunet::report
