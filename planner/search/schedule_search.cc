#include "planner/search/schedule_search.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/errors.h"
#include "base/splitmix64.h"
#include "planner/search/plan_assembly.h"

namespace npunet::planner {

namespace {

/// Rounding must not cut off a plan that is as good as the limit.
constexpr double slack = 1 + 1e-12;

/// Some 3 GB together.
constexpr std::size_t most_partial_plans = 20'000'000;
constexpr std::size_t most_states = 4'000'000;

/// One step of a hash.
std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
    return splitmix64(hash + value);
}

void forget_times(PartialPlan& plan) {
    plan.sum_ms = plan.longest_ms = plan.update_ms = 0;
    plan.side_ms = plan.inside_ms = plan.last_side_ms = plan.last_inside_ms = 0;
}

}  // namespace

SearchCounts& SearchCounts::operator+=(const SearchCounts& other) {
    extended += other.extended;
    cut_off += other.cut_off;
    superfluous += other.superfluous;
    out_of_memory += other.out_of_memory;
    plans_costed += other.plans_costed;
    return *this;
}

ScheduleSearch::ScheduleSearch(const Problem& problem, const std::vector<StageSet>& sets,
                               const ScheduleChoice& choice, std::size_t keep)
    : problem_(problem),
      sets_(sets),
      choice_(choice),
      options_(problem, sets, choice.micro_batches, choice.chunks),
      bounds_(problem, choice.micro_batches, choice.chunks),
      states_(problem, sets, choice.chunks > 1),
      plans_(static_cast<std::uint32_t>(keep), choice.stages > 0) {
    const auto chunks = static_cast<double>(choice.chunks);
    weight_of_longest_ = static_cast<double>(choice.micro_batches) - 1 / chunks;
    weight_of_sum_ = 1 / chunks;
    options_begin_.assign(sets.size() + 1, 0);
    for (const StageOption& option : options_.all()) {
        ++options_begin_[option.set + 1];
    }
    for (std::uint32_t set = 0; set < sets.size(); ++set) {
        options_begin_[set + 1] += options_begin_[set];
    }
    use_sets(false);
    for (const std::uint32_t set : used_sets_) {
        most_devices_ = std::max(most_devices_, sets[set].devices);
    }
    impossible_ = bounds_.is_impossible() ||
                  problem.cluster().devices() > most_devices_ * options_.round_layers() ||
                  !all_classes_fit();
}

bool ScheduleSearch::holds_some_layer(const StageOption& option) const {
    const RangeTable& table = options_.table(option);
    for (std::int64_t first = 0; first < options_.round_layers(); ++first) {
        if (table.most_in_flight[options_.at(first, first + 1)] > 0) {
            return true;
        }
    }
    return false;
}

bool ScheduleSearch::all_classes_fit() const {
    std::vector<bool> fits(problem_.classes().size(), false);
    for (const StageOption& option : options_.all()) {
        const StageSet& set = sets_[option.set];
        bool is_new = set.part_class >= 0 && !fits[static_cast<std::size_t>(set.part_class)];
        for (std::size_t c = 0; c < fits.size(); ++c) {
            is_new = is_new || (set.whole[c] > 0 && !fits[c]);
        }
        if (!is_new || !holds_some_layer(option)) {
            continue;
        }
        for (std::size_t c = 0; c < fits.size(); ++c) {
            fits[c] = fits[c] || set.whole[c] > 0 || set.part_class == static_cast<std::int32_t>(c);
        }
    }
    return std::all_of(fits.begin(), fits.end(), [](bool fit) { return fit; });
}

double ScheduleSearch::step_ms(double longest, double sum, double update) const {
    return weight_of_longest_ * longest + weight_of_sum_ * sum + update;
}

double ScheduleSearch::least_ms() const {
    const std::vector<double>& capacities = capacities_of(states_.full());
    const std::int64_t layers = options_.round_layers();
    return step_ms(bounds_.longest(capacities, layers), bounds_.sum(capacities, layers), 0);
}

void ScheduleSearch::run(BestPlans& best, const Limits& limits) {
    ignores_times_ = limits.ignore_times;
    use_sets(limits.simple_stages);
    const auto round = static_cast<std::size_t>(options_.round_layers());
    layers_.assign(round + 1, {});
    layers_[round].lists.push_back(
        {plans_.add_first(states_.full(), static_cast<std::int32_t>(round))});
    for (std::size_t layers = round; layers > 0; --layers) {
        // Plans of a state follow each other, so that its moves are worked out once.
        std::vector<Move> moves;
        std::uint32_t state = 0;
        bool is_first = true;
        for (const std::uint32_t plan :
             to_extend(static_cast<std::int32_t>(layers), limits.width)) {
            if (limits.stop && limits.stop()) {
                return;
            }
            if (is_first || plans_[plan].state != state) {
                state = plans_[plan].state;
                moves.clear();
                states_.add_moves(state, used_sets_, moves);
                is_first = false;
            }
            extend(plan, moves, best);
        }
        layers_[layers] = {};
    }
}

