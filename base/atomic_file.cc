#include "base/atomic_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>
#include <utility>

#include "base/errors.h"

namespace npunet {

namespace {

/// What has no content of its own to keep, and must not give way to a file: /dev/null, a pipe.
bool takes_bytes_at_once(const std::filesystem::path& path) {
    std::error_code ignored;
    const std::filesystem::file_status status = std::filesystem::status(path, ignored);
    return std::filesystem::exists(status) && std::filesystem::is_other(status);
}

/// The file that a symbolic link leads to, so that the link stays.
std::filesystem::path without_links(const std::filesystem::path& path) {
    std::error_code error;
    if (!std::filesystem::is_symlink(path, error)) {
        return path;
    }
    std::filesystem::path target = std::filesystem::canonical(path, error);
    return error ? path : target;
}

/// `error`: an errno, or 0 if unknown.
[[noreturn]] void throw_file_error(const std::filesystem::path& path, const char* doing,
                                   int error) {
    const std::string why = error == 0 ? "" : std::string(": ") + std::strerror(error);
    throw MachineError(path.string() + ": cannot " + doing + why +
                       ". Check the free space and the permissions of the folder");
}

}  // namespace

AtomicFile::AtomicFile(std::filesystem::path path) : path_(std::move(path)) {
    int descriptor = -1;
    if (takes_bytes_at_once(path_)) {
        descriptor = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
    } else {
        path_ = without_links(path_);
        try {
            file_.emplace(path_.parent_path(), Unfinished::Kind::File);
        } catch (const std::system_error& error) {
            throw_file_error(path_, "write", error.code().value());
        }
        // The stream closes its own descriptor; the other one keeps the lock until the rename.
        descriptor = ::fcntl(file_->descriptor(), F_DUPFD_CLOEXEC, 0);
    }
    if (descriptor < 0) {
        throw_file_error(path_, "write", errno);
    }
    buffer_ = Buffer(descriptor, std::ios::out | std::ios::binary);
    stream_.rdbuf(&buffer_);
}

void AtomicFile::commit() {
    const bool failed_before = !stream_;
    errno = 0;
    const bool closed = buffer_.close() != nullptr;
    if (failed_before || !closed) {
        const int now = failed_before ? 0 : errno;
        throw_file_error(path_, "write", buffer_.error() != 0 ? buffer_.error() : now);
    }
    if (!file_) {
        return;
    }
    std::error_code error;
    file_->finish([&] {
        std::filesystem::rename(file_->path(), path_, error);
        if (error) {
            throw_file_error(path_, "write", error.value());
        }
    });
}

}  // namespace npunet
