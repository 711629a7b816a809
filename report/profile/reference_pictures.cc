#include "report/profile/reference_pictures.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <string>

#include "base/atomic_file.h"
#include "base/thread_pool.h"
#include "report/profile/reference_figures.h"

namespace npunet::report {

namespace fs = std::filesystem;

using analysis::StepStatistics;
using analysis::TimeAlignment;
using analysis::TimeSpan;
using Ranks = std::vector<std::int32_t>;

namespace {

constexpr std::size_t most_ranks_in_name = 32;  // of at most six digits: names end at 255 bytes

void write(const fs::path& path, const std::string& contents) {
    AtomicFile file(path);
    file.stream() << contents;
    file.commit();
}

void write(const fs::path& folder, const std::string& name, const Figure& figure) {
    write(folder / (name + ".png"), figure.png);
    write(folder / (name + ".svg"), figure.svg);
}

/// From the first start to the last end of a rank's steps, drawn or not.
TimeSpan span_of(const std::vector<StepStatistics>& steps) {
    TimeSpan span{std::numeric_limits<std::int64_t>::max(),
                  std::numeric_limits<std::int64_t>::min()};
    for (const StepStatistics& step : steps) {
        span.start = std::min(span.start, step.start_ns);
        span.end = std::max(span.end, step.end_ns);
    }
    return steps.empty() ? TimeSpan{} : span;
}

ReferenceRow row_of(std::int32_t rank, const std::vector<StepStatistics>& steps,
                    std::int64_t zero) {
    ReferenceRow row{rank, {}};
    for (const StepStatistics& step : steps) {
        row.bars.push_back({step.table, {step.start_ns - zero, step.end_ns - zero}});
    }
    return row;
}

const char* name_of_alignment(TimeAlignment alignment) {
    switch (alignment) {
        case TimeAlignment::Individual:
            return "individual";
        case TimeAlignment::Corrected:
            return "corrected";
        case TimeAlignment::Global:
            break;
    }
    return "global";
}

/// "0_2"; of very many the first and the last.
std::string joined(const Ranks& ranks) {
    return ranks.size() > most_ranks_in_name ? fmt::format("{}_to_{}", ranks.front(), ranks.back())
                                             : fmt::format("{}", fmt::join(ranks, "_"));
}

class GroupPictures {
public:
    GroupPictures(const analysis::RunProfile& run, fs::path folder)
        : run_(run), folder_(std::move(folder)) {
        for (std::size_t i = 0; i < run.ranks.size(); ++i) {
            const bool shifted = run.alignment == TimeAlignment::Corrected && run.clocks[i].known;
            sources_.emplace(run.ranks[i].rank, Source{&run.ranks[i].reference_steps,
                                                       span_of(run.ranks[i].reference_steps),
                                                       shifted ? run.clocks[i].offset_ns : 0});
        }
    }

    /// Each picture is drawn by one thread.
    void write_all(std::size_t threads) {
        add_pipelines();
        for (const analysis::ModelGroup& model : run_.models) {
            if (model.missing.empty() && any_steps(model.ranks)) {
                add_model(model);
            }
        }
        for_each_in_parallel(
            pictures_.size(),
            [&](std::size_t i) {
                const Picture& picture = pictures_[i];
                write(picture.folder, picture.name,
                      reference_timeline(picture.charts(), tables_of_group_figure()));
            },
            threads);
    }

private:
    struct Source {
        const std::vector<StepStatistics>* steps = nullptr;
        TimeSpan span;
        std::int64_t offset_ns = 0;  ///< of its clock
    };
    struct Picture {
        fs::path folder;
        std::string name;
        std::function<std::vector<ReferenceChart>()> charts;
    };

    void add_pipelines() {
        const char* const alignment = name_of_alignment(run_.alignment);
        std::size_t complete = 0;
        for (const analysis::PipelineGroup& group : run_.pipelines) {
            if (!group.missing.empty()) {
                continue;
            }
            const std::size_t index = complete++;
            if (!any_steps(group.ranks)) {
                continue;
            }
            const std::string title =
                fmt::format("PP Group {} Timeline (Ranks: [{}], {} alignment)", index + 1,
                            fmt::join(group.ranks, ", "), alignment);
            pictures_.push_back(
                {folder_ / fmt::format("PP_group_{}", index),
                 fmt::format("pp_group_{}_ranks_{}_{}", index + 1, joined(group.ranks), alignment),
                 [this, title, &group] {
                     return std::vector{chart_of(title, group.ranks, axis_of(group.ranks))};
                 }});
        }
    }

