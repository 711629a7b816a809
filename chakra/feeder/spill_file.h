// A file without a name that holds what does not fit into memory; it is gone when it is closed.
// For the sources of chakra only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>

namespace npunet::chakra {

class SpillFile {
public:
    /// Throws MachineError when no file can be made in the folder.
    explicit SpillFile(const std::filesystem::path& folder);
    ~SpillFile();
    SpillFile(SpillFile&& other) noexcept;
    SpillFile& operator=(SpillFile&& other) noexcept;

    /// Writes behind what was written before. Throws MachineError when the disk is full.
    void append(const void* bytes, std::size_t count);
    /// Reads bytes that were written. Throws MachineError when that fails.
    void read(std::uint64_t offset, void* bytes, std::size_t count) const;
    [[nodiscard]] std::uint64_t size() const { return size_; }
    /// Gives the file away: its descriptor, to be closed by the caller.
    [[nodiscard]] int release();

private:
    int file_ = -1;
    std::uint64_t size_ = 0;
};

}  // namespace npunet::chakra
