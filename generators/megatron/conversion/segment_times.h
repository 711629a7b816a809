// Measured times of the computations between calls, from a file of the user's.
//
//     # times.yml: of one micro-batch and layer on one rank
//     attention_forward: 812.5us
//     mlp_forward: 640us
//
//     const SegmentTimes times = read_segment_times("times.yml");
//     times.ns("mlp_forward", "times.yml");
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace npunet::generators::megatron {

/// Names that programs have: embedding_forward, attention_forward, ..., optimizer.
[[nodiscard]] const std::vector<std::string>& segment_names();

class SegmentTimes {
public:
    SegmentTimes(std::string file, std::map<std::string, std::int64_t, std::less<>> ns)
        : file_(std::move(file)), ns_(std::move(ns)) {}

    /// Throws InputError where the file does not say it.
    [[nodiscard]] std::int64_t ns(std::string_view segment) const;

private:
    std::string file_;
    std::map<std::string, std::int64_t, std::less<>> ns_;
};

/// Throws InputError (file, line) for what is not a table of known segments and times.
[[nodiscard]] SegmentTimes read_segment_times(const std::string& file);

}  // namespace npunet::generators::megatron
