#include "analysis/rank_groups.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace npunet::analysis {

namespace {

/// Ranks that belong together, whatever joins them.
class Families {
public:
    explicit Families(std::size_t ranks) : parent_(ranks) {
        std::iota(parent_.begin(), parent_.end(), 0U);
    }

    void join(Rank a, Rank b) {
        const std::size_t x = head(a.index());
        const std::size_t y = head(b.index());
        parent_[std::max(x, y)] = std::min(x, y);
    }
    /// Of the given ranks, by lowest rank.
    [[nodiscard]] std::vector<std::vector<Rank>> list(const std::vector<Rank>& ranks) {
        std::map<std::size_t, std::vector<Rank>> families;
        for (const Rank rank : ranks) {
            families[head(rank.index())].push_back(rank);
        }
        std::vector<std::vector<Rank>> result;
        result.reserve(families.size());
        for (auto& [lowest, members] : families) {
            result.push_back(std::move(members));
        }
        return result;
    }

private:
    std::size_t head(std::size_t rank) {
        while (parent_[rank] != rank) {
            parent_[rank] = parent_[parent_[rank]];
            rank = parent_[rank];
        }
        return rank;
    }

    std::vector<std::size_t> parent_;
};

/// By rank: the start of the first forward computation; Time::max() without one.
std::vector<Time> first_forwards(const RunTimeline& timeline, std::size_t ranks) {
    std::vector<Time> first(ranks, Time::max());
    const Intervals& rows = timeline.intervals;
    for (std::size_t row = 0; row < rows.size(); ++row) {
        if (rows.category(row) == Category::Computation && rows.phase(row) == Phase::Forward) {
            Time& of_rank = first[rows.rank(row).index()];
            of_rank = std::min(of_rank, rows.start(row));
        }
    }
    return first;
}

std::size_t rank_count(const RunTimeline& timeline) {
    std::size_t count = 0;
    for (std::size_t row = 0; row < timeline.intervals.size(); ++row) {
        const Rank peer = timeline.intervals.peer(row);
        count = std::max(count, timeline.intervals.rank(row).index() + 1);
        count = std::max(count, peer.valid() ? peer.index() + 1 : 0);
    }
    for (const TimelineGroup& group : timeline.groups) {
        for (const Rank rank : group.ranks) {
            count = std::max(count, rank.index() + 1);
        }
    }
    return count;
}

}  // namespace

RankGroups find_rank_groups(const RunTimeline& timeline) {
    const std::size_t count = rank_count(timeline);
    Families pipelines(count);
    Families replicas(count);
    std::vector<bool> joined(timeline.groups.size(), false);
    const Intervals& rows = timeline.intervals;
    for (std::size_t row = 0; row < rows.size(); ++row) {
        const Dimension dimension = rows.dimension(row);
        const bool pipeline = dimension == Dimension::Pipeline;
        if (!pipeline && dimension != Dimension::Tensor && dimension != Dimension::Context) {
            continue;
        }
        const auto join = [&](Rank a, Rank b) {
            replicas.join(a, b);
            if (pipeline) {
                pipelines.join(a, b);
            }
        };
        if (rows.peer(row).valid()) {
            join(rows.rank(row), rows.peer(row));
        }
        const std::int32_t group = rows.group(row);
        if (group >= 0 && !joined[static_cast<std::size_t>(group)]) {
            joined[static_cast<std::size_t>(group)] = true;
            for (const Rank rank : timeline.groups[static_cast<std::size_t>(group)].ranks) {
                join(rows.rank(row), rank);
            }
        }
    }
    const std::vector<Rank> ranks = timeline.ranks();
    RankGroups groups;
    groups.replicas = replicas.list(ranks);
    groups.pipelines = pipelines.list(ranks);
    groups.pipelines.erase(
        std::remove_if(groups.pipelines.begin(), groups.pipelines.end(),
                       [](const std::vector<Rank>& members) { return members.size() < 2; }),
        groups.pipelines.end());
    const std::vector<Time> first = first_forwards(timeline, count);
    for (std::vector<Rank>& pipeline : groups.pipelines) {
        std::stable_sort(pipeline.begin(), pipeline.end(),
                         [&first](Rank a, Rank b) { return first[a.index()] < first[b.index()]; });
    }
    return groups;
}

}  // namespace npunet::analysis
