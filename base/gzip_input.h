// A file that is read from its front, decompressed where it is compressed with gzip.
//
//     GzipInput input("trace.0.et", "an execution trace (.et)", "Name one trace in it");
//     const GzipInput::Piece piece = input.read(buffer.data(), buffer.size());
//
// For what is read piece by piece: traces and logs of calls. C++17-clean.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

struct gzFile_s;

namespace npunet {

class GzipInput {
public:
    /// `expected` says what the file should be, `folder_remedy` what to do about a folder. Throws
    /// InputError for a file that is missing, a folder, or a device or socket (which may have no
    /// end; a pipe is taken), MachineError for one that the system does not let us open.
    GzipInput(std::filesystem::path path, const std::string& expected,
              const std::string& folder_remedy);
    ~GzipInput();
    GzipInput(const GzipInput&) = delete;
    GzipInput& operator=(const GzipInput&) = delete;

    struct Piece {
        std::size_t bytes = 0;
        std::string damage;  ///< what is wrong with the compressed data; empty when nothing is
    };
    /// Less than `room` bytes only at the end of the file, and where it is damaged. Throws
    /// MachineError when reading fails.
    [[nodiscard]] Piece read(char* into, std::size_t room);

    [[nodiscard]] bool compressed() const;
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
    gzFile_s* file_ = nullptr;
};

}  // namespace npunet
