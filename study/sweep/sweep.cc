#include "study/sweep/sweep.h"

#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "study/sweep/parameters.h"

namespace npunet::study {

namespace {

/// All values of a point but its fidelity, which two points of different stages may share.
std::string but_fidelity(const DesignSpace& space, const Point& point) {
    std::string text;
    for (const Parameter& parameter : parameters_of(space.kind)) {
        if (parameter.name != "fidelity") {
            text += space.text_of(point, parameter.name, "") + '\n';
        }
    }
    return text;
}

/// The points of the first stage that the second one replays, best first within each task.
std::vector<std::size_t> chosen_for_replay(const DesignSpace& space, const Ranking& ranking,
                                           const std::vector<std::optional<Outcome>>& outcomes) {
    std::set<std::string> known;
    for (const Point& point : space.points) {
        if (space.text_of(point, "fidelity", "") == space.replay->fidelity.text) {
            known.insert(but_fidelity(space, point));
        }
    }
    std::vector<std::size_t> chosen;
    for (const Group& group : ranking.groups) {
        std::size_t taken = 0;
        for (const std::size_t number : group.points) {
            const Outcome& outcome = *outcomes[number];
            const bool beyond = space.memory_limit && outcome.memory_known() &&
                                outcome.largest.peak_memory > *space.memory_limit;
            if (taken == space.replay->top || beyond) {
                continue;
            }
            if (known.insert(but_fidelity(space, space.points[number])).second) {
                chosen.push_back(number);
                ++taken;
            }
        }
    }
    return chosen;
}

class Stages {
public:
    Stages(DesignSpace& space, Workers& workers, Journal* journal, SweepObserver& observer,
           const std::function<bool()>& stop)
        : space_(space), workers_(workers), journal_(journal), observer_(observer), stop_(stop) {}

    SweepResults run() {
        std::vector<Task> tasks;
        for (std::size_t number = 0; number < space_.points.size(); ++number) {
            tasks.push_back({number, number});
        }
        run_stage(tasks);
        results_.ranking = rank_points(space_, results_.outcomes);
        if (!results_.stopped && space_.replay) {
            run_replays();
            results_.ranking = rank_points(space_, results_.outcomes);
        }
        return std::move(results_);
    }

private:
    void run_replays() {
        std::vector<Task> tasks;
        for (const std::size_t base :
             chosen_for_replay(space_, results_.ranking, results_.outcomes)) {
            tasks.push_back({space_.points.size() + tasks.size(), base});
        }
        for (const Task& task : tasks) {
            Point point = space_.points[task.base];
            point.replay_of = task.base;
            space_.points.push_back(std::move(point));
        }
        run_stage(tasks);
    }

    void run_stage(const std::vector<Task>& all) {
        results_.outcomes.resize(space_.points.size());
        std::vector<Task> left;
        for (const Task& task : all) {
            if (journal_ != nullptr && journal_->done().count(task.number) != 0) {
                results_.outcomes[task.number] = journal_->done().at(task.number);
            } else {
                left.push_back(task);
            }
        }
        if (all.empty()) {
            return;
        }
        observer_.started(all.size(), all.size() - left.size());
        std::size_t finished_here = 0;
        workers_.run(
            left,
            [&](const Finished& finished) {
                if (journal_ != nullptr) {
                    journal_->append(finished.number, finished.outcome);
                }
                results_.outcomes[finished.number] = finished.outcome;
                ++finished_here;
                observer_.finished(finished.number, finished.outcome);
            },
            stop_);
        if (journal_ != nullptr) {
            journal_->sync();
        }
        results_.stopped = finished_here < left.size();
    }

    DesignSpace& space_;
    Workers& workers_;
    Journal* journal_;
    SweepObserver& observer_;
    const std::function<bool()>& stop_;
    SweepResults results_;
};

}  // namespace

SweepResults run_sweep(DesignSpace& space, Workers& workers, Journal* journal,
                       SweepObserver& observer, const std::function<bool()>& stop) {
    return Stages(space, workers, journal, observer, stop).run();
}

}  // namespace npunet::study
