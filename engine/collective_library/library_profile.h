// A profile of a communication library: what its channels cost on each GPU type. A file of
// configs/collectives, or one of a user's own (docs/communication-libraries.md).
//
//     std::vector<std::string> warnings;
//     const LibraryProfile profile = find_library_profile("nccl-2.29", "", warnings);
//     const LibraryGpu& h100 = profile.gpu("h100", "system.json", "gpu");
//
// C++17-clean.
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/collective_library/gpu_architecture.h"
#include "engine/collective_library/library_constants.h"
#include "engine/collective_library/library_version.h"

namespace npunet::engine {

/// Where constants are from.
struct LibrarySource {
    std::string text;
    bool calibrated = false;  ///< fitted to measured collectives
};

struct LibraryGpu {
    std::string name;               ///< "h100"
    std::vector<std::string> also;  ///< GPUs with the same constants: "h200"
    const GpuArchitecture* architecture = nullptr;
    LibraryConstants constants;
    /// By constant: a key of LibraryProfile::sources.
    std::array<std::string, library_constants> sources;

    [[nodiscard]] bool is(std::string_view gpu) const;
};

struct LibraryProfile {
    std::string file;
    std::string library;  ///< "nccl"
    LibraryVersion version;
    std::map<std::string, LibrarySource> sources;
    std::vector<std::string> calibrated_on;  ///< groups of measured rows
    std::vector<LibraryGpu> gpus;

    /// null for a GPU that it does not have.
    [[nodiscard]] const LibraryGpu* find(std::string_view gpu) const;
    /// Throws InputError with the place for one that it does not have.
    [[nodiscard]] const LibraryGpu& gpu(const std::string& name, const std::string& file_of_name,
                                        const std::string& place) const;
};

/// Throws InputError with file and place, also where a GPU has anything but one number for each of
/// the constants.
[[nodiscard]] LibraryProfile read_library_profile(const std::string& path);

/// The profile of that name: a path (with a slash, or ending in .json; relative to `beside`), or a
/// library and version, "nccl-2.29", among those that come with npunet. Where that version has no
/// file, the nearest older one is taken, else the oldest; a warning says so. The profile has the
/// version that was asked for. Throws InputError for a library without files.
[[nodiscard]] LibraryProfile find_library_profile(const std::string& name,
                                                  const std::string& beside,
                                                  std::vector<std::string>& warnings);

}  // namespace npunet::engine
