// The time of one kernel on a device, in closed form.
//
// Product: the result is cut into tiles, k into `split` parts; the tiles go to the
// multiprocessors in waves.
//
//     s(tile)  = rows columns / (rows + columns)
//     rate     = peak / multiprocessors x efficiency x s / (s + tile ramp)
//     waves    = r ceil(w) + (1 - r) max(w, 1), w = tiles split / multiprocessors
//     compute  = max(waves x 2 rows columns (k / split + k ramp) / rate,
//                    tiles (rows + columns) k element / (bandwidth x cache bandwidth))
//                + what adding up the parts costs
//     time     = launch + max(compute, move) + exposed share x min(compute, move)
//
// with move = bytes / (bandwidth x memory efficiency); the fastest tile and split count. Parts of k
// below 128 are not considered.
//
// Attention: blocks of 128 queries of each head and sequence; with a causal mask the mean block
// meets (keys + 128) / 2 keys, the longest all of them.
//
//     block    = FLOPs / (peak / multiprocessors x efficiency) + block time
//     time     = launch + passes x bytes / bandwidth + max(sum of blocks / multiprocessors,
//                longest) + tail x longest, the last where there are more blocks than
//                multiprocessors
//
// Backward: 2.5 times the operations, twice the tensors.
//
// Everything else: launch + bytes / (bandwidth x efficiency).
//
// Where the profile has a measured time of a shape, that is the kernel's in kernel_us(); the
// formulas, and what validates and fits them, do not know it.
//
// C++17-clean.
#pragma once

#include <string>

#include "engine/device/device_profile.h"

namespace npunet::engine {

/// Microseconds. Throws InputError when the profile has neither rates nor a peak for the type.
[[nodiscard]] double matmul_us(const DeviceProfile& device, DataType type,
                               const MatmulShape& shape);

/// `kernel`: by name; empty: the profile's first.
[[nodiscard]] double attention_us(const DeviceProfile& device, DataType type,
                                  const AttentionShape& shape, bool backward,
                                  const std::string& kernel = "");

[[nodiscard]] double memory_us(const DeviceProfile& device, Kernel kernel, double bytes);

/// Of a compute node: its kernel, and further launches of the profile's launch time each; 0 without
/// launches. `bytes`: read and written, for kernels that memory limits. `attention_kernel`: as in
/// attention_us().
[[nodiscard]] double kernel_us(const DeviceProfile& device, const KernelCall& call, double bytes,
                               const std::string& attention_kernel = "");

/// Rates of products of the type: the profile's own, else those of bf16 with the type's peak.
[[nodiscard]] const MatmulRates& matmul_rates(const DeviceProfile& device, DataType type);
[[nodiscard]] double peak_tflops(const DeviceProfile& device, DataType type);

}  // namespace npunet::engine
