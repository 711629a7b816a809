// The bytes of a file, decompressed: as they are, of gzip or of zstd, told by their first bytes.
//
//     ByteSource source("rank_0000.pt.trace.json.gz");
//     while (const std::size_t bytes = source.read(buffer, sizeof buffer)) { ... }
//     if (source.cut_off()) { ... }      // the compressed data broke off or is damaged
//
// For the sources of this folder only.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>

namespace npunet::profiles {

class ByteSource {
public:
    /// Throws InputError when there is no such file, MachineError when it cannot be read.
    explicit ByteSource(const std::filesystem::path& path);
    ~ByteSource();
    ByteSource(const ByteSource&) = delete;
    ByteSource& operator=(const ByteSource&) = delete;

    /// Up to `room` bytes (at most 2^30); 0 at the end.
    std::size_t read(char* bytes, std::size_t room);
    /// The data ended before its end; what could be read of it was.
    [[nodiscard]] bool cut_off() const;

    class Format;

private:
    std::unique_ptr<Format> format_;
};

}  // namespace npunet::profiles
