// Values of a device profile from measured kernel times.
//
//     DeviceProfile profile = load_device_profile("h100-sxm5-80gb");
//     const KernelFit fit = fit_profile(profile, table);       // replaces values in the profile
//
// A search along one value after the other for the least mean of max(p / t, t / p) - 1, with p
// predicted and t measured (above 1 counts as 1), over products of at least 10^8 operations (those
// with m, n and k from 512 twice), all attention and all memory-bound rows. The search is a fixed
// number of rounds of arithmetic that has the same bits on every machine. Hardware numbers
// (multiprocessors, peaks, bandwidth) stay as they are.
//
// The error is given in sample, and with groups left out: four fits, each without a quarter of the
// groups (products: pairs n, k; attention: pairs seq, heads; else operation and width), judged on
// that quarter.
#pragma once

#include <string>
#include <vector>

#include "engine/device/kernel_table.h"
#include "study/kernels/kernel_errors.h"

namespace npunet::study {

/// Of one kind of kernel in one table.
struct KernelFit {
    std::string key;  ///< in the profile: "matmul.bf16", "attention.fa3.forward", "memory.norm"
    std::string file;
    std::size_t rows = 0;
    KernelErrors in_sample;
    KernelErrors left_out;
};

/// Replaces what the table has times for, with `source` as where it comes from.
[[nodiscard]] std::vector<KernelFit> fit_profile(engine::DeviceProfile& profile,
                                                 const KernelTable& table,
                                                 const std::string& source);

}  // namespace npunet::study
