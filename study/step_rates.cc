#include "study/step_rates.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "generators/transformer/model_flops.h"

namespace npunet::study {

namespace {

using engine::DataType;

/// In which multiplications may run, the first that a device has counts.
std::vector<DataType> types_of(const generators::ModelSpec& model, const generators::Plan& plan) {
    if (plan.precision == generators::Precision::Fp8) {
        return {DataType::Fp8};
    }
    switch (model.dtypes.activations) {
        case 1:
            return {DataType::Fp8, DataType::Int8};
        case 2:
            return {DataType::Bf16, DataType::Fp16};
        case 4:
            return {DataType::Fp32, DataType::Tf32};
        default:
            return {DataType::Fp64};
    }
}

struct Peak {
    double tflops = 0;
    std::string source;
};

/// Of an NPU without a peak-perf of its own.
Peak usual_peak(const generators::ModelSpec& model, const generators::Plan& plan,
                const engine::SystemConfig& system) {
    if (system.device != nullptr) {
        for (const DataType type : types_of(model, plan)) {
            const auto found = system.device->peak_tflops.find(type);
            if (found != system.device->peak_tflops.end()) {
                return {found->second, fmt::format("{} of {}", name_of(type), system.device->name)};
            }
        }
    }
    return {system.compute.peak_tflops, "peak-perf of system.json"};
}

/// The mean of all NPUs; 0 where that of one is not known.
Peak mean_peak(const generators::ModelSpec& model, const generators::Plan& plan,
               const engine::SystemConfig& system) {
    const auto npus = static_cast<std::size_t>(plan.world());
    Peak peak = usual_peak(model, plan, system);
    if (system.overrides.empty()) {
        return peak;
    }
    double sum = 0;
    bool known = true;
    for (const engine::ComputeRate& rate : system.compute_rates(npus)) {
        const double own =
            rate.peak_tflops == system.compute.peak_tflops ? peak.tflops : rate.peak_tflops;
        sum += own;
        known = known && own > 0;
    }
    const double mean = known ? sum / static_cast<double>(npus) : 0;
    if (mean != peak.tflops) {
        peak.source = fmt::format("mean of the NPUs, {} and their own peak-perf", peak.source);
    }
    peak.tflops = mean;
    return peak;
}

}  // namespace

std::optional<engine::StepRates> step_rates(const generators::ModelSpec& model,
                                            const generators::Plan& plan, const Machine& machine,
                                            const engine::Results& results) {
    if (results.partial || results.finish <= Time()) {
        return std::nullopt;
    }
    constexpr double ps_per_s = 1e12;
    constexpr double tera = 1e12;
    const double seconds = static_cast<double>(results.finish.ps()) / ps_per_s;
    const auto npus = static_cast<double>(plan.world());
    const generators::ModelFlops flops = generators::model_flops(model, plan);
    const auto per_npu = [&](generators::WideCount count) {
        return static_cast<double>(count) / seconds / npus / tera;
    };
    const Peak peak = mean_peak(model, plan, machine.system);
    engine::StepRates rates;
    rates.tokens_per_s = static_cast<double>(plan.tokens()) / seconds;
    rates.samples_per_s = static_cast<double>(plan.batch) / seconds;
    rates.model_tflops_per_npu = per_npu(flops.megatron);
    if (peak.tflops > 0) {
        rates.mfu_percent = 100.0 * rates.model_tflops_per_npu / peak.tflops;
        rates.mfu_palm_percent = 100.0 * per_npu(flops.palm) / peak.tflops;
        rates.peak_tflops_per_npu = peak.tflops;
        rates.peak_source = peak.source;
    }
    return rates;
}

}  // namespace npunet::study
