// Profiles of a model on a device that has not been measured: by roofline (Williams et al. 2009)
// from its peak and its memory bandwidth, or by the times of its kernels.
//
//     RooflineDevice device{"A100", 312, 2039, 300};
//     device.kernel_us = study::kernel_clock(system);             // of a device profile
//     std::vector<ProfileFile> files = roofline_profiles(model, device, {.max_tp = 8, ...});
//
// The operations of a layer are those of the transformer generator (docs/generators.md), forward
// and backward pass: the weight and input gradients of each multiplication take its FLOPs again.
// Each takes max(FLOPs / peak, bytes / memory bandwidth), or the time of its kernel; with these a
// micro-batch also adds to main gradients, and the optimizer's step takes the norm of the gradients
// and clips them (StepOps::Full), as device and stack profiles count them. Sums over the
// tensor-parallel group, four of batch x sequence x hidden activations in a block (Shoeybi et al.
// 2019), are rings inside the node and overlap nothing:
//
//     all-reduce of B bytes                  2 (tp - 1) / tp x B / bandwidth
//     all-gather, reduce-scatter of B bytes    (tp - 1) / tp x B / bandwidth
//
// The first layer is the embedding, the last the final norm and the LM head with a table of its
// own; the loss is what is between the layers. The optimizer is its roofline over all parameters.
// A layer's memory is weights, gradients and optimizer's states, and what a micro-batch keeps for
// the backward pass (Korthikanti et al. 2022; generators/transformer/saved_activations.h).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "generators/kernel.h"
#include "generators/transformer/model_spec.h"
#include "planner/profile_file.h"

namespace npunet::planner {

struct RooflineDevice {
    std::string type;
    double peak_tflops = 0;       ///< 10^12 operations per second, above 0
    double memory_bandwidth = 0;  ///< 10^9 bytes per second, above 0
    double intra_bandwidth = 0;   ///< 10^9 bytes per second to the others of a node; for tp above 1
    /// Time of a kernel, which reads and writes `bytes`, in us; empty: by roofline.
    std::function<double(const generators::KernelInfo& kernel, std::int64_t bytes)> kernel_us = {};
};

struct RooflineGrid {
    std::int64_t sequence = 0;   ///< tokens of a sample; 0: the model's
    std::int64_t max_batch = 1;  ///< the largest micro-batch
    /// The largest degree of tensor parallelism; 0: the largest up to max_batch that the model can
    /// be divided by.
    std::int64_t max_tp = 0;
};

/// For tp and batch 1, 2, 4, ... each; model.layers blocks between embedding and output layer.
/// Throws InputError for a model with experts, and for one that cannot be divided so.
[[nodiscard]] std::vector<ProfileFile> roofline_profiles(const generators::ModelSpec& model,
                                                         const RooflineDevice& device,
                                                         const RooflineGrid& grid);

/// One of them. Throws as above.
[[nodiscard]] ProfileFile roofline_profile(const generators::ModelSpec& model,
                                           const RooflineDevice& device, std::int64_t sequence,
                                           std::int64_t tp, std::int64_t batch);

}  // namespace npunet::planner
