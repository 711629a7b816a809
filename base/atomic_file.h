// A file that appears under its final name only when it is whole.
//
//     AtomicFile file(folder / "results.json");
//     file.stream() << text;
//     file.commit();          // without it the destructor leaves nothing behind
//
// The data goes to an unfinished file (unfinished.h) in the same folder, which is renamed by
// commit(). A symbolic link stays, and the file that it leads to is replaced; devices and pipes are
// written to as they are. Failures to open, write or rename throw MachineError (exit code 4).
#pragma once

#include <ext/stdio_filebuf.h>

#include <filesystem>
#include <optional>
#include <ostream>

#include "base/error_keeping_buffer.h"
#include "base/unfinished.h"

namespace npunet {

/// Writes one file, all or nothing.
class AtomicFile {
public:
    /// Opens the unfinished file; makes the folder when it is missing.
    explicit AtomicFile(std::filesystem::path path);
    ~AtomicFile() = default;
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;

    [[nodiscard]] std::ostream& stream() { return stream_; }

    /// Flushes, checks that everything was written, and gives the file its final name.
    void commit();

private:
    using Buffer = ErrorKeepingBuffer<__gnu_cxx::stdio_filebuf<char>>;

    std::filesystem::path path_;
    std::optional<Unfinished> file_;  ///< none: a device or a pipe
    Buffer buffer_;
    std::ostream stream_{nullptr};
};

}  // namespace npunet
