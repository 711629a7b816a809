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
      recorded_on_(system.recorded_on),
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
    if (moves(operation)) {
        return moved(rank, operation);
    }
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
    fill_shares(cost, operation);
    return cost;
}

void ComputeModel::fill_shares(ComputeCost& cost, const ProgramOperation& operation) const {
    const auto bytes = static_cast<double>(operation.bytes.value());
    const auto operations = static_cast<double>(std::max<std::int64_t>(operation.operations, 0));
    const DataType named = operation.kernel ? operation.kernel->type : DataType::None;
    const auto peak = device_->peak_tflops.find(named == DataType::None ? DataType::Bf16 : named);
    if (cost.duration > Time()) {
        const double seconds = static_cast<double>(cost.duration.ps()) / 1e12;
        cost.peak_share = peak == device_->peak_tflops.end()
                              ? 0
                              : std::min(operations / seconds / (peak->second * 1e12), 1.0);
        cost.bandwidth_share = std::min(bytes / seconds / (device_->memory_bandwidth * 1e9), 1.0);
    }
    cost.compute_bound = cost.peak_share >= cost.bandwidth_share;
    cost.intensity = bytes > 0 ? operations / bytes : 0;
}

double ComputeModel::running(const DeviceProfile& device, const KernelCall& call,
                             double bytes) const {
    return stack_ ? running_us(device, *stack_, call, bytes) : kernel_us(device, call, bytes);
}

std::optional<double> ComputeModel::factor_of(Rank rank, const ProgramOperation& operation) const {
    const auto bytes = static_cast<double>(operation.bytes.value());
    double here = 0;
    double there = 0;
    if (operation.kernel && (bytes > 0 || !is_memory_bound(operation.kernel->kernel))) {
        // Part of another node's kernel: as that one.
        KernelCall call = *operation.kernel;
        call.launches = std::max(call.launches, 1);
        here = running(*recorded_on_, call, bytes);
        there = running(*device_, call, bytes);
    } else if (operation.operations >= 0 && bytes > 0) {
        const auto operations = static_cast<double>(operation.operations);
        const auto time = [&](const ComputeRate& rate) {
            return rate.peak_tflops > 0 && rate.memory_bandwidth > 0
                       ? std::max(operations / (rate.peak_tflops * 1e6),
                                  bytes / (rate.memory_bandwidth * 1e3))
                       : 0;
        };
        here = time(roofline_rate(*recorded_on_));
        there = time(rates_[rank.index()]);
    }
    return here > 0 && there > 0 ? std::optional<double>(there / here) : std::nullopt;
}

bool ComputeModel::stays_recorded(Rank rank, const ProgramOperation& operation) const {
    return moves(operation) && !factor_of(rank, operation);
}

// A kernel that the host's launches kept waiting on the one device does so on the other, too. Scale
// is in the recorded duration already.
ComputeCost ComputeModel::moved(Rank rank, const ProgramOperation& operation) const {
    const std::optional<double> factor = factor_of(rank, operation);
    ComputeCost cost;
    cost.modelled = factor.has_value();
    cost.duration = operation.recorded;
    if (factor && (*factor < 1 || *factor > 1)) {
        const auto recorded = static_cast<double>(operation.recorded.ps());
        const double host =
            stack_ && operation.kernel ? 1e6 * stack_->host_us * operation.kernel->launches : 0;
        constexpr double most_ps = 9e18;  // 104 days
        cost.duration = Time::ps(std::llround(
            std::min(std::max(recorded * *factor, std::min(recorded, host)), most_ps)));
    }
    if (factor) {
        fill_shares(cost, operation);
    }
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
