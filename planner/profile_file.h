// One file of a profile folder with everything that Metis's form has, and how it is written.
//
//     std::vector<ProfileFile> files = read_profile_files("samples");
//     files.front().optimizer_ms *= 2;
//     write_profile_files(files, "profiles");
//
// For making profiles; what a search reads of a folder is in profile.h. The written text is that of
// the generator beside Metis, byte for byte: Python's json.dump with an indent of 2.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "planner/profile.h"

namespace npunet::planner {

struct ProfileFile : LayerProfile {
    std::string model_name;
    double between_ms = 0;               ///< of the forward and backward pass what no layer takes
    double layernorm_all_reduce_ms = 0;  ///< of gradients, once a step
    double embedding_all_reduce_ms = 0;  ///< likewise
    double total_ms = 0;
};

/// Forward and backward pass, data loading, the two sums, the optimizer.
[[nodiscard]] double sum_of_times(const ProfileFile& file);

/// "DeviceType.A100_tp4_bs8.json".
[[nodiscard]] std::string name_of(const ProfileFile& file);

/// The JSON document, without a line feed at its end.
[[nodiscard]] std::string text_of(const ProfileFile& file);

/// Whether a type can stand in a file's name: letters and digits.
[[nodiscard]] bool is_type_name(const std::string& name);

/// The profiles of a folder in the order of their names. Throws InputError as read_profiles does,
/// and where a list has no first, second and last entry.
[[nodiscard]] std::vector<ProfileFile> read_profile_files(const std::filesystem::path& folder);

/// All files, or none. Throws MachineError.
void write_profile_files(const std::vector<ProfileFile>& files,
                         const std::filesystem::path& folder);

}  // namespace npunet::planner
