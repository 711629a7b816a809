#include "memory_file.h"

#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include <string>
#include <system_error>
#include <vector>

namespace npunet::fuzz {

MemoryFile::MemoryFile(std::string_view bytes) : file_(memfd_create("fuzz", MFD_CLOEXEC)) {
    while (file_ >= 0 && !bytes.empty()) {
        const ssize_t written = write(file_, bytes.data(), bytes.size());
        if (written <= 0) {
            break;
        }
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    if (file_ < 0 || !bytes.empty()) {
        throw std::system_error(errno, std::generic_category(), "a file in memory");
    }
}

MemoryFile::~MemoryFile() {
    close(file_);
}

std::filesystem::path MemoryFile::path() const {
    return "/proc/self/fd/" + std::to_string(file_);
}

std::size_t decompressed_size(std::string_view bytes, std::size_t most) {
    if (bytes.substr(0, 2) != "\x1f\x8b") {
        return bytes.size();
    }
    const MemoryFile file(bytes);
    const gzFile gzip = gzopen(file.path().c_str(), "rb");
    std::vector<char> buffer(std::size_t{1} << 16);
    std::size_t size = 0;
    while (size < most) {
        const int got = gzread(gzip, buffer.data(), static_cast<unsigned>(buffer.size()));
        if (got <= 0) {
            break;
        }
        size += static_cast<std::size_t>(got);
    }
    gzclose_r(gzip);
    return size < bytes.size() ? bytes.size() : size;
}

std::size_t decompression_buffers(std::string_view bytes) {
    constexpr std::size_t block = std::size_t{128} << 10;
    constexpr std::size_t window = std::size_t{128} << 20;
    if (bytes.substr(0, 2) == "\x1f\x8b") {
        return 6 * block;
    }
    return bytes.substr(0, 4) == "\x28\xB5\x2F\xFD" ? window + 2 * block : 0;
}

}  // namespace npunet::fuzz
