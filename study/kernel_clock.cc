#include "study/kernel_clock.h"

#include <cstddef>

#include "engine/device/kernel_time.h"
#include "engine/device/stack_profile.h"

namespace npunet::study {

namespace {

engine::KernelCall call_of(const generators::KernelInfo& kernel) {
    const auto sizes = static_cast<std::ptrdiff_t>(chakra::shape_size(kernel.kind));
    return {kernel.kind,
            kernel.type,
            kernel.causal,
            kernel.launches,
            {kernel.shape.begin(), kernel.shape.begin() + sizes}};
}

}  // namespace

KernelClock kernel_clock(const engine::SystemConfig& system) {
    if (system.device == nullptr) {
        return {};
    }
    return [device = system.device, stack = system.stack](const generators::KernelInfo& kernel,
                                                          std::int64_t moved) {
        const engine::KernelCall call = call_of(kernel);
        const auto bytes = static_cast<double>(moved);
        return stack ? engine::kernel_us(*device, *stack, call, bytes)
                     : engine::kernel_us(*device, call, bytes);
    };
}

}  // namespace npunet::study
