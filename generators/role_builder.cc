#include "generators/role_builder.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace npunet::generators {

RoleBuilder::RoleBuilder(std::vector<std::int64_t> group_sizes)
    : group_sizes_(std::move(group_sizes)) {}

std::uint32_t RoleBuilder::append(std::string_view name, NodeTemplate node) {
    node.name = scope_ + std::string(name);
    node.data_deps.insert(node.data_deps.end(), front_.begin(), front_.end());
    std::sort(node.data_deps.begin(), node.data_deps.end());
    node.data_deps.erase(std::unique(node.data_deps.begin(), node.data_deps.end()),
                         node.data_deps.end());
    role_.nodes.push_back(std::move(node));
    return static_cast<std::uint32_t>(role_.nodes.size());
}

// Kernels repeat from layer to layer: few to search.
std::int32_t RoleBuilder::kernel_number(const KernelInfo& kernel) {
    if (kernel.kind == Kernel::None) {
        return -1;
    }
    const auto found = std::find(role_.kernels.begin(), role_.kernels.end(), kernel);
    const auto number = static_cast<std::int32_t>(found - role_.kernels.begin());
    if (found == role_.kernels.end()) {
        role_.kernels.push_back(kernel);
    }
    return number;
}

void RoleBuilder::compute(std::string_view name, const Work& work) {
    assert(work.varying >= 0 || (work.flops > 0 && work.bytes > 0));
    NodeTemplate node;
    node.type = chakra::NodeType::Compute;
    node.flops = work.flops;
    node.bytes = work.bytes;
    node.varying = work.varying;
    node.kernel = work.varying < 0 ? kernel_number(work.kernel) : -1;
    front_ = {append(name, std::move(node))};
}

void RoleBuilder::recorded_compute(std::string_view name, std::int64_t ns,
                                   std::vector<std::uint32_t> reads,
                                   std::vector<std::uint32_t> writes) {
    NodeTemplate node;
    node.type = chakra::NodeType::Compute;
    node.recorded_ns = ns;
    node.reads = std::move(reads);
    node.writes = std::move(writes);
    front_ = {append(name, std::move(node))};
}

std::uint32_t RoleBuilder::tensor(std::string name, std::int64_t bytes) {
    role_.tensors.push_back({std::move(name), bytes});
    return static_cast<std::uint32_t>(role_.tensors.size() - 1);
}

Pending RoleBuilder::start(std::string_view name, const Collective& collective, Pending after) {
    const bool does_something = collective.bytes > 0 || collective.varying >= 0 ||
                                collective.type == chakra::CollectiveType::Barrier;
    if (group_size(collective.slot) < 2 || !does_something) {
        return after;
    }
    NodeTemplate node;
    node.type = chakra::NodeType::CommCollective;
    node.collective = collective.type;
    node.bytes = collective.bytes;
    node.element = collective.element;
    node.slot = collective.slot;
    node.varying = collective.varying;
    if (!after.empty()) {
        node.data_deps.push_back(after.id());
    }
    return Pending(append(name, std::move(node)));
}

void RoleBuilder::collective(std::string_view name, const Collective& collective) {
    if (const Pending started = start(name, collective); !started.empty()) {
        front_ = {started.id()};
    }
}

Pending RoleBuilder::message(std::string_view name, const Message& message, chakra::NodeType type,
                             Pending after) {
    NodeTemplate node;
    node.type = type;
    node.bytes = message.bytes;
    node.slot = message.slot;
    node.tag = message.tag;
    if (!after.empty()) {
        node.data_deps.push_back(after.id());
    }
    return Pending(append(name, std::move(node)));
}

Pending RoleBuilder::send(std::string_view name, const Message& what, Pending after) {
    return message(name, what, chakra::NodeType::CommSend, after);
}

Pending RoleBuilder::receive(std::string_view name, const Message& what) {
    return message(name, what, chakra::NodeType::CommReceive, {});
}

void RoleBuilder::wait(Pending pending) {
    if (!pending.empty()) {
        front_.push_back(pending.id());
    }
}

void RoleBuilder::proceed_after(const std::vector<Pending>& all) {
    front_.clear();
    for (const Pending pending : all) {
        wait(pending);
    }
}

void RoleBuilder::deferrable(std::function<void()> step) {
    if (deferring_) {
        deferred_.push_back({scope_, std::move(step)});
    } else {
        step();
    }
}

std::vector<DeferredStep> RoleBuilder::stop_deferring() {
    deferring_ = false;
    return std::exchange(deferred_, {});
}

void RoleBuilder::perform(const std::vector<DeferredStep>& steps) {
    for (const DeferredStep& step : steps) {
        set_scope(step.scope);
        step.run();
    }
}

Role RoleBuilder::take() {
    front_.clear();
    return std::exchange(role_, Role{});
}

}  // namespace npunet::generators
