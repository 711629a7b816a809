// Files that come with npunet, such as device profiles: those of the installed program,
// PREFIX/share/npunet, or those of the sources.
//
//     const std::filesystem::path folder = shipped_path("configs/devices");
//     const std::vector<std::string> names = names_of_files(folder, {".json"});
//     if (is_file_name(text, {".json"})) { ... a file of the user's ... }
//
// C++17-clean.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace npunet {

/// Of a file or folder, from the top of the sources. It need not exist.
[[nodiscard]] std::filesystem::path shipped_path(const std::string& path);

/// The files of a folder with one of these extensions, without them, sorted. None where there is no
/// such folder.
[[nodiscard]] std::vector<std::string> names_of_files(const std::filesystem::path& folder,
                                                      const std::vector<std::string>& extensions);

/// Whether a text is a path and no name: it holds a '/' or ends in one of these extensions.
[[nodiscard]] bool is_file_name(const std::string& text,
                                const std::vector<std::string>& extensions);

}  // namespace npunet
