#include "report/comparison/neighbour_gaps.h"

#include <fmt/format.h>

#include <cassert>
#include <cmath>
#include <cstddef>

#include "base/units.h"
#include "report/comparison/gap_table.h"

namespace npunet::report {

namespace {

using engine::Results;

/// Calls use(less, more, gap) for each pair, least detailed first; `gap` is null without `why`.
template <class Use>
void for_each_pair(const std::vector<Results>& runs, const Comparison& comparison,
                   const GapExplanation* why, const Use& use) {
    assert(why == nullptr || runs.size() == 2 || why->neighbours.size() + 1 == runs.size());
    for (std::size_t i = 0; i + 1 < runs.size(); ++i) {
        use(runs[comparison.by_detail[i]], runs[comparison.by_detail[i + 1]],
            why == nullptr ? nullptr : &why->neighbours[i]);
    }
}

}  // namespace

std::string neighbour_lines(const std::vector<Results>& runs, const Comparison& comparison,
                            const GapExplanation* why) {
    if (runs.size() < 3) {
        return "";
    }
    std::string text;
    for_each_pair(runs, comparison, why,
                  [&](const Results& less, const Results& more, const NeighbourGap* pair) {
                      const double ratio = finish_ratio(more, less);
                      text +=
                          fmt::format("{} to {}: {} to {}, ratio {}", less.fidelity, more.fidelity,
                                      format_time(less.finish), format_time(more.finish),
                                      std::isfinite(ratio) ? fmt::format("{:.4f}", ratio) : "-");
                      text += (pair == nullptr ? "" : "; " + sum_and_parts(pair->gap)) + '\n';
                  });
    return text;
}

void write_neighbour_gaps(JsonWriter& json, const std::vector<Results>& runs,
                          const Comparison& comparison, const GapExplanation* why) {
    if (runs.size() < 3) {
        return;
    }
    json.key("gaps").begin_array(JsonWriter::Layout::Lines);
    for_each_pair(runs, comparison, why,
                  [&](const Results& less, const Results& more, const NeighbourGap* pair) {
                      json.begin_object().member("from", less.fidelity).member("to", more.fidelity);
                      json.member("ratio", finish_ratio(more, less));
                      if (pair != nullptr) {
                          json.key("gap_ns").begin_object();
                          write_parts(json, pair->gap);
                          json.end_object();
                          write_effect_levels(json, pair->effect_levels);
                      }
                      json.end_object();
                  });
    json.end_array();
}

}  // namespace npunet::report
