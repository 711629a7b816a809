// The times of kernels on the device that a system.json names, for what plans without simulating:
// the planner knows no devices.
//
//     device.kernel_us = kernel_clock(system);        // "device", and "stack" where it is there
#pragma once

#include <cstdint>
#include <functional>

#include "engine/machine/system_config.h"
#include "generators/kernel.h"

namespace npunet::study {

/// The time of a kernel, which reads and writes `bytes`, in us; without effects of scale.
using KernelClock = std::function<double(const generators::KernelInfo& kernel, std::int64_t bytes)>;

/// Empty where the system names no device.
[[nodiscard]] KernelClock kernel_clock(const engine::SystemConfig& system);

}  // namespace npunet::study
