// A file that appears under its final name only when it is whole.
//
//     AtomicFile file(folder / "results.json");
//     file.stream() << text;
//     file.commit();          // without it the destructor leaves nothing behind
//
// The data goes to a temporary name in the same folder and is renamed by commit(). A symbolic link
// stays, and the file that it leads to is replaced; devices and pipes are written to as they are.
// Failures to open, write or rename throw MachineError (exit code 4).
#pragma once

#include <filesystem>
#include <fstream>

namespace npunet {

/// Writes one file, all or nothing.
class AtomicFile {
public:
    /// Opens the temporary file; makes the folder when it is missing.
    explicit AtomicFile(std::filesystem::path path);
    ~AtomicFile();
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;

    [[nodiscard]] std::ostream& stream() { return stream_; }

    /// Flushes, checks that everything was written, and gives the file its final name.
    void commit();

private:
    std::filesystem::path path_;
    std::filesystem::path temporary_;
    std::ofstream stream_;
    bool committed_ = false;
};

}  // namespace npunet