    void add_model(const analysis::ModelGroup& model) {
        const std::string name = fmt::format("Model_Group_{}", model.index);
        const fs::path folder = folder_ / name;
        const TimeSpan axis = axis_of(model.ranks);
        std::vector<const analysis::PipelineGroup*> groups;
        for (const analysis::PipelineGroup& group : run_.pipelines) {
            if (std::find(model.pipelines.begin(), model.pipelines.end(), group.index) !=
                model.pipelines.end()) {
                groups.push_back(&group);
            }
        }
        if (!groups.empty()) {
            pictures_.push_back(
                {folder, name + "_all_pp_groups_concatenated", [this, &model, groups, axis] {
                     std::vector<ReferenceChart> charts;
                     for (const analysis::PipelineGroup* const group : groups) {
                         charts.push_back(chart_in(model, *group, axis));
                     }
                     return charts;
                 }});
        }
        pictures_.push_back({folder, name + "_all_ranks_combined", [this, &model, axis] {
                                 return std::vector{chart_of(
                                     fmt::format("Model Group {} - All Ranks Combined ({} ranks)",
                                                 model.index, model.ranks.size()),
                                     model.ranks, axis)};
                             }});
        for (const analysis::PipelineGroup* const group : groups) {
            pictures_.push_back(
                {folder, fmt::format("pp_group_{}_ranks_{}", group->index, joined(group->ranks)),
                 [this, &model, group, axis] {
                     return std::vector{chart_in(model, *group, axis)};
                 }});
        }
    }

    [[nodiscard]] bool any_steps(const Ranks& ranks) const {
        return std::any_of(ranks.begin(), ranks.end(),
                           [&](std::int32_t rank) { return !sources_.at(rank).steps->empty(); });
    }

    /// From the zero of these ranks' times to their last end; individually from 0.
    [[nodiscard]] TimeSpan axis_of(const Ranks& ranks) const {
        analysis::TimeSpans spans;
        for (const std::int32_t rank : ranks) {
            const Source& source = sources_.at(rank);
            if (!source.steps->empty()) {
                const std::int64_t zero = run_.alignment == TimeAlignment::Individual
                                              ? source.span.start
                                              : source.offset_ns;
                spans.push_back({source.span.start - zero, source.span.end - zero});
            }
        }
        return analysis::hull(spans);
    }

    [[nodiscard]] ReferenceChart chart_of(std::string title, Ranks ranks,
                                          const TimeSpan& axis) const {
        std::sort(ranks.begin(), ranks.end());
        ReferenceChart chart{std::move(title), {}, axis.end - axis.start};
        for (const std::int32_t rank : ranks) {
            const Source& source = sources_.at(rank);
            const std::int64_t zero = run_.alignment == TimeAlignment::Individual
                                          ? source.span.start
                                          : axis.start + source.offset_ns;
            chart.rows.push_back(row_of(rank, *source.steps, zero));
        }
        return chart;
    }

    [[nodiscard]] ReferenceChart chart_in(const analysis::ModelGroup& model,
                                          const analysis::PipelineGroup& group,
                                          const TimeSpan& axis) const {
        return chart_of(fmt::format("Model Group {} - PP Group {} (Ranks: [{}])", model.index,
                                    group.index, fmt::join(group.ranks, ", ")),
                        group.ranks, axis);
    }

    const analysis::RunProfile& run_;
    fs::path folder_;
    std::map<std::int32_t, Source> sources_;
    std::vector<Picture> pictures_;  ///< the large ones first of each replica
};

}  // namespace

void write_rank_pictures(std::int32_t rank, const std::vector<StepStatistics>& steps,
                         const std::vector<analysis::StepOverlap>& overlaps,
                         const fs::path& folder) {
    const TimeSpan span = span_of(steps);
    const ReferenceChart chart{fmt::format("Rank {} Overlapping Timeline", rank),
                               {row_of(rank, steps, span.start)},
                               span.end - span.start};
    write(folder, "overlapping_timeline", reference_timeline({chart}, tables_of_rank_figure()));
    write(folder, fmt::format("comm_comp_overlap_combined_rank{}", rank),
          reference_overlap(rank, overlaps));
}

void write_group_pictures(const analysis::RunProfile& run, const fs::path& folder,
                          std::size_t threads) {
    GroupPictures(run, folder).write_all(threads);
}

}  // namespace npunet::report
