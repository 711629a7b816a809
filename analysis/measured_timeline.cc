#include "analysis/measured_timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <unordered_map>

namespace npunet::analysis {

namespace {

Category category_of(KernelKind kind) {
    return kind == KernelKind::Computation     ? Category::Computation
           : kind == KernelKind::Communication ? Category::Communication
                                               : Category::Memory;
}

Phase phase_of(KernelPhase phase) {
    switch (phase) {
        case KernelPhase::Forward:
            return Phase::Forward;
        case KernelPhase::Backward:
            return Phase::Backward;
        case KernelPhase::Recompute:
            return Phase::Recompute;
        case KernelPhase::Optimizer:
            return Phase::Optimizer;
        case KernelPhase::Pipeline:
        case KernelPhase::Gradients:
        case KernelPhase::Other:
            break;
    }
    return Phase::Other;
}

Dimension dimension_of(ParallelDimension dimension) {
    switch (dimension) {
        case ParallelDimension::Tensor:
            return Dimension::Tensor;
        case ParallelDimension::Pipeline:
            return Dimension::Pipeline;
        case ParallelDimension::Data:
            return Dimension::Data;
        case ParallelDimension::Expert:
        case ParallelDimension::ExpertTensor:
            return Dimension::Expert;
        case ParallelDimension::Context:
            return Dimension::Context;
        case ParallelDimension::None:
        case ParallelDimension::Model:
        case ParallelDimension::Embedding:
        case ParallelDimension::World:
        case ParallelDimension::Unknown:
            break;
    }
    return Dimension::Other;
}

/// Numbers of texts in the order of their first use.
class Names {
public:
    explicit Names(std::vector<std::string>& names) : names_(names) {}

    std::uint32_t number_of(const std::string& name) {
        const auto [entry, is_new] =
            numbers_.emplace(name, static_cast<std::uint32_t>(names_.size()));
        if (is_new) {
            names_.push_back(name);
        }
        return entry->second;
    }

private:
    std::vector<std::string>& names_;
    std::unordered_map<std::string, std::uint32_t> numbers_;
};

/// What is subtracted from the wall clock of a rank.
std::int64_t zero_of(const RunProfile& run, std::size_t index) {
    return run.alignment == TimeAlignment::Individual  ? run.ranks[index].span.start
           : run.alignment == TimeAlignment::Corrected ? run.clocks[index].offset_ns
                                                       : 0;
}

/// The number of a group's ranks in the timeline.
std::int32_t group_number(const std::vector<std::int32_t>& ranks,
                          std::map<std::vector<std::int32_t>, std::int32_t>& known,
                          RunTimeline& timeline) {
    const auto [entry, is_new] =
        known.emplace(ranks, static_cast<std::int32_t>(timeline.groups.size()));
    if (is_new) {
        TimelineGroup group;
        group.name = fmt::format("{}", fmt::join(ranks, " "));
        for (const std::int32_t rank : ranks) {
            group.ranks.emplace_back(rank);
        }
        timeline.groups.push_back(std::move(group));
    }
    return entry->second;
}

/// Groups and joints of the rows of collectives, as they stand in the ranks.
std::vector<std::vector<Interval>> joined_rows(const RunProfile& run, RunTimeline& timeline) {
    std::vector<std::vector<Interval>> rows(run.ranks.size());
    std::map<std::vector<std::int32_t>, std::int32_t> groups;
    std::vector<const RankProfile*> ranks;
    for (std::size_t i = 0; i < run.ranks.size(); ++i) {
        const RankProfile& rank = run.ranks[i];
        ranks.push_back(&rank);
        for (const RankTimeline::Row& row : rank.timeline.rows) {
            rows[i].push_back(row.interval);
        }
        for (std::size_t k = 0; k < rank.timeline.collectives.size(); ++k) {
            const CollectiveRun& collective = rank.collectives[k];
            Interval& row = rows[i][rank.timeline.collectives[k]];
            if (!collective.ranks.empty()) {
                row.group = group_number(collective.ranks, groups, timeline);
            }
            if (collective.bytes > 0) {
                row.bytes = Bytes(collective.bytes);
            }
        }
    }
    std::int32_t joint = 0;
    for (const MatchedCollective& one : match_collectives(ranks)) {
        for (const MatchedCollective::Part& part : one.parts) {
            const RankTimeline& of_rank = run.ranks[part.rank].timeline;
            if (part.run < of_rank.collectives.size()) {
                rows[part.rank][of_rank.collectives[part.run]].joint = joint;
            }
        }
        ++joint;
    }
    return rows;
}

}  // namespace

RankTimeline rank_timeline(const EventTable& trace, const KernelClasses& classes) {
    RankTimeline timeline;
    Names names(timeline.names);
    for (const ClassifiedKernel& kernel : classes.kernels) {
        const profiles::Track& track = trace.track_of(kernel.event);
        RankTimeline::Row row;
        row.interval.rank = Rank(trace.rank.value_or(0));
        row.interval.lane = names.number_of(fmt::format("stream {}", track.stream));
        row.interval.name = names.number_of(std::string(trace.name_of(kernel.event)));
        row.interval.category = category_of(kernel.kind);
        row.interval.phase = phase_of(kernel.phase);
        row.interval.dimension = dimension_of(kernel.dimension);
        row.interval.micro_batch = kernel.micro_batch;
        row.interval.id = kernel.event;
        row.span = {trace.base_time_ns + trace.start_ns[kernel.event],
                    trace.base_time_ns + trace.end_ns(kernel.event)};
        if (kernel.kind == KernelKind::Communication) {
            timeline.collectives.push_back(timeline.rows.size());
        }
        timeline.rows.push_back(row);
    }
    return timeline;
}

RunTimeline measured_timeline(const RunProfile& run) {
    RunTimeline timeline;
    timeline.label = run.iteration.empty() ? "profile" : run.iteration;
    timeline.source = RunSource::Measured;
    std::int64_t first = std::numeric_limits<std::int64_t>::max();
    for (std::size_t i = 0; i < run.ranks.size(); ++i) {
        for (const RankTimeline::Row& row : run.ranks[i].timeline.rows) {
            first = std::min(first, row.span.start - zero_of(run, i));
        }
    }
    const std::vector<std::vector<Interval>> rows = joined_rows(run, timeline);
    for (std::size_t i = 0; i < run.ranks.size(); ++i) {
        const RankTimeline& of_rank = run.ranks[i].timeline;
        const std::int64_t zero = zero_of(run, i) + first;
        for (std::size_t k = 0; k < rows[i].size(); ++k) {
            Interval row = rows[i][k];
            row.lane = timeline.names.number_of(of_rank.names[row.lane]);
            row.name = timeline.names.number_of(of_rank.names[row.name]);
            row.start = Time::ns(of_rank.rows[k].span.start - zero);
            row.end = Time::ns(of_rank.rows[k].span.end - zero);
            timeline.intervals.add(row);
        }
        for (const std::string& note : run.ranks[i].notes) {
            timeline.notes.push_back(fmt::format("rank {}: {}", run.ranks[i].rank, note));
        }
    }
    timeline.notes.insert(timeline.notes.begin(), run.notes.begin(), run.notes.end());
    timeline.finish();
    return timeline;
}

}  // namespace npunet::analysis
