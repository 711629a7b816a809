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
#include <string_view>

#include "base/ids.h"

namespace npunet::chakra {

/// Where the traces of a workload are, and how many there are.
struct TraceSet {
    std::string prefix;
    std::int32_t ranks = 0;         ///< the traces are those of ranks 0 to ranks - 1
    std::string extension = ".et";  ///< what their names end in

    /// The trace of one rank.
    [[nodiscard]] std::filesystem::path path(Rank rank) const;
};

/// One trace of a workload, or of none.
struct TraceFile {
    std::filesystem::path path;
    Rank rank;  ///< invalid: the name of the file does not tell
};

/// PREFIX.RANK.et
[[nodiscard]] std::filesystem::path trace_path(const std::string& prefix, Rank rank,
                                               std::string_view extension = ".et");

/// The rank of which a file of this name is the trace; invalid when the name does not tell.
[[nodiscard]] Rank rank_of(const std::filesystem::path& path);

/// Finds the traces of a prefix: PREFIX.RANK.et, or .et.gz, .json, .json.gz or .eg. Throws
/// InputError when there is none, when they have different endings, or when one is missing below
/// the highest rank, naming the missing file; MachineError when the folder cannot be listed.
[[nodiscard]] TraceSet find_traces(const std::string& prefix);

/// Throws InputError ("15 traces for 16 NPUs") unless there is one trace for each of `npus` NPUs.
void check_rank_count(const TraceSet& found, std::int32_t npus);

}  // namespace npunet::chakra
