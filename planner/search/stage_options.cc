#include "planner/search/stage_options.h"

#include <algorithm>
#include <functional>
#include <limits>

namespace npunet::planner {

namespace {

DeviceGroup group_of(const std::vector<NodeClass>& classes, const StageSet& set) {
    DeviceGroup group;
    for (std::size_t c = 0; c < classes.size(); ++c) {
        for (std::int32_t i = 0; i < set.whole[c]; ++i) {
            group.parts.push_back({&classes[c].node, classes[c].node.devices});
        }
    }
    if (set.part_class >= 0) {
        group.parts.push_back(
            {&classes[static_cast<std::size_t>(set.part_class)].node, set.part_devices});
    }
    return group;
}

/// The largest number from 1 to `most` that is accepted, where smaller ones are too; 0: none.
std::int64_t last_that(const std::function<bool(std::int64_t)>& accepts, std::int64_t most) {
    std::int64_t low = 0;
    while (low < most) {
        const std::int64_t middle = low + (most - low + 1) / 2;
        if (accepts(middle)) {
            low = middle;
        } else {
            most = middle - 1;
        }
    }
    return low;
}

}  // namespace

StageOptions::StageOptions(const Problem& problem, const std::vector<StageSet>& sets,
                           std::int64_t micro_batches, std::int64_t chunks)
    : micro_batches_(micro_batches),
      chunks_(chunks),
      round_layers_(problem.model().layers / chunks) {
    for (std::int64_t layer = 0; layer <= round_layers_; ++layer) {
        parameters_.push_back(parameters_of(problem, chunks_, 0, layer));
    }
    for (std::uint32_t index = 0; index < sets.size(); ++index) {
        add_options_of(problem, sets, index);
    }
}

void StageOptions::add_options_of(const Problem& problem, const std::vector<StageSet>& sets,
                                  std::uint32_t index) {
    const StageSet& set = sets[index];
    const std::int64_t samples = problem.model().global_batch / micro_batches_;
    // Most sets have no option: their group is made where one has.
    std::int64_t most_tp = std::numeric_limits<std::int64_t>::max();
    std::map<std::size_t, double> memory;
    const auto add_class = [&](std::size_t c) {
        const Node& node = problem.classes()[c].node;
        most_tp = std::min(most_tp, node.devices);
        const auto known = memory.emplace(node.type, node.memory_mib).first;
        known->second = std::min(known->second, node.memory_mib);
    };
    for (std::size_t c = 0; c < set.whole.size(); ++c) {
        if (set.whole[c] > 0) {
            add_class(c);
        }
    }
    if (set.part_class >= 0) {
        add_class(static_cast<std::size_t>(set.part_class));
    }
    const Devices devices(memory.begin(), memory.end());
    DeviceGroup group;
    for (std::int64_t tp = 1; tp <= std::min(most_tp, set.devices); ++tp) {
        const std::int64_t dp = set.devices / tp;
        if (set.devices % tp != 0 || samples % dp != 0 ||
            !has_profiles(problem, devices, tp, samples / dp)) {
            continue;
        }
        if (group.parts.empty()) {
            group = group_of(problem.classes(), set);
        }
        StageOption option;
        option.set = index;
        option.tp = static_cast<std::int32_t>(tp);
        option.dp = static_cast<std::int32_t>(dp);
        option.batch = samples / dp;
        option.table = table_of(problem, devices, tp, option.batch);
        option.tensor_ms =
            tensor_ms_per_layer(problem, group, tp, option.batch) * static_cast<double>(chunks_);
        option.side_ms = side_ms(problem, group, tp, option.batch);
        option.inside_ms = inside_ms(problem, *group.parts.front().node, option.batch);
        const GradientCost gradients = gradient_cost(group, dp, tp);
        double optimizer = 0;
        for (const auto& [type, least_memory] : devices) {
            optimizer =
                std::max(optimizer, problem.sums(type, tp, option.batch)->profile->optimizer_ms);
        }
        option.update_ms_per_byte =
            gradients.ms_per_byte +
            (problem.all_parameters() > 0 ? optimizer / problem.all_parameters() : 0);
        option.update_ms = gradients.fixed_ms;
        options_.push_back(option);
    }
}

bool StageOptions::has_profiles(const Problem& problem, const Devices& devices, std::int64_t tp,
                                std::int64_t batch) {
    bool complete = true;
    for (const auto& [type, least_memory] : devices) {
        if (problem.sums(type, tp, batch) == nullptr) {
            if (problem.model().allows(tp, batch)) {
                missing_.emplace(type, tp, batch);
            }
            complete = false;
        }
    }
    return complete;
}

std::uint32_t StageOptions::table_of(const Problem& problem, const Devices& devices,
                                     std::int64_t tp, std::int64_t batch) {
    const auto [known, is_new] = table_index_.try_emplace(
        std::tuple(devices, tp, batch), static_cast<std::uint32_t>(tables_.size()));
    if (is_new) {
        tables_.push_back(make_table(problem, devices, tp, batch));
    }
    return known->second;
}

RangeTable StageOptions::make_table(const Problem& problem, const Devices& devices, std::int64_t tp,
                                    std::int64_t batch) const {
    const std::size_t size = static_cast<std::size_t>((round_layers_ + 1) * (round_layers_ + 1));
    // No stage has more in flight: neither more micro-batches, nor more than the most stages ask.
    const std::int64_t most = chunks_in_flight(
        micro_batches_, chunks_, std::min(round_layers_, problem.cluster().devices()), 0);
    RangeTable table{std::vector<double>(size, 0),
                     std::vector<std::int32_t>(size, static_cast<std::int32_t>(most))};
    for (const auto& [type, memory] : devices) {
        const double memory_mib = memory;
        const ProfileSums& sums = *problem.sums(type, tp, batch);
        for (std::int64_t first = 0; first < round_layers_; ++first) {
            // With one round, sums of longer ranges go on from shorter ones in the same order.
            double so_far = first == 0 ? sums.profile->batch_generator_ms : 0;
            for (std::int64_t end = first + 1; end <= round_layers_; ++end) {
                so_far += sums.profile->layer_ms[static_cast<std::size_t>(end - 1)];
                double& time = table.computing_ms[at(first, end)];
                time = std::max(time, chunks_ > 1
                                          ? computing_ms(problem, sums, chunks_, first, end - first)
                                          : so_far + (end == round_layers_ ? sums.gap_ms : 0));
                const auto fits = [&](std::int64_t in_flight) {
                    return memory_of(problem, sums, chunks_, first, end - first, in_flight) <=
                           memory_mib;
                };
                std::int32_t& in_flight = table.most_in_flight[at(first, end)];
                in_flight = static_cast<std::int32_t>(last_that(fits, in_flight));
            }
        }
    }
    return table;
}

}  // namespace npunet::planner