std::vector<std::uint32_t> ScheduleSearch::to_extend(std::int32_t layers, std::size_t width) const {
    std::vector<std::uint32_t> plans;
    for (const List& list : layers_[static_cast<std::size_t>(layers)].lists) {
        plans.insert(plans.end(), list.begin(), list.end());
    }
    if (width == 0 || plans.size() <= width) {
        return plans;
    }
    std::vector<std::pair<double, std::uint32_t>> ordered;
    for (const std::uint32_t plan : plans) {
        ordered.emplace_back(bound_ms(plans_[plan]), plan);
    }
    std::sort(ordered.begin(), ordered.end());
    ordered.resize(width);
    plans.clear();
    for (const auto& [bound, plan] : ordered) {
        plans.push_back(plan);
    }
    std::sort(plans.begin(), plans.end(), [this](std::uint32_t a, std::uint32_t b) {
        return std::pair(plans_[a].state, a) < std::pair(plans_[b].state, b);
    });
    return plans;
}

double ScheduleSearch::bound_ms(const PartialPlan& plan) const {
    const std::vector<double>& capacities = capacities_of(plan.state);
    return step_ms(std::max(plan.longest_ms, bounds_.longest(capacities, plan.layers)),
                   plan.sum_ms + bounds_.sum(capacities, plan.layers), plan.update_ms);
}

bool ScheduleSearch::is_cut_off(double bound, const BestPlans& best) {
    if (bound <= best.limit_ms() * slack || ignores_times_) {
        return false;
    }
    ++counts_.cut_off;
    least_cut_off_ms_ = std::min(least_cut_off_ms_, bound);
    return true;
}

const std::vector<double>& ScheduleSearch::capacities_of(std::uint32_t state) const {
    if (capacities_.size() <= state) {
        capacities_.resize(std::max<std::size_t>(state + 1, 2 * capacities_.size()));
    }
    if (capacities_[state].empty()) {
        capacities_[state] = bounds_.capacities(states_.devices_by_type(state));
    }
    return capacities_[state];
}

void ScheduleSearch::use_sets(bool simple_stages) {
    used_sets_.clear();
    for (std::uint32_t set = 0; set < sets_.size(); ++set) {
        const auto classes = std::count_if(sets_[set].whole.begin(), sets_[set].whole.end(),
                                           [](std::int32_t whole) { return whole > 0; });
        if (options_begin_[set + 1] > options_begin_[set] &&
            (!simple_stages || classes + (sets_[set].part_class >= 0 ? 1 : 0) == 1)) {
            used_sets_.push_back(set);
        }
    }
}

void ScheduleSearch::check_memory() const {
    if (plans_.size() > most_partial_plans || states_.size() > most_states) {
        throw InputError({"--hostfile", "",
                          fmt::format("a search of more than {} partial plans or {} states",
                                      most_partial_plans, most_states),
                          "a cluster with fewer kinds of nodes, or a batch that divides them in "
                          "fewer ways",
                          "Make nodes alike, plan for a part of the cluster, or give --schedule "
                          "1f1b"});
    }
}

void ScheduleSearch::extend(std::uint32_t plan, const std::vector<Move>& moves, BestPlans& best) {
    if (is_cut_off(bound_ms(plans_[plan]), best)) {
        return;
    }
    check_memory();
    for (const Move& move : moves) {
        for (std::uint32_t o = options_begin_[move.set]; o < options_begin_[move.set + 1]; ++o) {
            extend_by(plan, move, options_.all()[o], best);
        }
    }
}

double ScheduleSearch::round_trip_ms(const PartialPlan& plan, const Move& move,
                                     const StageOption& option) const {
    if (plan.stages == 0) {
        return 0;
    }
    return 2 * (move.joins_previous ? std::max(option.inside_ms, plan.inside_ms)
                                    : std::max(option.side_ms, plan.side_ms));
}

double ScheduleSearch::wrap_ms(const PartialPlan& plan, const Move& move,
                               const StageOption& option) const {
    return 2 * (move.joins_last ? std::max(option.inside_ms, plan.last_inside_ms)
                                : std::max(option.side_ms, plan.last_side_ms));
}

bool ScheduleSearch::count_fits(const PartialPlan& plan) const {
    const bool is_complete = states_.is_empty(plan.state);
    if (states_.devices(plan.state) > most_devices_ * plan.layers) {
        return false;
    }
    if (choice_.stages == 0) {
        return is_complete || plan.layers > 0;
    }
    return is_complete
               ? plan.stages == choice_.stages
               : plan.layers >= choice_.stages - plan.stages && plan.stages < choice_.stages;
}

