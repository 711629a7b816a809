// Paths of the files that come with the program, in the build tree or in the installation.
//
//     PREFIX/bin/npunet, PREFIX/share/npunet/configs
#pragma once

#include <filesystem>

namespace npunet {

/// A file of PREFIX/`below_prefix` of an installed program; else the one in the build or the
/// sources.
[[nodiscard]] std::filesystem::path installed_or(const std::filesystem::path& below_prefix,
                                                 const std::filesystem::path& otherwise);

}  // namespace npunet
