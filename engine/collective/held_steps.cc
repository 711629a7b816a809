// Of CollectiveEngine: collectives that are not simulated with the others (RememberedCollectives).
#include <algorithm>

#include "engine/clock/clock_limit.h"
#include "engine/collective/collective_engine.h"

namespace npunet::engine {

bool CollectiveEngine::hold(Run& run, const ProgramOperation& operation) {
    const CollectiveInstance& instance = instances_[run.instance];
    const bool may_be = run.plan.file == nullptr && run.plan.launch == nullptr && !instance.unequal;
    if (!remembered_->begin({run.instance, static_cast<std::size_t>(instance.group),
                             instance.number, run.member, instance.kind, operation.bytes},
                            may_be)) {
        return false;
    }
    run.recalled = true;
    run.mirrored = remembered_->is_mirrored(run.instance);
    run.streams.clear();
    run.streams_left = 1;
    if (!remembered_->have_begun(run.instance)) {
        return true;
    }
    const std::shared_ptr<const CollectiveMemory> memory =
        remembered_->decide(run.instance, call_of(run, operation));
    if (memory != nullptr) {
        const Time since = queue_.now() - remembered_->begun(run.instance);
        for (const std::uint32_t number : instance.run_of_member) {
            const Run& part = *runs_[number];
            const Time takes = memory->takes[part.member];
            wait_for(part, 0, false, takes - std::min(takes, since), Time());
        }
    }
    return true;
}

void CollectiveEngine::end_followers(const Run& run) {
    if (remembered_ == nullptr) {
        return;
    }
    const CollectiveInstance& own = instances_[run.instance];
    for (const std::size_t group : remembered_->followers_of(run.instance)) {
        const std::uint32_t index = instances_.at(static_cast<std::int32_t>(group), own.number);
        const std::vector<std::uint32_t>& parts = instances_[index].run_of_member;
        const std::uint32_t part = parts.empty() ? CollectiveInstance::no_run : parts[run.member];
        if (part == CollectiveInstance::no_run || !runs_[part]->started) {
            remembered_->differs(group);
        } else {
            arrive(*runs_[part], 0, Arrival::exchange_completes, Bytes());
        }
    }
}

CollectiveCall CollectiveEngine::call_of(const Run& run, const ProgramOperation& operation) const {
    const CollectiveInstance& instance = instances_[run.instance];
    CollectiveCall call;
    const std::vector<Rank>& ranks =
        workload_.groups[static_cast<std::size_t>(instance.group)].ranks;
    for (const Rank rank : ranks) {
        call.operations.push_back(instances_.operation_of(instance, rank));
    }
    // The plan is by the type of the first member.
    const DataType type = workload_.program(ranks.front()).operations[call.operations.front()].type;
    call.like = {static_cast<std::int64_t>(operation.collective), operation.bytes.value(),
                 operation.root, static_cast<std::int64_t>(type)};
    // Messages that come at one instant are taken in the order of their receivers' operations.
    std::vector<std::uint32_t> order = call.operations;
    std::sort(order.begin(), order.end());
    for (const std::uint32_t each : call.operations) {
        call.like.push_back(std::lower_bound(order.begin(), order.end(), each) - order.begin());
    }
    return call;
}

}  // namespace npunet::engine
