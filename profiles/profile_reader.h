// Reads the trace that PyTorch's profiler (Kineto) wrote of one rank, CUDA's or ROCm's, of 2021 or
// of today: JSON as it is, or of gzip or zstd.
//
//     const EventTable trace = read_profile("rank_0000_iter_15.pt.trace.json.gz");
//
// The file is streamed: besides the table a few mebibytes are held. What real files have that JSON
// has not (a value that is missing, a NaN, a half-written last event) does not stop it: such events
// are repaired or skipped, counted, and the first places named (EventTable::damage).
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>

#include "profiles/event_table.h"

namespace npunet::profiles {

struct ProfileReadOptions {
    bool strict = false;                             ///< refuse what is damaged
    std::atomic<std::uint64_t>* progress = nullptr;  ///< grows by the decompressed bytes read
};

/// Throws InputError when there is no such file, or it is no trace of events, or `strict` is set
/// and it is damaged; MachineError when it cannot be read.
[[nodiscard]] EventTable read_profile(const std::filesystem::path& path,
                                      const ProfileReadOptions& options = {});

/// Whether a file begins like a trace of PyTorch's profiler; false if it cannot be read.
[[nodiscard]] bool looks_like_profile(const std::filesystem::path& path);

/// The rank in a file's name: "rank_0003_iter_15.pt.trace.json", "rank4.1767.pt.trace.json",
/// "rank-4.json.gz", "worker0_step_12.pt.trace.json"; none when it has none.
[[nodiscard]] std::optional<std::int32_t> rank_in_name(const std::string& file_name);

}  // namespace npunet::profiles
