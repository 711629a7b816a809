#include "engine/machine/compute_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/errors.h"
#include "engine/clock/clock_limit.h"
#include "engine/device/kernel_time.h"
#include "engine/device/stack_profile.h"

namespace npunet::engine {

ComputeModel::ComputeModel(const SystemConfig& system, const Dialect& dialect,
                           const topology::NetworkDescription& description, std::size_t ranks)
    : dialect_(dialect),
      roofline_(system.roofline),
      rates_(system.compute_rates(ranks)),
      device_(system.device),
      stack_(system.stack) {
    if (stack_ && ranks > 8) {
        jitter_ += stack_->scale_jitter * std::log2(static_cast<double>(ranks) / 8);
    }
    if (description.faults.npus.empty()) {
        return;
    }
    slowdowns_.resize(ranks);
    for (const topology::NpuFault& fault : description.faults.npus) {
        for (std::size_t rank = 0; rank < std::min(ranks, description.npu_of_rank.size()); ++rank) {
            if (description.npu_of_rank[rank] == fault.npu) {
                slowdowns_[rank] = fault.slowdown;
            }
        }
    }
}

bool ComputeModel::skipped(const ProgramOperation& operation) const {
    return dialect_.whole_nanoseconds && roofline_ && operation.kind == OperationKind::Compute &&
           operation.bytes == Bytes(0);
}

ComputeCost ComputeModel::cost(Rank rank, std::uint64_t node,
                               const ProgramOperation& operation) const {
    ComputeCost cost = cost_at_full_speed(rank, node, operation);
    if (!slowdowns_.empty() && cost.duration > Time()) {
        const Time slowed = topology::scaled_time(cost.duration, slowdowns_[rank.index()]);
        const double speed =
            static_cast<double>(cost.duration.ps()) / static_cast<double>(slowed.ps());
        cost.duration = slowed;
        cost.peak_share *= speed;
        cost.bandwidth_share *= speed;
    }
    return cost;
}

ComputeCost ComputeModel::cost_at_full_speed(Rank rank, std::uint64_t node,
                                             const ProgramOperation& operation) const {
    if (device_ && operation.kernel) {
        return profiled(operation);
    }
    const bool modelled = roofline_ && operation.kind == OperationKind::Compute &&
                          (dialect_.whole_nanoseconds || operation.operations >= 0);
    if (modelled) {
        const ComputeRate& rate = rates_[rank.index()];
        return dialect_.whole_nanoseconds ? reference_roofline(rate, operation)
                                          : roofline(rate, operation);
    }
    ComputeCost cost;
    cost.duration = operation.recorded;
    if (dialect_.whole_nanoseconds && cost.duration == Time()) {
        cost.duration = Time::ns(1);  // the reference's least duration
    }
    if (!dialect_.whole_nanoseconds && cost.duration == Time() && operation.operations > 0) {
        throw InputError(
            {fmt::format("trace of rank {}", rank.value()), fmt::format("node {}", node),
             fmt::format("{} operations and no recorded duration", operation.operations),
             "a system file with roofline-enabled 1, peak-perf and local-mem-bw",
             "Give one with --system"});
    }
    return cost;
}

ComputeCost ComputeModel::profiled(const ProgramOperation& operation) const {
    const KernelCall& call = *operation.kernel;
    const auto bytes = static_cast<double>(operation.bytes.value());
    ComputeCost cost;
    cost.modelled = true;
    const double us = jitter_ * (stack_ ? kernel_us(*device_, *stack_, call, bytes)
                                        : kernel_us(*device_, call, bytes));
    constexpr double most_us = 9e12;  // 104 days
    cost.duration = Time::ps(std::llround(std::min(us, most_us) * 1e6));
    const auto operations = static_cast<double>(std::max<std::int64_t>(operation.operations, 0));
    const DataType type = call.type == DataType::None ? DataType::Bf16 : call.type;
    const auto peak = device_->peak_tflops.find(type);
    if (cost.duration > Time()) {
        const double seconds = static_cast<double>(cost.duration.ps()) / 1e12;
        cost.peak_share = peak == device_->peak_tflops.end()
                              ? 0
                              : std::min(operations / seconds / (peak->second * 1e12), 1.0);
        cost.bandwidth_share = std::min(bytes / seconds / (device_->memory_bandwidth * 1e9), 1.0);
    }
    cost.compute_bound = cost.peak_share >= cost.bandwidth_share;
    cost.intensity = bytes > 0 ? operations / bytes : 0;
    return cost;
}

ComputeCost ComputeModel::roofline(const ComputeRate& rate,
                                   const ProgramOperation& operation) const {
    ComputeCost cost;
    cost.modelled = true;
    const Time computing = time_for(operation.operations, std::llround(rate.peak_tflops * 1e12));
    const Time moving =
        time_for(operation.bytes.value(), std::llround(rate.memory_bandwidth * 1e9));
    cost.duration = std::max(computing, moving);
    cost.compute_bound = computing >= moving;
    if (cost.duration > Time()) {
        const auto duration = static_cast<double>(cost.duration.ps());
        cost.peak_share = static_cast<double>(computing.ps()) / duration;
        cost.bandwidth_share = static_cast<double>(moving.ps()) / duration;
    }
    if (operation.bytes > Bytes(0)) {
        cost.intensity = static_cast<double>(operation.operations) /
                         static_cast<double>(operation.bytes.value());
    }
    return cost;
}

ComputeCost ComputeModel::reference_roofline(const ComputeRate& rate,
                                             const ProgramOperation& operation) const {
    ComputeCost cost;
    cost.modelled = true;
    const double bandwidth = rate.memory_bandwidth * 1e9;
    const double peak = rate.peak_tflops * 1e12;
    const double operations = static_cast<double>(std::max<std::int64_t>(operation.operations, 0));
    cost.intensity = operations / static_cast<double>(operation.bytes.value());
    const double performance = std::min(bandwidth * cost.intensity, peak);
    cost.compute_bound = !(performance < peak);
    cost.peak_share = performance / peak;
    if (operations == 0) {
        return cost;
    }
    cost.bandwidth_share = performance / cost.intensity / bandwidth;
    cost.duration = truncated_ns(operations / performance * 1e9);
    return cost;
}

}  // namespace npunet::engine
