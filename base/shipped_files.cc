#include "base/shipped_files.h"

#include <algorithm>
#include <system_error>

namespace npunet {

namespace {

bool has_extension(const std::filesystem::path& path, const std::vector<std::string>& extensions) {
    return std::find(extensions.begin(), extensions.end(), path.extension().string()) !=
           extensions.end();
}

}  // namespace

std::filesystem::path shipped_path(const std::string& path) {
    std::error_code error;
    const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
    const std::filesystem::path installed =
        program.parent_path().parent_path() / "share/npunet" / path;
    return !error && std::filesystem::exists(installed, error)
               ? installed
               : std::filesystem::path(NPUNET_SOURCE_FOLDER) / path;
}

std::vector<std::string> names_of_files(const std::filesystem::path& folder,
                                        const std::vector<std::string>& extensions) {
    std::vector<std::string> names;
    std::error_code missing;
    for (const auto& entry : std::filesystem::directory_iterator(folder, missing)) {
        if (has_extension(entry.path(), extensions)) {
            names.push_back(entry.path().stem().string());
        }
    }
    std::sort(names.begin(), names.end());
    return names;
}

bool is_file_name(const std::string& text, const std::vector<std::string>& extensions) {
    return text.find('/') != std::string::npos || has_extension(text, extensions);
}

}  // namespace npunet
