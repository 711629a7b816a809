#include "engine/npu/issue_rules.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace npunet::engine {

FreePlaces IssueRules::places() const {
    FreePlaces free;
    free.fill(1);
    if (!dialect_.one_communication_at_a_time) {
        free[index_of(Resource::Communication)] = system_.max_concurrent_comms > 0
                                                      ? system_.max_concurrent_comms
                                                      : std::numeric_limits<std::int32_t>::max();
    }
    return free;
}

std::string IssueRules::communication_limit() const {
    if (dialect_.one_communication_at_a_time) {
        return "one communication of an NPU at a time in this dialect";
    }
    return system_.max_concurrent_comms > 0
               ? fmt::format("max-concurrent-comms: {}", system_.max_concurrent_comms)
               : std::string();
}

Resource IssueRules::resource_of(const ProgramOperation& operation) const {
    const bool neither = operation.nothing || operation.kind == OperationKind::Memory;
    if (neither && dialect_.memory_takes_communication_place) {
        return operation.on_cpu ? Resource::Cpu : Resource::Communication;
    }
    if (operation.nothing) {
        return Resource::None;
    }
    switch (operation.kind) {
        case OperationKind::Compute:
            return Resource::Compute;
        case OperationKind::Cpu:
            return Resource::Cpu;
        case OperationKind::Send:
        case OperationKind::Collective:
            return Resource::Communication;
        case OperationKind::Memory:
            return Resource::Memory;
        case OperationKind::Receive:
            return Resource::None;
    }
    return Resource::None;
}

bool IssueRules::holds(const ProgramOperation& operation) const {
    return !operation.nothing && !compute_.skipped(operation) &&
           resource_of(operation) != Resource::None;
}

std::int64_t IssueRules::preference_of(const ProgramOperation& operation, Time now) const {
    if (!dialect_.scheduling_keys_count || resource_of(operation) != Resource::Communication) {
        return 0;
    }
    switch (system_.scheduling_policy) {
        case SchedulingPolicy::Fifo:
            return now.ps();
        case SchedulingPolicy::Lifo:
            return -now.ps();
        case SchedulingPolicy::Explicit:
            return -std::int64_t{operation.priority};
        case SchedulingPolicy::LowestId:
            return 0;
    }
    return 0;
}

Time IssueRules::slowed(Time duration, std::int32_t blocks) const {
    const bool takes_sms = sms() > 0 && blocks > 0;
    if (!communication_slows() || (system_.comm_compute_slowdown <= 1 && !takes_sms)) {
        return duration;
    }
    double longer = static_cast<double>(duration.ps());
    if (system_.comm_compute_slowdown > 1) {
        longer *= system_.comm_compute_slowdown;
    }
    if (takes_sms) {
        longer = longer * sms() / (sms() - std::min(blocks, sms() - 1));
    }
    longer = std::ceil(longer);
    return longer < 9.2e18 ? Time::ps(static_cast<std::int64_t>(longer)) : Time::max();
}

}  // namespace npunet::engine
