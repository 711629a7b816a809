#include "study/gap/critical_path.h"

#include <algorithm>
#include <optional>
#include <tuple>

namespace npunet::study {

namespace {

constexpr std::uint32_t none = 0xffffffff;

class PathFinder {
public:
    PathFinder(const engine::Workload& workload, const RunTimes& times,
               const std::vector<JointOperation>& list,
               const std::vector<std::vector<std::uint32_t>>& communication_of)
        : workload_(workload),
          times_(times),
          list_(list),
          communication_of_(communication_of),
          by_end_(workload.ranks()),
          seen_(workload.ranks()),
          on_path_(list.size()) {}

    std::vector<std::uint32_t> find() {
        std::vector<std::uint32_t> path;
        for (std::optional<Place> at = last(); at; at = before(*at)) {
            const std::uint32_t communication = communication_of(*at);
            if (communication != none && !on_path_[communication]) {
                on_path_[communication] = true;
                path.push_back(communication);
                *at = what_released(list_[communication]);
            }
            mark(*at);
        }
        std::reverse(path.begin(), path.end());
        return path;
    }

private:
    [[nodiscard]] std::uint32_t communication_of(Place place) const {
        return communication_of_[place.rank.index()][place.number];
    }
    void mark(Place place) {
        std::vector<bool>& seen = seen_[place.rank.index()];
        seen.resize(times_.spans[place.rank.index()].size());
        seen[place.number] = true;
    }
    [[nodiscard]] bool was_seen(Place place) const {
        const std::vector<bool>& seen = seen_[place.rank.index()];
        return place.number < seen.size() && seen[place.number];
    }

    [[nodiscard]] std::optional<Place> last() const {
        std::optional<Place> found;
        for (std::size_t rank = 0; rank < times_.spans.size(); ++rank) {
            for (std::uint32_t i = 0; i < times_.spans[rank].size(); ++i) {
                const Place place{Rank(rank), i};
                if (times_.of(place).end == times_.finish &&
                    (!found ||
                     (communication_of(*found) == none && communication_of(place) != none))) {
                    found = place;
                }
            }
        }
        return found;
    }

    [[nodiscard]] Place what_released(const JointOperation& communication) const {
        Place latest = communication.parts.front();
        if (!communication.collective) {
            const Place receive = communication.parts.back();
            return times_.of(receive).start == times_.of(receive).end ? receive : latest;
        }
        for (const Place part : communication.parts) {
            latest = times_.of(latest).start < times_.of(part).start ? part : latest;
        }
        return latest;
    }

    /// The operations of a rank, ascending by end.
    const std::vector<std::uint32_t>& by_end(Rank rank) {
        std::vector<std::uint32_t>& order = by_end_[rank.index()];
        const std::vector<Span>& spans = times_.spans[rank.index()];
        if (order.empty()) {
            for (std::uint32_t i = 0; i < spans.size(); ++i) {
                order.push_back(i);
            }
            std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
                return spans[a].end < spans[b].end;
            });
        }
        return order;
    }

    [[nodiscard]] bool is_waited_for(Place earlier, Place place) const {
        const engine::RankProgram& program = workload_.program(place.rank);
        const auto first = program.children.begin() + program.child_begin[earlier.number];
        const auto last = program.children.begin() + program.child_begin[earlier.number + 1];
        return std::find(first, last, place.number) != last;
    }

    std::optional<Place> before(Place place) {
        const Time start = times_.of(place).start;
        const std::vector<Span>& spans = times_.spans[place.rank.index()];
        const std::vector<std::uint32_t>& order = by_end(place.rank);
        auto at = std::lower_bound(order.begin(), order.end(), start,
                                   [&](std::uint32_t i, Time time) { return spans[i].end < time; });
        std::optional<Place> best;
        const auto merit = [&](Place candidate) {
            return std::tuple(!is_waited_for(candidate, place), communication_of(candidate) == none,
                              candidate.number);
        };
        for (; at != order.end() && spans[*at].end == start; ++at) {
            const Place candidate{place.rank, *at};
            if (!was_seen(candidate) && (!best || merit(candidate) < merit(*best))) {
                best = candidate;
            }
        }
        return best;
    }

    const engine::Workload& workload_;
    const RunTimes& times_;
    const std::vector<JointOperation>& list_;
    const std::vector<std::vector<std::uint32_t>>& communication_of_;
    std::vector<std::vector<std::uint32_t>> by_end_;  ///< by rank; empty before its first use
    std::vector<std::vector<bool>> seen_;             ///< by rank
    std::vector<bool> on_path_;
};

}  // namespace

std::vector<std::uint32_t> critical_path(
    const engine::Workload& workload, const RunTimes& times,
    const std::vector<JointOperation>& list,
    const std::vector<std::vector<std::uint32_t>>& communication_of) {
    return PathFinder(workload, times, list, communication_of).find();
}

}  // namespace npunet::study
