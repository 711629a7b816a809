#include "analysis/run_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "analysis/clock_offsets.h"

namespace npunet::analysis {

using profiles::ParallelGroupsFile;

namespace {

using RankLists = std::vector<std::vector<std::int32_t>>;

RankLists lists_of(const std::optional<profiles::RankLists>& lists) {
    RankLists all;
    for (const auto& list : lists.value_or(profiles::RankLists{})) {
        all.emplace_back();
        for (const Rank rank : list) {
            all.back().push_back(rank.value());
        }
    }
    return all;
}

/// The groups of a description that the profiles list.
RankLists described_groups(const std::vector<RankProfile>& ranks, std::string_view description) {
    std::set<std::vector<std::int32_t>> groups;
    for (const RankProfile& rank : ranks) {
        for (const profiles::ProcessGroup& group : rank.groups) {
            if (group.description == description && group.ranks.size() > 1) {
                groups.insert(group.ranks);
            }
        }
    }
    return {groups.begin(), groups.end()};
}

/// Measures one iteration.
class RunMeasurement {
public:
    RunMeasurement(std::vector<RankProfile> ranks, const ParallelGroupsFile* groups,
                   TimeAlignment alignment)
        : groups_(groups), alignment_(alignment) {
        run_.alignment = alignment;
        run_.ranks = std::move(ranks);
        std::stable_sort(run_.ranks.begin(), run_.ranks.end(),
                         [](const auto& a, const auto& b) { return a.rank < b.rank; });
        for (std::size_t i = 0; i < run_.ranks.size(); ++i) {
            pointers_.push_back(&run_.ranks[i]);
            index_of_.emplace(run_.ranks[i].rank, i);
        }
    }

    RunProfile measure() {
        run_.iteration = run_.ranks.empty() ? "" : run_.ranks.front().iteration;
        const std::vector<MatchedCollective> matched = match_collectives(pointers_);
        run_.clocks = clock_offsets(pointers_, matched);
        for (std::size_t i = 0; i < run_.ranks.size(); ++i) {
            zeros_.push_back(zero_of(i));
        }
        run_.speeds = collective_speeds(pointers_, matched);
        if (alignment_ != TimeAlignment::Individual) {
            run_.stragglers = stragglers(pointers_, matched, zeros_);
        }
        measure_pipelines();
        measure_models();
        note_missing();
        note_unequal();
        note_clocks();
        return std::move(run_);
    }

private:
    [[nodiscard]] std::int64_t zero_of(std::size_t index) const {
        switch (alignment_) {
            case TimeAlignment::Individual:
                return run_.ranks[index].span.start;
            case TimeAlignment::Corrected:
                return run_.clocks[index].offset_ns;
            case TimeAlignment::Global:
                break;
        }
        return 0;
    }

    void measure_pipelines() {
        RankLists lists = groups_ != nullptr
                              ? lists_of(groups_->pipeline)
                              : described_groups(run_.ranks, "PIPELINE_MODEL_PARALLEL_GROUP");
        for (std::size_t i = 0; i < lists.size(); ++i) {
            if (lists[i].size() < 2) {
                continue;
            }
            PipelineGroup group;
            group.index = i;
            group.ranks = std::move(lists[i]);
            group.missing = missing_of(group.ranks);
            if (group.missing.empty()) {
                measure(group);
            }
            run_.pipelines.push_back(std::move(group));
        }
    }

    [[nodiscard]] std::vector<std::int32_t> missing_of(
        const std::vector<std::int32_t>& ranks) const {
        std::vector<std::int32_t> missing;
        std::copy_if(ranks.begin(), ranks.end(), std::back_inserter(missing),
                     [&](std::int32_t rank) { return !index_of_.contains(rank); });
        return missing;
    }

    /// The first start and the last end of the steps of these ranks; empty spans count for nothing.
    [[nodiscard]] TimeSpan span_of(const std::vector<std::int32_t>& ranks) const {
        TimeSpans spans;
        for (const std::int32_t rank : ranks) {
            const std::size_t index = index_of_.at(rank);
            if (!run_.ranks[index].steps.empty()) {
                const TimeSpan steps = hull(run_.ranks[index].steps);
                spans.push_back({steps.start - zeros_[index], steps.end - zeros_[index]});
            }
        }
        return hull(spans);
    }

    void measure(PipelineGroup& group) const {
        const TimeSpan all = span_of(group.ranks);
        group.length_ns = all.end - all.start;
        std::int64_t busy = 0;
        for (const std::int32_t rank : group.ranks) {
            const std::size_t index = index_of_.at(rank);
            const RankProfile& profile = run_.ranks[index];
            PipelineRank stage;
            stage.rank = rank;
            stage.busy_ns = length(profile.steps);
            if (!profile.steps.empty()) {
                const TimeSpan steps = hull(profile.steps);
                stage.span = {steps.start - zeros_[index] - all.start,
                              steps.end - zeros_[index] - all.start};
            }
            busy += stage.busy_ns;
            group.stages.push_back(stage);
        }
        const double room =
            static_cast<double>(group.length_ns) * static_cast<double>(group.ranks.size());
        group.bubble = room > 0 ? 1 - static_cast<double>(busy) / room : 0;
    }

