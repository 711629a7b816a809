// What a training framework does on a machine, beyond what its GPUs can do: the share of their
// rates that it sustains, extra passes over memory, the host's time for each kernel, what it
// overlaps.
//
//     const StackProfile stack = load_stack_profile("megatron-nemo-24");
//     const StackScalars& scalars = stack.scalars_of("h100-sxm5-80gb");
//
// A profile has at most three calibrated numbers a GPU, the scalars; the others are known facts of
// the framework. Its file says on which groups of measured steps they were calibrated.
//
// C++17-clean.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "engine/device/device_profile.h"

namespace npunet::engine {

/// Calibrated, of a framework on one GPU type.
struct StackScalars {
    /// Rate of products and attention, over that of the device profile: clocks under the load of
    /// whole steps, epilogues.
    double compute_rate = 1;
    /// Time of kernels that memory limits, over that of the device profile: extra passes.
    double memory_time = 1;
    /// Share of tensor-parallel communication that is issued beside the products around it.
    double tensor_overlap = 0;
    /// Root mean square of the errors of the steps calibrated on, in percent; 0: not calibrated.
    double residual_percent = 0;
};

struct StackProfile {
    std::string name;
    std::string attention_kernel;  ///< of those of the device; empty: its first
    double host_us = 0;            ///< the least time of a launched kernel: that of the host
    /// By how much computing takes longer for each doubling of the GPUs beyond 8.
    double scale_jitter = 0;
    bool overlaps_gradients = false;   ///< data-parallel sums beside the last backward pass
    bool overlaps_parameters = false;  ///< and gathers beside the first forward pass
    std::map<std::string, StackScalars> devices;
    std::vector<std::string> calibrated_on;      ///< groups of measured steps
    std::map<std::string, std::string> sources;  ///< of what is not calibrated
    std::string file;                            ///< for messages

    /// Those of a device; all 1 and 0 where the profile does not have it.
    [[nodiscard]] StackScalars scalars_of(const std::string& device) const;
};

/// Shipped profiles by name, sorted.
[[nodiscard]] std::vector<std::string> known_stacks();

/// A shipped profile by its name, or a file: what holds a '/' or ends in .json. `where` is for the
/// message: the option or the file that names it.
[[nodiscard]] StackProfile load_stack_profile(const std::string& name_or_file,
                                              const std::string& where = "--stack");

[[nodiscard]] StackProfile read_stack_profile(const std::string& path);
/// The file's text; reading it gives the same profile.
[[nodiscard]] std::string stack_profile_text(const StackProfile& profile);

/// How long a kernel runs on a device under a framework, in us, its products at the rates of
/// continuous load, without the host; 0 without launches. `bytes`: read and written, for kernels
/// that memory limits.
[[nodiscard]] double running_us(const DeviceProfile& device, const StackProfile& stack,
                                const KernelCall& call, double bytes);

/// The time of a kernel: running_us(), but at least the host's time for its launches.
[[nodiscard]] double kernel_us(const DeviceProfile& device, const StackProfile& stack,
                               const KernelCall& call, double bytes);

}  // namespace npunet::engine
