#include "engine/collective/algorithm_chooser.h"

#include <algorithm>

#include "base/splitmix64.h"

namespace npunet::engine {

namespace {

constexpr std::int32_t most_splits = 64;
/// Members that stand for more.
constexpr std::size_t most_members = 256;
/// More messages than that are not timed: a tenth of a second.
constexpr std::int64_t most_messages = 400'000;
/// Members that differ are timed one by one if together they send no more messages than this.
constexpr std::int64_t few_messages = 40'000;
/// The smallest part of a member that is cut off as a chunk: a packet or so. Less would be headers.
constexpr std::int64_t least_part = 4096;
/// More chunks must be faster by more than this part of the time: 0.5 %.
constexpr std::int64_t worthwhile = 200;

/// Phases along several lines exist for these only.
bool has_hierarchical_form(CollectiveKind kind) {
    return kind != CollectiveKind::Gather && kind != CollectiveKind::Scatter &&
           kind != CollectiveKind::Barrier;
}

/// Whether a member's part is an n-th of the size in the trace.
bool has_parts(CollectiveKind kind) {
    return kind == CollectiveKind::AllReduce || kind == CollectiveKind::ReduceScatter ||
           kind == CollectiveKind::AllToAll || kind == CollectiveKind::Scatter;
}

/// Whether an algorithm can serve in a factor, all but the last of which scatter and gather.
bool fits(const Implementation& implementation, CollectiveKind kind, bool last) {
    if (!implementation.does(kind) && (last || !has_root(kind))) {
        return false;
    }
    return last || kind == CollectiveKind::AllToAll ||
           (implementation.does(CollectiveKind::AllGather) &&
            implementation.does(CollectiveKind::ReduceScatter));
}

bool is_faster(Time a, Time b) {
    return a.ps() + a.ps() / worthwhile < b.ps();
}

/// At most 2 % slower.
bool is_close(Time time, Time fastest) {
    return time.ps() <= fastest.ps() + fastest.ps() / 50;
}

}  // namespace

std::string name_of(const AlgorithmForm& form, std::size_t factors) {
    if (form.flat) {
        return (factors > 1 ? "flat-" : "") + std::string(form.entries.front().name());
    }
    std::string text;
    for (std::size_t f = 0; f < factors; ++f) {
        text += text.empty() ? "" : "+";
        text += form.entry(f).name();
    }
    return text;
}

std::vector<AlgorithmForm> AlgorithmChooser::forms() const {
    const std::size_t factors = question_->layout->factors().size();
    std::vector<AlgorithmForm> result;
    for (const Implementation& implementation : Implementation::offered(question_->kind, false)) {
        if (question_->direct_only && implementation.algorithm != Algorithm::Direct) {
            continue;
        }
        if (factors > 1 && has_hierarchical_form(question_->kind) &&
            fits(implementation, question_->kind, true) &&
            fits(implementation, question_->kind, false)) {
            result.push_back({false, {implementation}});
        }
        if (!implementation.all_dimensions_at_once) {
            result.push_back({true, {implementation}});
        } else if (factors == 1) {
            result.push_back({false, {implementation}});
        }
    }
    return result;
}

std::vector<std::size_t> AlgorithmChooser::sample() const {
    const std::size_t all = question_->ranks->size();
    std::vector<std::size_t> members;
    if (all <= most_members) {
        for (std::size_t member = 0; member < all; ++member) {
            members.push_back(member);
        }
        return members;
    }
    // Drawn, for members at equal distances may all lie at the edges of their blocks.
    members.push_back(0);
    for (std::size_t i = 1; i < most_members; ++i) {
        members.push_back(splitmix64(i) % all);
    }
    std::sort(members.begin(), members.end());
    members.erase(std::unique(members.begin(), members.end()), members.end());
    return members;
}

std::vector<CollectivePlan> AlgorithmChooser::plans_of(const CollectiveRecipe& recipe,
                                                       bool tiny) const {
    std::vector<CollectivePlan> plans;
    plans.reserve(members_.size());
    for (const std::size_t member : members_) {
        plans.push_back((*planner_)(member, recipe, tiny));
    }
    return plans;
}

PlanTimer::Timing AlgorithmChooser::time(const CollectiveRecipe& recipe, bool tiny) {
    const std::vector<CollectivePlan> plans = plans_of(recipe, tiny);
    const std::int64_t messages = PlanTimer::messages(plans);
    const auto sampled = static_cast<std::int64_t>(members_.size());
    if (messages / sampled > most_messages) {
        return {Time::max(), Time::max()};
    }
    if (timer_.alike(plans, ranks_)) {
        return timer_.time_one(plans, ranks_);
    }
    const bool needs_all =
        has_root(question_->kind) ||
        recipe.form.entry(recipe.form.entries.size() - 1).algorithm == Algorithm::DoubleBinaryTree;
    if (members_.size() == question_->ranks->size() &&
        messages <= (needs_all ? most_messages : few_messages)) {
        return timer_.time_all(plans, ranks_);
    }
    return needs_all ? PlanTimer::Timing{Time::max(), Time::max()} : timer_.time_one(plans, ranks_);
}

AlgorithmChooser::Candidate AlgorithmChooser::look_at(const AlgorithmForm& form) {
    Candidate candidate;
    candidate.recipe.form = form;
    candidate.recipe.splits = std::max(1, question_->splits);
    candidate.recipe.active_chunks = std::max(1, question_->active_chunks);
    const PlanTimer::Timing timing = time(candidate.recipe);
    candidate.time = candidate.recipe.time = timing.end;
    candidate.latencies = time(candidate.recipe, true).end;
    candidate.least = std::max(timing.busiest, candidate.latencies);
    return candidate;
}

void AlgorithmChooser::tune_chunks(Candidate& candidate) {
    if (candidate.tuned) {
        return;
    }
    candidate.tuned = true;
    const std::int32_t fixed = question_->splits;
    const std::int64_t parts =
        question_->size.value() / least_part /
        static_cast<std::int64_t>(has_parts(question_->kind) ? question_->ranks->size() : 1);
    const auto most = static_cast<std::int32_t>(std::min<std::int64_t>(parts, most_splits));
    std::int32_t failures = 0;
    for (std::int32_t splits = fixed > 0 ? fixed : 2; splits <= std::max(fixed, most);
         splits *= 2) {
        const Time before = candidate.time;
        for (std::int32_t active = 1; active <= std::min(splits, 4); active *= 2) {
            CollectiveRecipe recipe = candidate.recipe;
            recipe.splits = splits;
            recipe.active_chunks = question_->active_chunks > 0 ? question_->active_chunks : active;
            const Time end = time(recipe).end;
            if (is_faster(end, candidate.time)) {
                recipe.time = candidate.time = end;
                candidate.recipe = recipe;
            }
            if (question_->active_chunks > 0) {
                break;
            }
        }
        failures = candidate.time < before ? 0 : failures + 1;
        if (fixed > 0 || failures == 2 || !is_faster(candidate.least, candidate.time)) {
            return;
        }
    }
}

void AlgorithmChooser::mix_algorithms(Candidate& best) {
    const std::size_t factors = question_->layout->factors().size();
    const bool rotates = best.recipe.form.entries.front().all_dimensions_at_once;
    if (best.recipe.form.flat || rotates || factors < 2 || question_->direct_only) {
        return;
    }
    best.recipe.form.entries.resize(factors, Implementation(best.recipe.form.entries.front()));
    for (std::size_t factor = 0; factor < factors; ++factor) {
        for (Implementation other : Implementation::offered(
                 has_root(question_->kind) && factor + 1 < factors ? CollectiveKind::AllGather
                                                                   : question_->kind,
                 false)) {
            if (other.all_dimensions_at_once ||
                !fits(other, question_->kind, factor + 1 == factors)) {
                continue;
            }
            Candidate mixed = best;
            mixed.recipe.form.entries[factor] = other;
            mixed.time = mixed.recipe.time = time(mixed.recipe).end;
            mixes_.push_back(mixed);
            if (is_faster(mixed.time, best.time)) {
                best = mixed;
            }
        }
    }
}

std::vector<TimedForm> AlgorithmChooser::others(const Candidate& best,
                                                const std::vector<Candidate>& candidates) const {
    const std::size_t factors = question_->layout->factors().size();
    std::vector<std::string> known{name_of(best.recipe.form, factors)};
    std::vector<TimedForm> result;
    const auto add = [&](const Candidate& candidate) {
        const CollectiveRecipe& recipe = candidate.recipe;
        std::string name = name_of(recipe.form, factors);
        if (candidate.time < Time::max() &&
            std::find(known.begin(), known.end(), name) == known.end()) {
            result.push_back({recipe.form, recipe.splits, recipe.active_chunks, candidate.time});
            known.push_back(std::move(name));
        }
    };
    std::for_each(candidates.begin(), candidates.end(), add);
    std::for_each(mixes_.begin(), mixes_.end(), add);
    std::stable_sort(result.begin(), result.end(),
                     [](const TimedForm& a, const TimedForm& b) { return a.time < b.time; });
    return result;
}

Time AlgorithmChooser::with_shared_links(const Candidate& candidate) const {
    CollectiveRecipe whole = candidate.recipe;
    whole.splits = 1;
    const std::vector<CollectivePlan> plans = plans_of(whole, false);
    if (members_.size() < question_->ranks->size() ||
        PlanTimer::messages(plans) > most_messages / 4) {
        return candidate.time;
    }
    return std::max(candidate.time, timer_.busiest_link(plans, ranks_));
}

AlgorithmChooser::Candidate AlgorithmChooser::spare_shared_links(
    const Candidate& fastest, std::vector<Candidate>& candidates) {
    Candidate best = fastest;
    Time least = with_shared_links(best);
    if (!is_faster(fastest.time, least)) {
        // Of equals the one with the fewest latencies to hide: packets of several messages that
        // share a port are all late together, where the estimate lets one of them go first.
        for (const Candidate& candidate : candidates) {
            if (is_close(candidate.time, fastest.time) &&
                is_faster(candidate.latencies, best.latencies) &&
                is_close(with_shared_links(candidate), fastest.time)) {
                best = candidate;
            }
        }
        return best;
    }
    for (Candidate& candidate : candidates) {
        if (!is_faster(fastest.time, least)) {
            break;
        }
        if (is_open() && is_close(candidate.least, fastest.time)) {
            tune_chunks(candidate);
        }
        if (!is_close(candidate.time, fastest.time)) {
            continue;
        }
        const Time time = with_shared_links(candidate);
        if (is_faster(time, least)) {
            best = candidate;
            least = time;
        }
    }
    return best;
}

CollectiveRecipe AlgorithmChooser::choose(const Question& question, const Planner& planner) {
    question_ = &question;
    planner_ = &planner;
    mixes_.clear();
    members_ = sample();
    ranks_.clear();
    for (const std::size_t member : members_) {
        ranks_.push_back((*question.ranks)[member]);
    }
    std::vector<Candidate> candidates;
    for (const AlgorithmForm& form :
         question.form != nullptr ? std::vector<AlgorithmForm>{*question.form} : forms()) {
        candidates.push_back(look_at(form));
    }
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const Candidate& a, const Candidate& b) { return a.time < b.time; });
    Candidate best = candidates.front();
    for (Candidate& candidate : candidates) {
        if (is_open() && is_faster(candidate.least, best.time)) {
            tune_chunks(candidate);
        }
        if (is_faster(candidate.time, best.time)) {
            best = candidate;
        }
    }
    if (question.form == nullptr) {
        Candidate mixed = best;
        mix_algorithms(mixed);
        if (mixed.time < best.time) {
            mixed.tuned = false;
            if (is_open()) {
                tune_chunks(mixed);
            }
            mixed.latencies = look_at(mixed.recipe.form).latencies;
            candidates.push_back(mixed);
        }
        best = spare_shared_links(mixed, candidates);
    }
    best.recipe.others = others(best, candidates);
    return best.recipe;
}

}  // namespace npunet::engine
