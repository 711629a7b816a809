#include "planner/search/plan_search.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "base/thread_pool.h"
#include "planner/search/infeasibility.h"
#include "planner/search/plan_count.h"

namespace npunet::planner {

namespace {

/// A quick first search keeps so many partial plans with the same number of layers left.
constexpr std::size_t quick_width = 24;
/// So many where only memory counts.
constexpr std::size_t feasible_width = 2000;
/// The limit of costs grows by this factor from one exact search to the next.
constexpr double growth = 1.06;
/// So many choices are searched at once.
constexpr std::size_t batch_size = 8;

/// Some stage of that many devices has replicas that divide the batch.
bool is_possible_size(const Problem& problem, std::int64_t devices) {
    std::int64_t most = 1;
    for (const NodeClass& node_class : problem.classes()) {
        most = std::max(most, node_class.node.devices);
    }
    for (std::int64_t tp = 1; tp <= std::min(most, devices); ++tp) {
        if (devices % tp == 0 && problem.model().global_batch % (devices / tp) == 0) {
            return true;
        }
    }
    return false;
}

std::vector<ScheduleChoice> choices_of(const Problem& problem, const PlanSearchOptions& options) {
    std::vector<ScheduleChoice> choices;
    const std::int64_t layers = problem.model().layers;
    for (const std::int64_t m : divisors_of(problem.model().global_batch)) {
        if (options.one_forward_one_backward) {
            choices.push_back({m, 1, 0});
        }
        for (const std::int64_t v : divisors_of(layers)) {
            const std::int64_t most = std::min({layers / v, problem.cluster().devices(), m});
            for (std::int64_t s = 2; options.interleaved && v > 1 && s <= most; ++s) {
                if (m % s == 0) {
                    choices.push_back({m, v, s});
                }
            }
        }
    }
    return choices;
}

class Search {
public:
    Search(const Problem& problem, const PlanSearchOptions& options)
        : problem_(problem),
          options_(options),
          sets_(stage_sets(problem, [&](std::int64_t n) { return is_possible_size(problem, n); })),
          choices_(choices_of(problem, options)),
          best_(options.keep) {}

    /// Some plan, if there is one.
    std::optional<Plan> some_plan() {
        search_quickly();
        if (best_.all().empty()) {
            look_for_any();
        }
        return best_.all().empty() ? std::nullopt : std::optional(best_.all().front().plan);
    }

    PlanSearchResult run() {
        if (!some_plan() && !stopped()) {
            throw infeasible(problem_, missing_, [this](const Problem& other) {
                PlanSearchOptions options = options_;
                options.keep = 1;
                options.progress = {};
                return Search(other, options).some_plan();
            });
        }
        search_exactly();
        PlanSearchResult result;
        for (const FoundPlan& found : best_.all()) {
            result.plans.push_back({found.plan, cost_of(problem_, found.plan)});
        }
        std::stable_sort(result.plans.begin(), result.plans.end(),
                         [](const RankedPlan& a, const RankedPlan& b) {
                             return a.cost.step_ms() < b.cost.step_ms();
                         });
        result.is_partial = stopped();
        for (const Open& open : open_) {
            result.counts += open.counts;
        }
        result.missing.assign(missing_.begin(), missing_.end());
        if (!result.is_partial) {
            const PlanCount count = count_plans(problem_, sets_, choices_);
            result.plans_in_space = count.plans;
            result.counted_whole_nodes_only = count.whole_nodes_only;
        }
        return result;
    }

private:
    /// A choice that may hold plans.
    struct Open {
        double least_ms = 0;         ///< what its plans that are not known yet cost at least
        SearchCounts counts;         ///< of the last exact search
        std::uint64_t extended = 0;  ///< what it took to search it last
        std::size_t choice = 0;
    };

    [[nodiscard]] bool stopped() const { return options_.stop && options_.stop(); }

