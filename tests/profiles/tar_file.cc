#include "tar_file.h"

#include <zlib.h>

#include <array>
#include <cstdlib>
#include <stdexcept>

namespace npunet::profiles {

std::map<std::string, std::string> files_of_tar(const std::filesystem::path& path) {
    // POSIX ustar: blocks of 512 bytes; a file's header has its name at 0, its size in octal at 124
    // and its type at 156, '0' for a file.
    constexpr std::size_t block = 512;
    gzFile file = gzopen(path.c_str(), "rb");
    if (file == nullptr) {
        throw std::runtime_error(path.string());
    }
    std::map<std::string, std::string> files;
    std::array<char, block> header{};
    while (gzread(file, header.data(), block) == static_cast<int>(block) && header[0] != '\0') {
        const std::size_t size = std::strtoull(&header[124], nullptr, 8);
        std::string contents((size + block - 1) / block * block, '\0');
        gzread(file, contents.data(), static_cast<unsigned>(contents.size()));
        contents.resize(size);
        if (header[156] == '0' || header[156] == '\0') {
            files.emplace(header.data(), std::move(contents));
        }
    }
    gzclose(file);
    return files;
}

}  // namespace npunet::profiles
