// How fast one type of GPU runs kernels: the numbers behind the times of compute operations.
//
//     const DeviceProfile profile = load_device_profile("h100-sxm5-80gb");
//     const double us = matmul_us(profile, DataType::Bf16, {1, 4096, 4096, 4096});
//
// A profile that is "based-on" a shipped one gives its own hardware numbers, and only those rates
// of kernels that differ. The formulas are in kernel_time.h. Every value of a profile has a source,
// in words; a fit (study/kernels/profile_fit.h) replaces values and their sources. Tables of
// measured kernel times (kernel_table.h) may stand beside the rates.
//
// C++17-clean.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "engine/device/kernel.h"

namespace npunet::engine {

/// A block of the result of a product that one multiprocessor computes.
struct Tile {
    std::int64_t rows = 0;
    std::int64_t columns = 0;
};

/// Products of one data type.
struct MatmulRates {
    std::vector<Tile> tiles;
    std::vector<std::int64_t> split_k;  ///< in how many parts k may be computed
    double efficiency = 1;              ///< share of the peak that a large tile reaches
    double tile_ramp = 0;               ///< a tile of half harmonic mean s runs at s / (s + ramp)
    double k_ramp = 0;                  ///< start and end of a tile, in steps of k
    double memory_efficiency = 1;       ///< share of the memory bandwidth
    double wave_rounding = 1;           ///< 1: whole waves of tiles; 0: fractions of waves
    double split_us = 0;                ///< adding up the parts of k
    double cache_bandwidth = 1;         ///< of what tiles read, in memory bandwidths
    double exposed_share = 0;           ///< of the shorter one of computing and moving
    double launch_us = 0;
    /// Share of the rate that is kept under continuous load, where power limits the clock: in whole
    /// steps, not in single kernels.
    double loaded_rate = 1;
};

/// One direction of an attention kernel.
struct AttentionRates {
    double efficiency = 1;    ///< share of the peak
    double narrow_heads = 1;  ///< factor of the rate for head dimensions below 128
    double block_us = 0;      ///< start and end of a block of 128 queries
    double passes = 1;        ///< over queries, keys, values and outputs
    double tail = 0;          ///< of the longest block, that is not hidden
    double launch_us = 0;
};

struct AttentionKernel {
    std::string name;
    AttentionRates forward;
    AttentionRates backward;
};

/// Kernels that memory limits, of one kind.
struct MemoryRates {
    double efficiency = 1;  ///< share of the memory bandwidth
    double launch_us = 0;
};

struct DeviceProfile {
    std::string name;
    std::int64_t multiprocessors = 0;
    std::map<DataType, double> peak_tflops;
    double memory_bandwidth = 0;  ///< 10^9 bytes a second
    double memory_capacity = 0;   ///< 10^9 bytes
    std::map<DataType, MatmulRates> matmul;
    std::vector<AttentionKernel> attention;  ///< the first is the default
    std::array<MemoryRates, chakra::kernel_kinds>
        memory;            ///< by Kernel, of those that memory limits
    double launch_us = 0;  ///< of each further launch of an operation of several kernels
    /// Measured times of products and attention by shape, in microseconds, in place of the
    /// formulas; launches are 1.
    std::map<KernelCall, double, KernelCallOrder> times;
    std::vector<std::string> time_files;  ///< the tables that they are from
    /// By key of the file, such as "matmul.bf16": where its values come from.
    std::map<std::string, std::string> sources;
    std::string file;  ///< for messages
};

/// Shipped profiles by name, sorted.
[[nodiscard]] std::vector<std::string> known_devices();

/// A shipped profile by its name, or a file: what holds a '/' or ends in .json. `where` is for the
/// message: the option or the file that names it.
[[nodiscard]] DeviceProfile load_device_profile(const std::string& name_or_file,
                                                const std::string& where = "--device");

[[nodiscard]] DeviceProfile read_device_profile(const std::string& path);
/// The file's text; reading it gives the same profile.
[[nodiscard]] std::string device_profile_text(const DeviceProfile& profile);

}  // namespace npunet::engine
