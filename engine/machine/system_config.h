// system.json: how the NPUs of the machine compute and run collectives.
//
//     SystemConfig system = read_system_config("system.json", Dialect::named("npunet"), warnings);
//     SystemConfig plain;         // ring, one chunk, endpoint delay 0, recorded compute times
//
// C++17-clean.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/quantities.h"
#include "engine/collective_algorithms/implementation.h"
#include "engine/collective_files/file_choices.h"
#include "engine/collective_library/library_in_use.h"
#include "engine/device/device_profile.h"
#include "engine/machine/dialect.h"
#include "engine/machine/remote_memory.h"

namespace npunet::engine {

struct StackProfile;

/// What the roofline needs to know of one NPU.
struct ComputeRate {
    double peak_tflops = 0;       ///< 10^12 operations per second; 0 = not given
    double memory_bandwidth = 0;  ///< 10^9 bytes per second; 0 = not given
};

/// For what traces do not name as a kernel: the bf16 peak, 0 where the profile has none, and the
/// memory bandwidth.
[[nodiscard]] ComputeRate roofline_rate(const DeviceProfile& device);

/// Which ready communication starts first where max-concurrent-comms limits them: the one that has
/// been ready longest, shortest, or has the highest comm_priority; of equals, the lowest node id.
enum class SchedulingPolicy : std::uint8_t { LowestId, Fifo, Lifo, Explicit };

enum class CollectiveOptimization : std::uint8_t { Baseline, LocalBandwidthAware };

struct SystemConfig {
    Time endpoint_delay;
    /// 0: chosen for each collective (engine/collective/algorithm_chooser.h), as the next one.
    std::int32_t active_chunks_per_dimension = 1;
    std::int32_t preferred_dataset_splits = 1;
    CollectiveOptimization optimization = CollectiveOptimization::LocalBandwidthAware;
    /// One entry for every dimension or tier, or a single one for all of them; empty: chosen for
    /// each collective. By CollectiveKind.
    std::array<std::vector<Implementation>, 9> implementation_lists = default_implementations();
    /// Algorithms from files, which come before those; by CollectiveKind.
    std::array<FileChoices, 9> file_lists;
    /// Carries out what it can of the kinds without an algorithm here; null: none is named.
    std::shared_ptr<const LibraryInUse> library;
    ComputeRate compute;
    /// Times of kernels that traces name; null: none.
    std::shared_ptr<const DeviceProfile> device;
    /// What the recorded durations of the traces were measured on, where they are moved to
    /// `device`; null: they are not.
    std::shared_ptr<const DeviceProfile> recorded_on;
    /// What the framework adds to them; null: none.
    std::shared_ptr<const StackProfile> stack;
    /// Compute times by roofline; else the recorded durations.
    bool roofline = false;
    bool track_memory = false;
    /// At most so many collectives and sends of one NPU at a time; 0 = no limit.
    std::int32_t max_concurrent_comms = 0;
    SchedulingPolicy scheduling_policy = SchedulingPolicy::LowestId;
    /// A GPU operation that begins while a collective or send of its NPU is under way, or together
    /// with one, takes so many times as long; from 1.
    double comm_compute_slowdown = 1;
    /// Of one NPU; 0 = not given. Only compared with the peak that is found.
    Bytes memory_capacity;
    std::vector<std::pair<std::int32_t, Bytes>> capacity_overrides;
    RemoteMemoryConfig remote_memory;
    /// Overrides of `compute` for single ranks (heterogeneous machines).
    std::vector<std::pair<std::int32_t, ComputeRate>> overrides;
    /// It was read from, for messages.
    std::string file = "system.json";

    [[nodiscard]] const std::vector<Implementation>& implementations(CollectiveKind kind) const {
        return implementation_lists[static_cast<std::size_t>(kind)];
    }
    [[nodiscard]] std::vector<Implementation>& implementations(CollectiveKind kind) {
        return implementation_lists[static_cast<std::size_t>(kind)];
    }
    [[nodiscard]] const FileChoices& files(CollectiveKind kind) const {
        return file_lists[static_cast<std::size_t>(kind)];
    }
    [[nodiscard]] FileChoices& files(CollectiveKind kind) {
        return file_lists[static_cast<std::size_t>(kind)];
    }
    /// Ring; a binomial tree to broadcast and reduce; direct to gather and scatter.
    [[nodiscard]] static std::array<std::vector<Implementation>, 9> default_implementations();

    /// By rank, with the overrides; those of ranks beyond `ranks` are left out.
    [[nodiscard]] std::vector<ComputeRate> compute_rates(std::size_t ranks) const;
    [[nodiscard]] std::vector<Bytes> memory_capacities(std::size_t ranks) const;
};

/// What holds without a file: in dialects that choose, everything about collectives is chosen.
[[nodiscard]] SystemConfig default_system_config(const Dialect& dialect);

/// Reads ASTRA-sim's system.json with our additions. Throws InputError with file and key. Unknown
/// keys are errors with the nearest known key, or warnings in a tolerant dialect.
[[nodiscard]] SystemConfig read_system_config(const std::string& path, const Dialect& dialect,
                                              std::vector<std::string>& warnings);

}  // namespace npunet::engine
