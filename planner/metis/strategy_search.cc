#include "planner/metis/strategy_search.h"

#include <algorithm>

#include "base/errors.h"

namespace npunet::planner::metis {

namespace {

constexpr int most_attempts = 3;

}  // namespace

StrategySearch::StrategySearch(const SearchTables& tables)
    : tables_(&tables),
      mixed_(tables),
      stages_(tables, mixed_),
      balancer_(tables.profiles().first().norm, tables.arguments().num_layers) {}

void StrategySearch::arrange(const Visit& visit, const std::uint8_t* logs, std::size_t stages) {
    visit_ = visit;
    logs_ = logs;
    group_begun_ = false;
    division_cache_.clear(stages);
    stages_.arrange(static_cast<std::size_t>(visit.sequence), logs, stages);
    demand_.resize(stages);
    headroom_.resize(stages);
    performance_.resize(stages);
    bounds_.assign(stages + 1, 0);
}

void StrategySearch::start(std::size_t batches) {
    stages_.start(batches);
    keys_ = Keys::LargestDp;
    first_headroom_.clear();
    hopeless_ = false;
    waiting_ = 0;
    largest_ = *std::max_element(stages_.log_dp().begin(), stages_.log_dp().end());
    largest_at_ = 0;
    for (std::size_t s = 0; s < stages_.stages(); ++s) {
        hopeless_ = hopeless_ || too_much_for_profiles(s);
        waiting_ += without_samples(s) ? 1 : 0;
    }
}

bool StrategySearch::too_much_for_profiles(std::size_t stage) const {
    const Arguments& arguments = tables_->arguments();
    return tables_->micro_batch(stages_.batches(), stages_.log_dp()[stage]) >
               arguments.max_profiled_batch_size ||
           std::int64_t{1} << stages_.log_tp(stage) > arguments.max_profiled_tp_degree;
}

bool StrategySearch::without_samples(std::size_t stage) const {
    return tables_->micro_batch(stages_.batches(), stages_.log_dp()[stage]) == 0;
}

/// The first of the stages with the largest dp. dp only falls: before `largest_at_` it is below the
/// largest, and nowhere above it.
std::size_t StrategySearch::stage_of_largest_dp() {
    const std::vector<std::uint8_t>& log_dp = stages_.log_dp();
    for (; largest_ > 0; --largest_, largest_at_ = 0) {
        while (largest_at_ < log_dp.size() && log_dp[largest_at_] != largest_) {
            ++largest_at_;
        }
        if (largest_at_ < log_dp.size()) {
            return largest_at_;
        }
    }
    return log_dp.size();
}

/// The number of stages where none can be split.
std::size_t StrategySearch::stage_to_split() {
    if (keys_ == Keys::LargestDp) {
        return stage_of_largest_dp();
    }
    const std::vector<std::uint8_t>& log_dp = stages_.log_dp();
    const std::vector<double>& key = keys_ == Keys::Last ? headroom_ : first_headroom_;
    std::size_t best = log_dp.size();
    for (std::size_t s = 0; s < log_dp.size(); ++s) {
        if (log_dp[s] != 0 && (best == log_dp.size() || key[s] < key[best])) {
            best = s;
        }
    }
    return best;
}

/// Splits one stage; false when none can be.
bool StrategySearch::advance() {
    const std::size_t stage = stage_to_split();
    if (stage == stages_.stages()) {
        return false;
    }
    waiting_ -= without_samples(stage) ? 1 : 0;
    stages_.split(stage);
    waiting_ += without_samples(stage) ? 1 : 0;
    hopeless_ = too_much_for_profiles(stage);
    return true;
}

void StrategySearch::run(std::size_t batches, Found& found, double limit) {
    start(batches);
    std::uint64_t steps = 0;
    for (;;) {
        if (hopeless_) {
            return;
        }
        if (waiting_ == 0) {
            stages_.refresh();
            const int attempts = divide_layers(steps);
            if (attempts != 0) {
                found.steps += steps;
                steps = 0;
                take_costs(attempts, found, limit);
            }
            if (attempts == 1) {
                return;
            }
        }
        ++steps;
        if (!advance()) {
            return;
        }
    }
}

void StrategySearch::find_headroom() {
    if (!division_cache_.find(performance_, counts_)) {
        balancer_.run(performance_, counts_);
        division_cache_.keep(performance_, counts_);
    }
    for (std::size_t s = 0; s < counts_.size(); ++s) {
        bounds_[s + 1] = static_cast<std::uint16_t>(bounds_[s] + counts_[s]);
        demand_[s] = stages_.demand(s, bounds_[s], bounds_[s + 1]);
        headroom_[s] = stages_.capacity()[s] - demand_[s];
    }
}

/// The attempt that fits the memory; 0: none does. Every one that does not is a step.
int StrategySearch::divide_layers(std::uint64_t& steps) {
    const bool first_counts = tables_->arguments().strategy == Strategy::Headroom;
    double total = 0;
    for (const double performance : stages_.performance()) {
        total += performance;
    }
    if (!(total > 0)) {
        throw InputError({"the profiles", "", "stages that take no time",
                          "times above 0 for every batch", "Correct the profiles"});
    }
    for (std::size_t s = 0; s < performance_.size(); ++s) {
        performance_[s] = stages_.performance()[s] / total;
    }
    first_headroom_.clear();
    for (int attempt = 1; attempt <= most_attempts; ++attempt) {
        find_headroom();
        if (*std::min_element(headroom_.begin(), headroom_.end()) >= 0) {
            keys_ = first_counts && attempt > 1 ? Keys::First : Keys::Last;
            return attempt;
        }
        if (attempt == 1) {
            first_headroom_ = headroom_;
        }
        ++steps;
        if (!adjustment_.adjust(performance_, stages_.capacity(), demand_)) {
            break;
        }
    }
    keys_ = first_counts ? Keys::First : Keys::LargestDp;
    return 0;
}

void StrategySearch::take_costs(int attempts, Found& found, double limit) {
    const auto costed = std::min(static_cast<std::size_t>(visit_.costed), stages_.stages());
    CostParts parts;
    if (!cost_of(stages_, *tables_, costed, bounds_, parts)) {
        ++found.dropped;
        return;
    }
    ++found.costed;
    const double cost = parts.sum();
    if (!(cost < limit)) {
        return;
    }
    if (!group_begun_) {
        found.plans.begin_group(static_cast<std::uint32_t>(visit_.sequence),
                                static_cast<std::uint32_t>(costed), logs_, stages_.stages());
        group_begun_ = true;
    }
    found.plans.add(cost, stages_.batches(), attempts, stages_.log_dp(), bounds_);
}

}  // namespace npunet::planner::metis
