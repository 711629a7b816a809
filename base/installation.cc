#include "base/installation.h"

#include <system_error>

namespace npunet {

std::filesystem::path installed_or(const std::filesystem::path& below_prefix,
                                   const std::filesystem::path& otherwise) {
    std::error_code error;
    const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
    if (error) {
        return otherwise;
    }
    const std::filesystem::path installed = program.parent_path().parent_path() / below_prefix;
    return std::filesystem::exists(installed, error) ? installed : otherwise;
}

}  // namespace npunet
