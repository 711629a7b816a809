// Bytes as a file that readers open by its path and that no disk sees.
//
//     MemoryFile file(bytes);
//     read_trace(file.path());
#pragma once

#include <filesystem>
#include <string_view>

namespace npunet::fuzz {

class MemoryFile {
public:
    explicit MemoryFile(std::string_view bytes);
    ~MemoryFile();
    MemoryFile(const MemoryFile&) = delete;
    MemoryFile& operator=(const MemoryFile&) = delete;

    [[nodiscard]] std::filesystem::path path() const;

private:
    int file_;
};

/// The length of the bytes, or of what they are the compressed form of, read as far as it can be
/// and not beyond `most`.
[[nodiscard]] std::size_t decompressed_size(std::string_view bytes, std::size_t most);

/// Extra memory for reading a compressed profile: zlib's buffers, 256 KiB in and 512 KiB out; for a
/// zstd frame its window, up to 128 MiB (RFC 8878, section 3.1.1.1.2), and two blocks of 128 KiB. 0
/// for other bytes.
[[nodiscard]] std::size_t decompression_buffers(std::string_view bytes);

}  // namespace npunet::fuzz