    void measure_models() {
        if (groups_ == nullptr || !groups_->replicas) {
            return;
        }
        RankLists lists = lists_of(groups_->replicas);
        for (std::size_t i = 0; i < lists.size(); ++i) {
            ModelGroup model;
            model.index = i;
            model.ranks = std::move(lists[i]);
            model.missing = missing_of(model.ranks);
            for (const PipelineGroup& pipeline : run_.pipelines) {
                if (std::all_of(pipeline.ranks.begin(), pipeline.ranks.end(), [&](auto rank) {
                        return std::find(model.ranks.begin(), model.ranks.end(), rank) !=
                               model.ranks.end();
                    })) {
                    model.pipelines.push_back(pipeline.index);
                }
            }
            if (model.missing.empty()) {
                measure(model);
            }
            run_.models.push_back(std::move(model));
        }
    }

    void measure(ModelGroup& model) const {
        const TimeSpan all = span_of(model.ranks);
        model.length_ns = all.end - all.start;
        std::vector<std::int64_t> sums;
        std::int64_t pipelines = 0;
        for (const PipelineGroup& pipeline : run_.pipelines) {
            if (std::find(model.pipelines.begin(), model.pipelines.end(), pipeline.index) ==
                model.pipelines.end()) {
                continue;
            }
            ++pipelines;
            sums.resize(std::max(sums.size(), pipeline.stages.size()));
            for (std::size_t stage = 0; stage < pipeline.stages.size(); ++stage) {
                sums[stage] += pipeline.stages[stage].busy_ns;
            }
        }
        for (const std::int64_t sum : sums) {
            model.stage_busy_ns.push_back(sum / pipelines);
        }
        const auto busiest =
            std::max_element(model.stage_busy_ns.begin(), model.stage_busy_ns.end());
        if (busiest != model.stage_busy_ns.end()) {
            model.critical_stage = static_cast<std::int32_t>(busiest - model.stage_busy_ns.begin());
        }
    }

    void note_missing() {
        std::int64_t world = 0;
        for (const RankProfile& rank : run_.ranks) {
            world = std::max<std::int64_t>(world, rank.world_size);
        }
        if (groups_ != nullptr) {
            world = std::max(world, groups_->world.value_or(0));
        }
        std::vector<std::int32_t> missing;
        for (std::int32_t rank = 0; rank < world; ++rank) {
            if (!index_of_.contains(rank)) {
                missing.push_back(rank);
            }
        }
        if (!missing.empty()) {
            const std::size_t shown = std::min<std::size_t>(missing.size(), 8);
            run_.notes.push_back(fmt::format(
                "{} of {} ranks have no profile ({}{}): pipeline groups and replicas with them are "
                "left out, and collectives are compared without them",
                missing.size(), world,
                fmt::join(missing.begin(), missing.begin() + static_cast<std::ptrdiff_t>(shown),
                          ", "),
                shown < missing.size() ? ", ..." : ""));
        }
        if (run_.pipelines.empty() && run_.ranks.size() > 1) {
            run_.notes.emplace_back(
                "no pipeline groups are known: neither a file unique_parallel_groups_*.txt is "
                "there, nor do the profiles list groups of that kind");
        }
    }

    void note_unequal() {
        std::map<std::pair<std::size_t, std::size_t>, std::vector<std::int32_t>> counts;
        for (const RankProfile& rank : run_.ranks) {
            const auto forward = static_cast<std::size_t>(
                std::count_if(rank.micro_batches.begin(), rank.micro_batches.end(),
                              [](const MicroBatch& one) { return one.forward; }));
            counts[{forward, rank.micro_batches.size() - forward}].push_back(rank.rank);
        }
        if (counts.size() < 2) {
            return;
        }
        std::string text;
        for (const auto& [count, ranks] : counts) {
            text += fmt::format("{}{} forward and {} backward on {} rank{} (rank {}{})",
                                text.empty() ? "" : "; ", count.first, count.second, ranks.size(),
                                ranks.size() == 1 ? "" : "s", ranks.front(),
                                ranks.size() == 1 ? "" : ", ...");
        }
        run_.notes.push_back(
            fmt::format("ranks have unequal numbers of micro-batches: {}. A micro-batch of one "
                        "rank need not be that of the same number on another",
                        text));
    }

    void note_clocks() {
        std::vector<std::int32_t> unlinked;
        for (const ClockOffset& clock : run_.clocks) {
            if (!clock.known) {
                unlinked.push_back(clock.rank);
            }
        }
        if (alignment_ == TimeAlignment::Corrected && !unlinked.empty() && run_.ranks.size() > 1) {
            run_.notes.push_back(
                fmt::format("the clocks of {} ranks (first: {}) could not be corrected: no "
                            "collective with known ranks links them with others",
                            unlinked.size(), unlinked.front()));
        }
    }

    const ParallelGroupsFile* groups_;
    TimeAlignment alignment_;
    RunProfile run_;
    std::vector<const RankProfile*> pointers_;
    std::map<std::int32_t, std::size_t> index_of_;
    std::vector<std::int64_t> zeros_;
};

}  // namespace

RunProfile measure_run(std::vector<RankProfile> ranks, const ParallelGroupsFile* groups,
                       TimeAlignment alignment) {
    return RunMeasurement(std::move(ranks), groups, alignment).measure();
}

}  // namespace npunet::analysis
