#include "study/better_devices.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/errors.h"
#include "engine/device/device_profile.h"
#include "engine/device/kernel_time.h"
#include "engine/device/stack_profile.h"
#include "engine/machine/compute_model.h"

namespace npunet::study {

namespace {

using engine::ComputeRate;
using engine::DeviceProfile;
using engine::SystemConfig;

/// By the formulas alone; nothing where the profile has no rates for it.
std::optional<double> formula_us(const DeviceProfile& device, const engine::KernelCall& call,
                                 const std::string& attention_kernel) {
    try {
        return engine::kernel_us(device, call, 0, attention_kernel);
    } catch (const InputError&) {
        return std::nullopt;
    }
}

/// The device with `change` made to it, its measured times in the ratio of the formulas.
template <class Change>
std::shared_ptr<const DeviceProfile> changed(const DeviceProfile& device,
                                             const std::string& attention_kernel,
                                             const Change& change) {
    DeviceProfile before = device;
    before.times.clear();
    DeviceProfile after = before;
    change(after);
    auto result = std::make_shared<DeviceProfile>(after);
    for (const auto& [call, us] : device.times) {
        const std::optional<double> old_us = formula_us(before, call, attention_kernel);
        const std::optional<double> new_us = formula_us(after, call, attention_kernel);
        const bool known = old_us && new_us && *old_us > 0;
        result->times.emplace(call, known ? us * *new_us / *old_us : us);
    }
    return result;
}

template <class ChangeRate, class ChangeDevice>
SystemConfig changed_system(const SystemConfig& system, const ChangeRate& change_rate,
                            const ChangeDevice& change_device) {
    SystemConfig result = system;
    change_rate(result.compute);
    for (auto& [rank, rate] : result.overrides) {
        change_rate(rate);
    }
    if (system.device != nullptr) {
        result.device = changed(*system.device, system.stack ? system.stack->attention_kernel : "",
                                change_device);
    }
    return result;
}

}  // namespace

SystemConfig with_faster_compute(const SystemConfig& system, double times) {
    return changed_system(
        system, [times](ComputeRate& rate) { rate.peak_tflops *= times; },
        [times](DeviceProfile& device) {
            for (auto& [type, peak] : device.peak_tflops) {
                peak *= times;
            }
        });
}

SystemConfig with_faster_memory(const SystemConfig& system, double times) {
    return changed_system(
        system, [times](ComputeRate& rate) { rate.memory_bandwidth *= times; },
        [times](DeviceProfile& device) { device.memory_bandwidth *= times; });
}

bool has_memory_bandwidth(const SystemConfig& system) {
    return system.device != nullptr || system.compute.memory_bandwidth > 0 ||
           std::any_of(system.overrides.begin(), system.overrides.end(),
                       [](const auto& entry) { return entry.second.memory_bandwidth > 0; });
}

std::optional<engine::Workload> with_shorter_recorded(const engine::Workload& workload,
                                                      const Machine& machine, std::int64_t times) {
    const engine::ComputeModel model(machine.system, machine.dialect, machine.network,
                                     workload.ranks());
    std::optional<engine::Workload> result;
    std::set<std::uint32_t> seen;
    for (std::size_t i = 0; i < workload.ranks(); ++i) {
        const std::uint32_t number = workload.program_of[i];
        if (!seen.insert(number).second) {
            continue;
        }
        const Rank rank(static_cast<std::int32_t>(i));
        const std::vector<engine::ProgramOperation>& operations =
            workload.programs[number].operations;
        for (std::size_t k = 0; k < operations.size(); ++k) {
            const engine::ProgramOperation& operation = operations[k];
            if (operation.kind != engine::OperationKind::Compute || operation.nothing ||
                operation.recorded <= Time() ||
                model.cost(rank, workload.node_of(rank, operation), operation).modelled) {
                continue;
            }
            if (!result) {
                result = workload;
            }
            result->programs[number].operations[k].recorded =
                Time::ps((operation.recorded.ps() + times - 1) / times);
        }
    }
    return result;
}

}  // namespace npunet::study
