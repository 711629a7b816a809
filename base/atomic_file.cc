#include "base/atomic_file.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
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

/// An error of 0 is not known: streams do not keep that of a write.
[[noreturn]] void throw_file_error(const std::filesystem::path& path, const char* doing,
                                   int error) {
    const std::string why = error == 0 ? "" : std::string(": ") + std::strerror(error);
    throw MachineError(path.string() + ": cannot " + doing + why +
                       ". Check the free space and the permissions of the folder");
}

}  // namespace

AtomicFile::AtomicFile(std::filesystem::path path) : path_(std::move(path)) {
    const auto folder = path_.parent_path();
    if (!folder.empty()) {
        std::error_code error;
        std::filesystem::create_directories(folder, error);
        if (error) {
            throw_file_error(folder, "make the folder", error.value());
        }
    }
    temporary_ = path_;
    if (!takes_bytes_at_once(path_)) {
        path_ = without_links(path_);
        temporary_ = path_;
        temporary_ += ".tmp" + std::to_string(::getpid());
    }
    errno = 0;
    stream_.open(temporary_, std::ios::binary | std::ios::trunc);
    if (!stream_) {
        throw_file_error(path_, "write", errno);
    }
}

AtomicFile::~AtomicFile() {
    if (!committed_ && temporary_ != path_) {
        stream_.close();
        std::error_code ignored;
        std::filesystem::remove(temporary_, ignored);
    }
}

void AtomicFile::commit() {
    const bool failed_before = !stream_;
    errno = 0;
    stream_.close();
    if (!stream_) {
        throw_file_error(path_, "write", failed_before ? 0 : errno);
    }
    std::error_code error;
    if (temporary_ != path_) {
        std::filesystem::rename(temporary_, path_, error);
    }
    if (error) {
        throw_file_error(path_, "write", error.value());
    }
    committed_ = true;
}

}  // namespace npunet
