// The profiles of a run in a folder, one of each rank, and the execution traces that go with them.
//
//     const ProfileFolder folder = open_profile_folder("iteration_12", "execution_traces");
//     for (const auto& profile : folder.profiles) { ... }
//
// Files are told apart by what is in them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <vector>

namespace npunet::generators::profiler {

struct ProfileFolder {
    std::vector<std::filesystem::path> profiles;           ///< by name
    std::map<std::int32_t, std::filesystem::path> traces;  ///< execution traces by rank
    /// The one execution trace of the one profile, whatever its name.
    std::filesystem::path only_trace;

    /// The execution trace of a rank; empty when there is none.
    [[nodiscard]] std::filesystem::path trace_of(std::int32_t rank) const;
};

/// Files named *.json, *.json.gz and *.json.zst. `folder` may also be a single profile; `traces`
/// may be empty, a folder or a file, and execution traces that stand beside the profiles count too.
/// An execution trace's rank is told by its name: behind "rank", or its last number. Throws
/// InputError for a folder without profiles, and for two execution traces of a rank or one of none.
[[nodiscard]] ProfileFolder open_profile_folder(const std::filesystem::path& folder,
                                                const std::filesystem::path& traces);

}  // namespace npunet::generators::profiler
