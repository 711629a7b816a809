// How fast a training or inference step is, of runs whose model and plan are known.
//
// C++17-clean.
#pragma once

#include <string>

namespace npunet::engine {

struct StepRates {
    double tokens_per_s = 0;
    double samples_per_s = 0;         ///< sequences that a step works on; in decode one token each
    double model_tflops_per_npu = 0;  ///< 10^12 model FLOPs a second, by Megatron's count
    double mfu_percent = 0;           ///< of the peak; 0 where that is not known
    double mfu_palm_percent = 0;      ///< the same by PaLM's count
    double peak_tflops_per_npu = 0;   ///< mean of the NPUs; 0: not known
    std::string peak_source;          ///< "bf16 of h100-sxm5-80gb", "peak-perf of system.json"
};

}  // namespace npunet::engine
