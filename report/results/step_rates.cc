#include "report/results/step_rates.h"

#include <fmt/format.h>

namespace npunet::report {

std::string format_rate(double rate) {
    return rate >= 1000 ? fmt::format("{:.0f}", rate) : fmt::format("{:.4g}", rate);
}

std::string format_mfu(double percent) {
    return percent > 0 ? fmt::format("{:.1f}%", percent) : "-";
}

std::string step_rates_text(const engine::StepRates& rates) {
    std::string text =
        fmt::format("step: {} tokens/s, {} samples/s, {} model TFLOP/s per NPU",
                    format_rate(rates.tokens_per_s), format_rate(rates.samples_per_s),
                    format_rate(rates.model_tflops_per_npu));
    if (rates.peak_tflops_per_npu > 0) {
        text += fmt::format("; MFU {} of {} TFLOP/s ({}), by PaLM's count {}",
                            format_mfu(rates.mfu_percent), format_rate(rates.peak_tflops_per_npu),
                            rates.peak_source, format_mfu(rates.mfu_palm_percent));
    }
    return text;
}

std::vector<std::pair<std::string, std::string>> step_rates_facts(const engine::StepRates& rates) {
    std::vector<std::pair<std::string, std::string>> facts{
        {"Tokens per second", format_rate(rates.tokens_per_s)},
        {"Samples per second", format_rate(rates.samples_per_s)},
        {"Model TFLOP/s per NPU", format_rate(rates.model_tflops_per_npu)}};
    if (rates.peak_tflops_per_npu > 0) {
        facts.emplace_back(
            "MFU",
            fmt::format("{} of {} TFLOP/s ({}); by PaLM's count {}", format_mfu(rates.mfu_percent),
                        format_rate(rates.peak_tflops_per_npu), rates.peak_source,
                        format_mfu(rates.mfu_palm_percent)));
    }
    return facts;
}

void write_step_rates(JsonWriter& json, const engine::StepRates& rates) {
    json.member("tokens_per_s", rates.tokens_per_s)
        .member("samples_per_s", rates.samples_per_s)
        .member("model_tflops_per_npu", rates.model_tflops_per_npu);
    if (rates.peak_tflops_per_npu > 0) {
        json.member("mfu_percent", rates.mfu_percent)
            .member("mfu_palm_percent", rates.mfu_palm_percent)
            .member("peak_tflops_per_npu", rates.peak_tflops_per_npu)
            .member("peak_source", rates.peak_source);
    }
}

}  // namespace npunet::report
