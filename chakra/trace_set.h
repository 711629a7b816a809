// The traces of a workload: PREFIX.0.et, PREFIX.1.et, ..., one for each rank.
//
//     const TraceSet traces = find_traces("workloads/gpt");
//     check_rank_count(traces, 16);
//     TraceReader reader(traces.path(Rank{3}));               // workloads/gpt.3.et
//
// C++17-clean: reached from ns-3 scenario scripts.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/ids.h"

namespace npunet::chakra {

/// Where the traces of a workload are, and how many there are.
struct TraceSet {
    std::string prefix;
    std::int32_t ranks = 0;  ///< the traces are those of ranks 0 to ranks - 1

    /// The trace of one rank.
    [[nodiscard]] std::filesystem::path path(Rank rank) const;
};

/// PREFIX.<rank>.et
[[nodiscard]] std::filesystem::path trace_path(const std::string& prefix, Rank rank);

/// Finds the traces of a prefix. Throws InputError when there is none, or when one is missing
/// below the highest rank, naming the missing file.
[[nodiscard]] TraceSet find_traces(const std::string& prefix);

/// Throws InputError ("15 traces for 16 NPUs") unless there is one trace for each of `npus` NPUs.
void check_rank_count(const TraceSet& found, std::int32_t npus);

}  // namespace npunet::chakra
