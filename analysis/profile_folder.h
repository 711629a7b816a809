// Which profiles a folder holds.
//
//     for (const Iteration& one : find_profiles("tensorboard", {})) {
//         for (const ProfileFile& file : one.files) { ... }
//     }
//
// A folder that holds profiles is one iteration; else each of its folders that hold some (at any
// depth) is one. Profiles are the files *.json, *.json.gz and *.json.zst with a rank in their name
// (rank_0003_iter_15.pt.trace.json, rank-4.json.gz, worker0_...) or the ending .pt.trace.json[...]
// of PyTorch's handler, and other JSON files that begin like a PyTorch trace (kineto_0.json).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace npunet::analysis {

struct ProfileFile {
    std::filesystem::path path;
    std::uintmax_t bytes = 0;
};

struct Iteration {
    std::string name;                ///< of its folder
    std::filesystem::path folder;    ///< where a file of groups is looked for
    std::vector<ProfileFile> files;  ///< by name
};

/// What of a folder is wanted; patterns as in patterns.h. Empty lists: everything.
struct ProfileChoice {
    std::string pattern;                  ///< of file names
    std::vector<std::string> folders;     ///< patterns of iterations' names
    std::vector<std::string> iterations;  ///< exact names, all of which must be there
};

/// Throws InputError where there is no such folder, or no profile in it.
[[nodiscard]] std::vector<Iteration> find_profiles(const std::filesystem::path& path,
                                                   const ProfileChoice& choice);

/// The name without .json, .json.gz or .json.zst; empty when it has none of them.
[[nodiscard]] std::string profile_stem(const std::string& file_name);

}  // namespace npunet::analysis
