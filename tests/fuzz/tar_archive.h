// The files of a tar archive that scripts/fuzz has packed: plain files with short names.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace npunet::fuzz {

struct ArchivedFile {
    std::string name;
    std::string bytes;
};

/// In the order of the archive. Blocks of 512 bytes: for each file a header, with the name in its
/// first 100 bytes and the size in octal digits at 124, then the content; a block of zeros ends.
inline std::vector<ArchivedFile> read_tar(std::string_view archive) {
    constexpr std::size_t block = 512;
    std::vector<ArchivedFile> files;
    while (archive.size() >= block && archive[0] != '\0') {
        const std::string name(archive.substr(0, 100).data());
        const std::size_t size = std::stoull(std::string(archive.substr(124, 11)), nullptr, 8);
        if (archive[156] != '0' || archive.size() - block < size) {
            throw std::runtime_error("not an archive of plain files: " + name);
        }
        files.push_back({name, std::string(archive.substr(block, size))});
        archive.remove_prefix(block + (size + block - 1) / block * block);
    }
    return files;
}

}  // namespace npunet::fuzz