    /// Throws InputError for profiles that are missing among the others.
    void find_missing() {
        std::int64_t before = 0;
        for (const ScheduleChoice& choice : choices_) {
            if (choice.micro_batches != before) {
                const StageOptions options(problem_, sets_, choice.micro_batches, choice.chunks);
                missing_.insert(options.missing().begin(), options.missing().end());
                before = choice.micro_batches;
            }
        }
        const std::optional<InputError> error = missing_among_others(problem_, missing_);
        if (error && !problem_.model().skip_missing_profiles) {
            throw InputError(*error);
        }
    }

    /// Good plans to prune by, and the choices that there are to search.
    void search_quickly() {
        find_missing();
        for (std::size_t i = 0; i < choices_.size() && !stopped(); ++i) {
            ScheduleSearch search(problem_, sets_, choices_[i], options_.keep);
            if (search.is_impossible()) {
                continue;
            }
            search.run(best_, {quick_width, true, false, options_.stop});
            open_.push_back({search.least_ms(), {}, search.counts().extended, i});
        }
    }

    /// A quick search may miss the only plans that fit.
    void look_for_any() {
        for (std::size_t i = 0; i < open_.size() && best_.all().empty() && !stopped(); ++i) {
            ScheduleSearch search(problem_, sets_, choices_[open_[i].choice], 1);
            BestPlans any(1);
            search.run(any, {feasible_width, false, true, options_.stop});
            for (FoundPlan found : any.all()) {
                found.step_ms = cost_of(problem_, found.plan).step_ms();
                best_.add(std::move(found));
            }
        }
    }

    /// Searches with a limit that grows until k plans are below it: little is tried that costs much
    /// more than they do.
    void search_exactly() {
        double limit = std::numeric_limits<double>::infinity();
        for (const Open& open : open_) {
            limit = std::min(limit, open.least_ms);
        }
        for (bool is_done = open_.empty(); !is_done && !stopped();) {
            limit = std::min(limit * growth, best_.limit_ms());
            BestPlans below(options_.keep, limit);
            below.add_all(best_);
            search_below(below);
            best_.add_all(below);
            double least = std::numeric_limits<double>::infinity();
            for (const Open& open : open_) {
                least = std::min(least, open.least_ms);
            }
            is_done = below.are_complete() || least > best_.limit_ms() ||
                      least == std::numeric_limits<double>::infinity();
            limit = std::max(limit, least);
        }
    }

    /// Adds the plans below the limit of `below` to it. Choices of a batch do not learn from each
    /// other, so that nothing depends on the number of threads; later batches do from earlier ones.
    void search_below(BestPlans& below) {
        std::stable_sort(open_.begin(), open_.end(),
                         [](const Open& a, const Open& b) { return a.extended < b.extended; });
        for (std::size_t begin = 0; begin < open_.size(); begin += batch_size) {
            const std::size_t size = std::min(batch_size, open_.size() - begin);
            std::vector<BestPlans> found(size, below);
            for_each_in_parallel(
                size, [&](std::size_t i) { search_one(open_[begin + i], found[i]); },
                options_.threads);
            for (std::size_t i = 0; i < size; ++i) {
                below.add_all(found[i]);
            }
            if (options_.progress) {
                options_.progress(begin + size, open_.size());
            }
        }
    }

    void search_one(Open& open, BestPlans& best) const {
        if (open.least_ms > best.limit_ms() || stopped()) {
            return;
        }
        ScheduleSearch search(problem_, sets_, choices_[open.choice], options_.keep);
        search.run(best, {0, false, false, options_.stop});
        open.counts = search.counts();
        open.extended = open.counts.extended;
        open.least_ms = search.least_cut_off_ms();
    }

    const Problem& problem_;
    const PlanSearchOptions& options_;
    std::vector<StageSet> sets_;
    std::vector<ScheduleChoice> choices_;
    std::vector<Open> open_;
    BestPlans best_;
    std::set<MissingProfile> missing_;
};

}  // namespace

PlanSearchResult search_plans(const Problem& problem, const PlanSearchOptions& options) {
    return Search(problem, options).run();
}

}  // namespace npunet::planner
