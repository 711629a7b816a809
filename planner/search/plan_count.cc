#include "planner/search/plan_count.h"

#include <algorithm>
#include <map>
#include <optional>

#include "planner/search/device_states.h"

namespace npunet::planner {

namespace {

/// So many sums are formed at most before splitting nodes is left out.
constexpr std::size_t most_work = 20'000'000;

using ByStages = std::vector<double>;

/// For a number of micro-batches: how many (dp, tp) each set has.
std::vector<double> option_counts(const Problem& problem, const std::vector<StageSet>& sets,
                                  std::int64_t micro_batches) {
    const StageOptions options(problem, sets, micro_batches, 1);
    std::vector<double> counts(sets.size(), 0);
    for (const StageOption& option : options.all()) {
        ++counts[option.set];
    }
    return counts;
}

/// The ways to divide all devices into S stages, with their (dp, tp), for each S up to `most`;
/// nothing when that takes too much work.
std::optional<ByStages> splits_of_devices(const Problem& problem, const std::vector<StageSet>& sets,
                                          const std::vector<double>& options, std::size_t most,
                                          bool with_parts, std::size_t& work) {
    DeviceStates states(problem, sets, false);
    std::vector<std::uint32_t> used;
    for (std::uint32_t set = 0; set < sets.size(); ++set) {
        if (options[set] > 0 && (with_parts || sets[set].part_class < 0)) {
            used.push_back(set);
        }
    }
    // Every move leaves fewer devices: a state is complete when those with more have been seen.
    std::map<std::int64_t, std::vector<std::uint32_t>, std::greater<>> waiting;
    std::vector<ByStages> splits(1, ByStages(most + 1, 0));
    splits[0][0] = 1;
    waiting[states.devices(states.full())].push_back(states.full());
    while (!waiting.empty() && waiting.begin()->first > 0) {
        const std::vector<std::uint32_t> turn = std::move(waiting.begin()->second);
        waiting.erase(waiting.begin());
        for (const std::uint32_t state : turn) {
            std::vector<Move> moves;
            states.add_moves(state, used, moves);
            work += used.size() + moves.size() * most;
            if (work > most_work) {
                return std::nullopt;
            }
            for (const Move& move : moves) {
                if (move.state >= splits.size()) {
                    splits.resize(move.state + 1);
                }
                if (splits[move.state].empty()) {
                    splits[move.state].assign(most + 1, 0);
                    waiting[states.devices(move.state)].push_back(move.state);
                }
                for (std::size_t s = 0; s < most; ++s) {
                    splits[move.state][s + 1] += splits[state][s] * options[move.set];
                }
            }
            splits[state] = {};
        }
    }
    return waiting.empty() ? ByStages(most + 1, 0) : splits[waiting.begin()->second.front()];
}

/// The ways to divide n layers into S ranges: n - 1 over S - 1.
double splits_of_layers(std::int64_t layers, std::int64_t stages) {
    double splits = 1;
    for (std::int64_t i = 1; i < stages; ++i) {
        splits = splits * static_cast<double>(layers - i) / static_cast<double>(i);
    }
    return splits;
}

double plans_of(const Problem& problem, const ScheduleChoice& choice, const ByStages& devices) {
    const std::int64_t layers = problem.model().layers / choice.chunks;
    double plans = 0;
    for (std::int64_t s = 1; s <= layers && s < static_cast<std::int64_t>(devices.size()); ++s) {
        if (choice.stages == 0 || choice.stages == s) {
            plans += devices[static_cast<std::size_t>(s)] * splits_of_layers(layers, s);
        }
    }
    return plans;
}

}  // namespace

PlanCount count_plans(const Problem& problem, const std::vector<StageSet>& sets,
                      const std::vector<ScheduleChoice>& choices) {
    const auto most =
        static_cast<std::size_t>(std::min(problem.model().layers, problem.cluster().devices()));
    for (const bool with_parts : {true, false}) {
        PlanCount count{0, !with_parts};
        std::size_t work = 0;
        std::map<std::int64_t, ByStages> devices;
        bool is_counted = true;
        for (const ScheduleChoice& choice : choices) {
            if (devices.count(choice.micro_batches) == 0) {
                const auto splits = splits_of_devices(
                    problem, sets, option_counts(problem, sets, choice.micro_batches), most,
                    with_parts, work);
                is_counted = is_counted && splits.has_value();
                if (!is_counted) {
                    break;
                }
                devices[choice.micro_batches] = *splits;
            }
            count.plans += plans_of(problem, choice, devices[choice.micro_batches]);
        }
        if (is_counted) {
            return count;
        }
    }
    return {0, true};
}

}  // namespace npunet::planner
