#include "engine/collective/plan_builder.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/errors.h"

namespace npunet::engine {

namespace {

/// A double binary tree has no reduce-scatter: before the last dimension there is nothing for it.
[[noreturn]] void refuse_tree_before_the_last(const SystemConfig& system, CollectiveKind kind) {
    throw InputError(
        {system.file, key_of(kind), "doubleBinaryTree in a dimension before the last one",
         "an algorithm with a reduce-scatter there: ring, direct, halvingDoubling, ...",
         "Write oneDoubleBinaryTree (one line over the group), put doubleBinaryTree "
         "last, or set collective-optimization to baseline"});
}

/// Bruck's algorithm is ours.
[[noreturn]] void refuse_halving_all_to_all(const SystemConfig& system) {
    throw InputError({system.file, key_of(CollectiveKind::AllToAll),
                      "halvingDoubling, for which the reference has no all-to-all: it exits",
                      "ring or direct in the astra-sim dialect",
                      "Change the entry, or use --dialect npunet"});
}

/// The reference's ring all-to-all has n (n - 1) / 2 exchanges, which are counted in 31 bits.
void check_blocks(const PhaseShape& shape) {
    constexpr std::int32_t most = 65536;
    if (shape.algorithm == Algorithm::Ring && shape.kind == CollectiveKind::AllToAll &&
        !shape.rules.ring_all_to_all_aggregates && shape.members > most) {
        throw InputError({"system.json", key_of(CollectiveKind::AllToAll),
                          fmt::format("ring among {} NPUs, which sends n (n - 1) / 2 blocks one "
                                      "after the other in this dialect",
                                      shape.members),
                          fmt::format("at most {} NPUs", most),
                          "Change the entry to direct, or use --dialect npunet"});
    }
}

/// The root, or another member that its data reaches before the given factor, is in the block.
bool shares_block(const CommunicatorLayout& layout, std::size_t member, std::size_t root,
                  std::size_t factor) {
    const std::vector<LayoutFactor>& factors = layout.factors();
    for (std::size_t f = factor + 1; f < factors.size(); ++f) {
        if (factors[f].place_of_member[member] != factors[f].place_of_member[root]) {
            return false;
        }
    }
    return true;
}

/// Scatters and gathers within a tier; an algorithm that has none of its own leaves it to direct.
Implementation for_kind(const Implementation& implementation, CollectiveKind kind) {
    if (implementation.does(kind)) {
        return implementation;
    }
    Implementation direct;
    direct.algorithm = Algorithm::Direct;
    return direct;
}

}  // namespace

PhaseShape PlanBuilder::base_shape(CollectiveKind kind, const Implementation& implementation,
                                   std::int32_t lane) const {
    PhaseShape shape;
    shape.algorithm = implementation.algorithm;
    shape.kind = kind;
    shape.window = implementation.window;
    if (shape.algorithm == Algorithm::DoubleBinaryTree) {
        shape.kind = CollectiveKind::AllReduce;  // in the reference it stands in for every kind
    }
    const bool uses_lane =
        implementation.bidirectional || implementation.algorithm == Algorithm::DoubleBinaryTree;
    shape.lane = static_cast<std::uint8_t>(uses_lane ? lane % 2 : 0);
    shape.rules = dialect_.schedules;
    if (shape.rules.halving_begins_nearby && kind == CollectiveKind::AllToAll &&
        shape.algorithm == Algorithm::HalvingDoubling) {
        refuse_halving_all_to_all(system_);
    }
    return shape;
}

std::int32_t PlanBuilder::lanes_of(const Implementation& implementation) const {
    const bool two_trees =
        implementation.algorithm == Algorithm::DoubleBinaryTree && dialect_.trees_share_chunks;
    return implementation.bidirectional || two_trees ? 2 : 1;
}

void PlanBuilder::add_line(CollectivePlan& plan, const std::vector<Rank>& line, std::size_t me,
                           const CollectiveTask& task, const Implementation& implementation) const {
    plan.lanes = plan.queues = lanes_of(implementation);
    for (std::int32_t lane = 0; lane < plan.lanes; ++lane) {
        PlannedPhase phase{base_shape(plan.kind, implementation, lane), &line};
        phase.shape.members = static_cast<std::int32_t>(line.size());
        phase.shape.me = static_cast<std::int32_t>(me);
        check_blocks(phase.shape);
        phase.queue = lane;
        phase.alternates =
            implementation.algorithm == Algorithm::DoubleBinaryTree && !dialect_.trees_share_chunks;
        if (has_root(plan.kind)) {
            phase.shape.root = task.root;
        }
        phase.shape.sizes = task.sizes;
        plan.phases.push_back(phase);
    }
    plan.algorithm = implementation.name();
}

PlannedPhase& PlanBuilder::add_phase(const Lane& lane, std::size_t factor_number,
                                     CollectiveKind kind,
                                     const Implementation& implementation) const {
    const LayoutFactor& factor = lane.layout.factors()[factor_number];
    const auto line = static_cast<std::size_t>(factor.line_of_member[lane.member]);
    PlannedPhase phase{base_shape(kind, implementation, lane.number), &factor.lines[line]};
    phase.shape.members = factor.size;
    check_blocks(phase.shape);
    phase.shape.me = factor.place_of_member[lane.member];
    phase.queue = static_cast<std::int32_t>(factor.tier) * lane.plan.lanes + lane.number;
    lane.plan.queues = std::max(lane.plan.queues, phase.queue + 1);
    phase.alternates =
        implementation.algorithm == Algorithm::DoubleBinaryTree && !dialect_.trees_share_chunks;
    if (lane.plan.amounts != nullptr) {
        phase.shape.sizes = &lane.plan.amounts->of(lane.member, factor_number);
    }
    lane.plan.phases.push_back(phase);
    return lane.plan.phases.back();
}

void PlanBuilder::add_symmetric(const Lane& lane) const {
    const CollectiveKind kind = lane.plan.kind;
    const std::vector<std::size_t>& order = lane.order;
    const auto add = [&](std::size_t factor, CollectiveKind phase) -> PlannedPhase& {
        return add_phase(lane, factor, phase, lane.form.entry(factor));
    };
    if (kind == CollectiveKind::AllGather) {
        std::for_each(order.rbegin(), order.rend(), [&](std::size_t f) { add(f, kind); });
        return;
    }
    if (kind != CollectiveKind::AllReduce ||
        system_.optimization == CollectiveOptimization::Baseline) {
        std::for_each(order.begin(), order.end(), [&](std::size_t f) { add(f, kind); });
        return;
    }
    const bool tree_before_the_last = std::any_of(
        order.begin(), order.end() - 1,
        [&](std::size_t f) { return lane.form.entry(f).algorithm == Algorithm::DoubleBinaryTree; });
    if (tree_before_the_last && dialect_.trees_share_chunks) {
        refuse_tree_before_the_last(system_, kind);
    }
    std::for_each(order.begin(), order.end() - 1,
                  [&](std::size_t f) { add(f, CollectiveKind::ReduceScatter); });
    add(order.back(), CollectiveKind::AllReduce);
    std::for_each(order.rbegin() + 1, order.rend(),
                  [&](std::size_t f) { add(f, CollectiveKind::AllGather).gathers_back = true; });
}

void PlanBuilder::add_rooted(const Lane& lane, std::size_t root) const {
    const std::vector<LayoutFactor>& factors = lane.layout.factors();
    const std::size_t last = factors.size() - 1;
    const bool outwards = lane.plan.kind == CollectiveKind::Broadcast;
    const auto add = [&](std::size_t f, CollectiveKind kind) -> PlannedPhase& {
        PlannedPhase& phase = add_phase(lane, f, kind, for_kind(lane.form.entry(f), kind));
        phase.shape.root = factors[f].place_of_member[root];
        phase.idle = has_root(kind) && !shares_block(lane.layout, lane.member, root, f);
        return phase;
    };
    for (std::size_t f = 0; f < last; ++f) {
        add(f, outwards ? CollectiveKind::Scatter : CollectiveKind::ReduceScatter);
    }
    add(last, lane.plan.kind);
    for (std::size_t f = last; f-- > 0;) {
        add(f, outwards ? CollectiveKind::AllGather : CollectiveKind::Gather).gathers_back = true;
    }
}

void PlanBuilder::add_lanes(CollectivePlan& plan, const CommunicatorLayout& layout,
                            const AlgorithmForm& form, const CollectiveTask& task,
                            std::size_t member) const {
    const std::size_t factors = layout.factors().size();
    std::int32_t directions = 1;
    for (std::size_t f = 0; f < factors; ++f) {
        directions = std::max(directions, lanes_of(form.entry(f)));
    }
    const std::size_t starts = form.entries.front().all_dimensions_at_once ? factors : 1;
    plan.lanes = directions * static_cast<std::int32_t>(starts);
    for (std::int32_t number = 0; number < plan.lanes; ++number) {
        Lane lane{plan, layout, form, member, number, {}};
        for (std::size_t f = 0; f < factors; ++f) {
            lane.order.push_back((f + static_cast<std::size_t>(number / directions)) % factors);
        }
        if (has_root(plan.kind)) {
            add_rooted(lane, static_cast<std::size_t>(task.root));
        } else {
            add_symmetric(lane);
        }
    }
}

CollectivePlan PlanBuilder::build(const CollectiveRecipe& recipe, const CommunicatorLayout& layout,
                                  const CollectiveTask& task, std::size_t member) const {
    CollectivePlan plan;
    plan.kind = task.kind;
    plan.size = task.size;
    plan.active_chunks = recipe.active_chunks;
    const Implementation& first = recipe.form.entries.front();
    if (recipe.form.flat) {
        add_line(plan, *task.ranks, member, task, first);
    } else if (first.all_dimensions_at_once && !layout.hamiltonian_ring().empty()) {
        const std::vector<Rank>& ring = layout.hamiltonian_ring();
        const auto me = std::find(ring.begin(), ring.end(), (*task.ranks)[member]) - ring.begin();
        add_line(plan, ring, static_cast<std::size_t>(me), task, first);
    } else {
        plan.amounts = task.amounts;
        add_lanes(plan, layout, recipe.form, task, member);
    }
    return plan;
}

}  // namespace npunet::engine
