#include "sample_figures.h"

#include <fmt/format.h>

#include "analysis/rank_groups.h"
#include "analysis/run_timeline.h"
#include "report/figures/gantt_figure.h"
#include "report/figures/link_map_figure.h"
#include "report/figures/overlap_figure.h"

namespace npunet::report {

std::vector<std::pair<std::string, Figure>> sample_figures(const StepShape& shape) {
    const analysis::RunTimeline timeline = step_timeline(shape);
    const std::string ranks = fmt::format("{}", timeline.ranks().size());
    const analysis::RankGroups groups = analysis::find_rank_groups(timeline);
    std::vector<std::pair<std::string, Figure>> figures;
    figures.emplace_back("gantt-" + ranks,
                         gantt_figure({"All ranks", ranks, {{"", &timeline, timeline.ranks()}}}));
    figures.emplace_back(
        "gantt-pipeline-" + ranks,
        gantt_figure({"Pipeline 0", "", {{"", &timeline, groups.pipelines.at(0)}}}));
    figures.emplace_back("gantt-both-" + ranks,
                         gantt_figure({"Two runs",
                                       "",
                                       {{"first", &timeline, groups.replicas.at(0)},
                                        {"second", &timeline, groups.replicas.at(0)}}}));
    figures.emplace_back("overlap-" + ranks,
                         overlap_figure({"Overlap", ranks, &timeline, timeline.ranks()}));
    if (shape.columns > 0) {
        figures.emplace_back("links-" + ranks,
                             link_map_figure({"Links", ranks, &timeline.load, timeline.length}));
    }
    return figures;
}

}  // namespace npunet::report
