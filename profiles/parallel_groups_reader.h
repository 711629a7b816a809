// Reads unique_parallel_groups_*.txt, in the layout of today and in the one before it.
//
//     const GroupsFilePlace place = find_parallel_groups("run/iteration_15");
//     const ParallelGroupsFile file = read_parallel_groups(place.path);
//
// As TraceViz's reader does, it takes sizes by their names ("TP Size", "TP (Tensor Parallel) Size",
// "DP Size" where it stands), sections by their titles ("TENSOR PARALLEL (TP) GROUPS", "UNIQUE TP
// GROUPS", with or without a colon), lists with or without their kind ("TP Group 1:"); sections may
// be missing or unknown, lines may end in CR LF. Damage is refused: lists or numbers that are none,
// ranks beyond the world or in two groups of a section, groups out of their numbering, totals that
// contradict, and files of today's layout that break off.
#pragma once

#include <cstddef>
#include <filesystem>
#include <istream>
#include <string>

#include "profiles/parallel_groups_file.h"

namespace npunet::profiles {

/// Throws InputError with the line.
[[nodiscard]] ParallelGroupsFile read_parallel_groups(const std::filesystem::path& path);
/// `name` stands for the file in errors.
[[nodiscard]] ParallelGroupsFile read_parallel_groups(std::istream& stream,
                                                      const std::string& name);

struct GroupsFilePlace {
    std::filesystem::path path;
    std::size_t candidates = 1;  ///< files of such a name in the folder
};

/// The path itself if it is a file; of a folder the file of the last time in its name, or else that
/// in the folder above. Throws InputError where there is none.
[[nodiscard]] GroupsFilePlace find_parallel_groups(const std::filesystem::path& path);

}  // namespace npunet::profiles
