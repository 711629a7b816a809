// What `npunet record` prints: the recording, and which operations a profile has measured.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "generators/recorded/recorded_conversion.h"

namespace npunet::cli {

/// Whole lines. `profile` is the file of --kernels, `megatron` the folder of --megatron-logs, or
/// empty.
[[nodiscard]] std::string record_text(const generators::recorded::Recording& recording,
                                      const generators::recorded::RecordedSummary& summary,
                                      const std::string& profile, const std::string& megatron);

/// The same for --json.
[[nodiscard]] nlohmann::ordered_json record_document(
    const generators::recorded::Recording& recording,
    const generators::recorded::RecordedSummary& summary, const std::string& profile,
    const std::string& megatron);

}  // namespace npunet::cli
