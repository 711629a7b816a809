#include "planner/search/plan_cost.h"

#include <algorithm>
#include <limits>

namespace npunet::planner {

namespace {

DeviceGroup group_of(const Cluster& cluster, const PlanStage& stage) {
    DeviceGroup group;
    for (const NodeShare& share : stage.shares) {
        group.parts.push_back({&cluster.nodes[share.node], share.devices});
    }
    return group;
}

/// Both are parts of one node, and nothing else.
bool share_a_node(const Cluster& cluster, const PlanStage& a, const PlanStage& b) {
    const auto is_part = [&](const PlanStage& stage) {
        return stage.shares.size() == 1 &&
               stage.shares[0].devices < cluster.nodes[stage.shares[0].node].devices;
    };
    return is_part(a) && is_part(b) && a.shares[0].node == b.shares[0].node;
}

/// There and back.
double round_trip_ms(const Problem& problem, const PlanStage& a, const PlanStage& b) {
    const Cluster& cluster = problem.cluster();
    if (share_a_node(cluster, a, b)) {
        const Node& node = cluster.nodes[a.shares[0].node];
        return 2 * std::max(inside_ms(problem, node, a.batch), inside_ms(problem, node, b.batch));
    }
    return 2 * std::max(side_ms(problem, group_of(cluster, a), a.tp, a.batch),
                        side_ms(problem, group_of(cluster, b), b.tp, b.batch));
}

double transfer_ms(const Problem& problem, const Plan& plan, std::size_t s) {
    const auto chunks = static_cast<double>(plan.chunks);
    double sum = 0;
    if (s + 1 < plan.stages.size()) {
        sum += chunks * round_trip_ms(problem, plan.stages[s], plan.stages[s + 1]);
    }
    if (s == 0 && plan.chunks > 1) {
        sum += (chunks - 1) * round_trip_ms(problem, plan.stages.back(), plan.stages.front());
    }
    return sum;
}

/// Memory and capacity of the device that has the least room, or is short of most.
void charge_memory(const Problem& problem, const Plan& plan, const PlanStage& stage,
                   StageCost& cost) {
    double least_room = std::numeric_limits<double>::infinity();
    for (const NodeShare& share : stage.shares) {
        const Node& node = problem.cluster().nodes[share.node];
        const double memory =
            memory_of(problem, *problem.sums(node.type, stage.tp, stage.batch), plan.chunks,
                      stage.first_layer, stage.layers, cost.in_flight);
        if (node.memory_mib - memory < least_room) {
            least_room = node.memory_mib - memory;
            cost.memory_mib = memory;
            cost.capacity_mib = node.memory_mib;
        }
    }
    cost.fits = least_room >= 0;
}

StageCost stage_cost(const Problem& problem, const Plan& plan, std::size_t s) {
    const PlanStage& stage = plan.stages[s];
    const DeviceGroup group = group_of(problem.cluster(), stage);
    StageCost cost;
    double optimizer = 0;
    for (const DeviceGroup::Part& part : group.parts) {
        const ProfileSums& sums = *problem.sums(part.node->type, stage.tp, stage.batch);
        cost.computing_ms =
            std::max(cost.computing_ms,
                     computing_ms(problem, sums, plan.chunks, stage.first_layer, stage.layers));
        optimizer = std::max(optimizer, sums.profile->optimizer_ms);
    }
    cost.tensor_ms = tensor_ms_per_layer(problem, group, stage.tp, stage.batch) *
                     static_cast<double>(plan.chunks * stage.layers);
    cost.transfer_ms = transfer_ms(problem, plan, s);
    const double parameters = parameters_of(problem, plan.chunks, stage.first_layer, stage.layers);
    const GradientCost gradients = gradient_cost(group, stage.dp, stage.tp);
    cost.gradients_ms = gradients.ms_per_byte * parameters + gradients.fixed_ms;
    cost.optimizer_ms = parameters > 0 ? optimizer * (parameters / problem.all_parameters()) : 0;
    cost.in_flight = chunks_in_flight(plan.micro_batches, plan.chunks,
                                      static_cast<std::int64_t>(plan.stages.size()),
                                      static_cast<std::int64_t>(s));
    charge_memory(problem, plan, stage, cost);
    return cost;
}

}  // namespace

PlanCost cost_of(const Problem& problem, const Plan& plan) {
    PlanCost cost;
    double sum = 0;
    double longest = 0;
    for (std::size_t s = plan.stages.size(); s-- > 0;) {
        cost.stages.insert(cost.stages.begin(), stage_cost(problem, plan, s));
        const StageCost& stage = cost.stages.front();
        sum += stage.period_ms();
        longest = std::max(longest, stage.period_ms());
        cost.update_ms = std::max(cost.update_ms, stage.gradients_ms + stage.optimizer_ms);
        cost.fits = cost.fits && stage.fits;
    }
    cost.steady_ms = static_cast<double>(plan.micro_batches) * longest;
    cost.bubble_ms = (sum - longest) / static_cast<double>(plan.chunks);
    return cost;
}

std::int64_t chunks_in_flight(std::int64_t micro_batches, std::int64_t chunks, std::int64_t stages,
                              std::int64_t stage) {
    if (chunks == 1) {
        return std::min(micro_batches, stages - stage);
    }
    return std::min(micro_batches * chunks, 2 * (stages - 1 - stage) + (chunks - 1) * stages + 1);
}

double memory_of(const Problem& problem, const ProfileSums& sums, std::int64_t chunks,
                 std::int64_t first, std::int64_t count, std::int64_t in_flight) {
    const std::int64_t round = problem.model().layers / chunks;
    const double further = static_cast<double>(in_flight) / static_cast<double>(chunks) - 1;
    double memory = 0;
    for (std::int64_t j = 0; j < chunks; ++j) {
        const auto begin = static_cast<std::size_t>(j * round + first);
        const std::size_t end = begin + static_cast<std::size_t>(count);
        memory += sums.memory_mib[end] - sums.memory_mib[begin] +
                  further * (sums.activation_mib[end] - sums.activation_mib[begin]);
    }
    return problem.model().memory_factor * memory;
}

double computing_ms(const Problem& problem, const ProfileSums& sums, std::int64_t chunks,
                    std::int64_t first, std::int64_t count) {
    const std::int64_t round = problem.model().layers / chunks;
    double time = first == 0 ? sums.profile->batch_generator_ms : 0;
    for (std::int64_t j = 0; j < chunks; ++j) {
        for (std::int64_t l = j * round + first; l < j * round + first + count; ++l) {
            time += sums.profile->layer_ms[static_cast<std::size_t>(l)];
        }
    }
    return first + count == round ? time + sums.gap_ms : time;
}

double parameters_of(const Problem& problem, std::int64_t chunks, std::int64_t first,
                     std::int64_t count) {
    const std::int64_t round = problem.model().layers / chunks;
    double parameters = 0;
    for (std::int64_t j = 0; j < chunks; ++j) {
        parameters += problem.parameters_before(j * round + first + count) -
                      problem.parameters_before(j * round + first);
    }
    return parameters;
}

double tensor_ms_per_layer(const Problem& problem, const DeviceGroup& group, std::int64_t tp,
                           std::int64_t batch) {
    bool spans_nodes = false;
    double inter = std::numeric_limits<double>::infinity();
    double intra = inter;
    for (const DeviceGroup::Part& part : group.parts) {
        spans_nodes = spans_nodes || part.devices % tp != 0;
        inter = std::min(inter, part.node->inter_rate);
        intra = std::min(intra, part.node->intra_rate);
    }
    if (!spans_nodes) {
        return 0;
    }
    constexpr double all_reduces = 4;
    const double bytes = all_reduces * 2 * static_cast<double>(tp - 1) / static_cast<double>(tp) *
                         static_cast<double>(batch) * problem.sample_bytes();
    return bytes * std::max(0.0, 1 / inter - 1 / intra);
}

double side_ms(const Problem& problem, const DeviceGroup& group, std::int64_t tp,
               std::int64_t batch) {
    double longest = 0;
    for (const DeviceGroup::Part& part : group.parts) {
        const double bytes = static_cast<double>(part.devices * batch) * problem.sample_bytes() /
                             static_cast<double>(tp);
        longest = std::max(longest, bytes / part.node->inter_rate + part.node->inter_latency_ms);
    }
    return longest;
}

double inside_ms(const Problem& problem, const Node& node, std::int64_t batch) {
    return static_cast<double>(batch) * problem.sample_bytes() / node.intra_rate +
           node.intra_latency_ms;
}

GradientCost gradient_cost(const DeviceGroup& group, std::int64_t dp, std::int64_t tp) {
    if (dp == 1) {
        return {};
    }
    const bool inside = group.parts.size() == 1;
    double per_byte = 0;
    double latency = 0;
    for (const DeviceGroup::Part& part : group.parts) {
        per_byte = std::max(per_byte, 1 / static_cast<double>(tp) / part.node->intra_rate);
        if (!inside) {
            const double rings =
                static_cast<double>(std::min(tp, part.devices)) / static_cast<double>(tp);
            per_byte = std::max(per_byte, rings / part.node->inter_rate);
        }
        latency =
            std::max(latency, inside ? part.node->intra_latency_ms : part.node->inter_latency_ms);
    }
    const auto others = static_cast<double>(dp - 1);
    return {2 * others / static_cast<double>(dp) * per_byte, 2 * others * latency};
}

}  // namespace npunet::planner
