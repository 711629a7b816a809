// The files of a .tar.gz.
#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace npunet::profiles {

/// Name in the archive and contents of every file.
[[nodiscard]] std::map<std::string, std::string> files_of_tar(const std::filesystem::path& path);

}  // namespace npunet::profiles
