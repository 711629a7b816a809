// Measured training steps from a CSV file, as models, plans and machines.
//
// Columns (a file may lack any but `value` and `quantity`; unknown ones are ignored): id, group,
// source ("nemo" in it tells the stack), gpu, gpus, gpus_per_node, intra_link ("450 GB/s per
// direction"), inter_link ("400 Gb/s per GPU", "8 x 200 Gb/s per node"), model, layers, hidden,
// heads, kv_heads, seq, vocab, global_batch, micro_batch, tp, pp, dp, cp, ep, vpp, sp, recompute,
// zero, precision, quantity (iteration_time, tokens_per_s_per_gpu, sequences_per_s,
// achieved_tflops_per_gpu, mfu), value, unit, notes (of which "ffn N" counts). What a row leaves
// open is assumed, and listed.
//
//     for (const MeasuredStep& step : read_measured_steps("validation/steps.csv")) ...
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "generators/transformer/model_spec.h"
#include "generators/transformer/plan.h"

namespace npunet::study {

enum class StepQuantity : std::uint8_t {
    None,            ///< no training step
    Time,            ///< of a step
    TokensPerGpu,    ///< per second
    Sequences,       ///< per second, of all GPUs
    AchievedTflops,  ///< per GPU, of what is computed: layers that are recomputed count again
    Mfu,             ///< model FLOPs over the peak, in percent
};

struct MeasuredStep {
    std::string id;
    std::string group;
    std::string gpu;  ///< as the file has it: "A100-SXM4-80GB"
    StepQuantity quantity = StepQuantity::None;
    double value = 0;
    std::string unit;
    /// Of a value in the base unit: s, tokens/s, TFLOP/s, percent.
    double unit_factor = 1;

    generators::ModelSpec model;
    generators::Plan plan;
    std::int64_t gpus = 0;
    std::int64_t domain = 0;  ///< GPUs that the fast links join; divides gpus
    double intra_gb_s = 0;    ///< of a GPU, one direction, 10^9 bytes per second
    double inter_gb_s = 0;
    bool fp8 = false;
    std::string device;       ///< name of a device profile
    std::string library_gpu;  ///< GPU of the communication library's profile
    std::string stack;        ///< name of a stack profile

    std::vector<std::string> assumed;  ///< "vpp 1"
    std::string skipped;               ///< why nothing can be predicted; else empty

    [[nodiscard]] double tokens() const {
        return static_cast<double>(plan.batch) * static_cast<double>(plan.sequence);
    }
};

/// Every row of the file, those that are no training steps as skipped ones. Throws InputError for a
/// file that is no CSV table with the columns `value` and `quantity`.
[[nodiscard]] std::vector<MeasuredStep> read_measured_steps(const std::string& path);

/// The rows that come with npunet: PREFIX/share/npunet/validation, or those of the sources.
[[nodiscard]] std::string measured_steps_file();

}  // namespace npunet::study