void ScheduleSearch::extend_by(std::uint32_t index, const Move& move, const StageOption& option,
                               BestPlans& best) {
    const PartialPlan from = plans_[index];  // a copy: place() adds plans
    const RangeTable& table = options_.table(option);
    const bool is_complete = states_.is_empty(move.state);
    const std::vector<double>& capacities = capacities_of(move.state);
    const double transfers =
        static_cast<double>(choice_.chunks) * round_trip_ms(from, move, option);
    const std::int64_t in_flight =
        chunks_in_flight(choice_.micro_batches, choice_.chunks,
                         choice_.stages == 0 ? from.stages + 1 : choice_.stages,
                         choice_.stages == 0 ? 0 : choice_.stages - from.stages - 1);
    PartialPlan plan = from;
    plan.parent = index;
    plan.option = static_cast<std::uint32_t>(&option - options_.all().data());
    plan.state = move.state;
    plan.source = move.source;
    plan.stages = from.stages + 1;
    plan.side_ms = option.side_ms;
    plan.inside_ms = states_.has_previous(move.state) ? option.inside_ms : 0;
    if (choice_.chunks > 1 && from.stages == 0) {
        plan.last_side_ms = option.side_ms;
        plan.last_inside_ms = option.inside_ms;
    }
    plan.last_inside_ms = states_.has_last(move.state) ? plan.last_inside_ms : 0;
    for (std::int32_t first = is_complete ? 0 : from.layers - 1; first >= (is_complete ? 0 : 1);
         --first) {
        ++counts_.extended;
        const std::size_t range = options_.at(first, from.layers);
        if (table.most_in_flight[range] < in_flight) {
            ++counts_.out_of_memory;
            return;  // more layers do not fit either
        }
        double period =
            table.computing_ms[range] + option.tensor_ms * (from.layers - first) + transfers;
        if (first == 0 && choice_.chunks > 1) {
            period += static_cast<double>(choice_.chunks - 1) * wrap_ms(from, move, option);
        }
        plan.layers = first;
        plan.sum_ms = from.sum_ms + period;
        plan.longest_ms = std::max(from.longest_ms, period);
        plan.update_ms = std::max(
            from.update_ms, option.update_ms_per_byte * (options_.parameters_before(from.layers) -
                                                         options_.parameters_before(first)) +
                                option.update_ms);
        if (is_cut_off(step_ms(plan.longest_ms, plan.sum_ms, plan.update_ms), best)) {
            return;  // more layers take longer
        }
        const double bound = step_ms(std::max(plan.longest_ms, bounds_.longest(capacities, first)),
                                     plan.sum_ms + bounds_.sum(capacities, first), plan.update_ms);
        if (!count_fits(plan)) {
            continue;
        }
        if (ignores_times_) {
            forget_times(plan);
        }
        plan.description = mixed(mixed(from.description, (std::uint64_t{plan.option} << 32U) |
                                                             static_cast<std::uint64_t>(first)),
                                 (move.joins_previous ? 1U : 0U) + (move.joins_last ? 2U : 0U));
        place(plan, bound, best);
    }
}

void ScheduleSearch::place(const PartialPlan& plan, double bound, BestPlans& best) {
    if (is_cut_off(bound, best)) {
        return;
    }
    if (plan.layers == 0) {
        complete(plan, best);
        return;
    }
    Layer& layer = layers_[static_cast<std::size_t>(plan.layers)];
    const std::uint64_t count = choice_.stages == 0 ? 0 : static_cast<std::uint64_t>(plan.stages);
    const auto [known, is_new] =
        layer.index.try_emplace(std::uint64_t{plan.state} | (count << 32U), layer.lists.size());
    if (is_new) {
        layer.lists.emplace_back();
    }
    if (!plans_.add(plan, layer.lists[known->second])) {
        ++counts_.superfluous;
    }
}

void ScheduleSearch::complete(const PartialPlan& plan, BestPlans& best) {
    ++counts_.plans_costed;
    const double step = step_ms(plan.longest_ms, plan.sum_ms, plan.update_ms);
    const std::uint64_t description =
        mixed(mixed(plan.description, static_cast<std::uint64_t>(choice_.micro_batches)),
              static_cast<std::uint64_t>(choice_.chunks));
    if (best.wants(step, description)) {
        best.add({step, description, plan_of(plan)});
    }
}

Plan ScheduleSearch::plan_of(const PartialPlan& last) const {
    PlanAssembly assembly(problem_, choice_.micro_batches, choice_.chunks);
    std::vector<const PartialPlan*> chain;  // from the first stage to the last
    for (const PartialPlan* plan = &last; plan->stages > 0; plan = &plans_[plan->parent]) {
        chain.push_back(plan);
    }
    for (std::size_t i = chain.size(); i-- > 0;) {
        const PartialPlan& plan = *chain[i];
        const StageOption& option = options_.all()[plan.option];
        const std::int64_t end =
            i + 1 < chain.size() ? chain[i + 1]->layers : options_.round_layers();
        PlanStage stage;
        stage.dp = option.dp;
        stage.tp = option.tp;
        stage.batch = option.batch;
        stage.first_layer = plan.layers;
        stage.layers = end - plan.layers;
        assembly.put_before(sets_[option.set], plan.source, std::move(stage));
    }
    return assembly.finish();
}

}  // namespace npunet::planner
