// Tokens a second and model FLOPs utilization, for people and for programs.
//
//     text += step_rates_text(*results.rates) + '\n';
//     write_step_rates(json, *results.rates);
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/json_writer.h"
#include "engine/results/step_rates.h"

namespace npunet::report {

/// "15084", "3.683": four significant digits, whole numbers from 1000 on.
[[nodiscard]] std::string format_rate(double rate);
/// "42.6%", "-" where no peak is known.
[[nodiscard]] std::string format_mfu(double percent);

/// "step: 15084 tokens/s, 3.683 samples/s, 421.3 model TFLOP/s per NPU; MFU 42.6% of 989 TFLOP/s
/// (bf16 of h100-sxm5-80gb), by PaLM's count 43.0%", without a newline.
[[nodiscard]] std::string step_rates_text(const engine::StepRates& rates);

/// The same as names and values.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> step_rates_facts(
    const engine::StepRates& rates);

/// Members of the current object, of docs/results.md; those about the peak only where it is known.
void write_step_rates(JsonWriter& json, const engine::StepRates& rates);

}  // namespace npunet::report
