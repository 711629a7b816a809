#include "chakra/feeder/spill_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

#include "base/errors.h"

namespace npunet::chakra {

namespace {

[[noreturn]] void fail(const char* what) {
    throw MachineError(
        fmt::format("temporary file: cannot {}: {}. Free some space, or name another folder for it",
                    what, std::strerror(errno)));
}

}  // namespace

SpillFile::SpillFile(const std::filesystem::path& folder) {
    std::string name = (folder / "npunet-XXXXXX").string();
    file_ = ::mkostemp(name.data(), O_CLOEXEC);
    if (file_ < 0) {
        throw MachineError(fmt::format("{}: cannot make a temporary file: {}. Name another folder",
                                       folder.string(), std::strerror(errno)));
    }
    ::unlink(name.c_str());
}

SpillFile::~SpillFile() {
    if (file_ >= 0) {
        ::close(file_);
    }
}

SpillFile::SpillFile(SpillFile&& other) noexcept
    : file_(std::exchange(other.file_, -1)), size_(std::exchange(other.size_, 0)) {}

SpillFile& SpillFile::operator=(SpillFile&& other) noexcept {
    std::swap(file_, other.file_);
    std::swap(size_, other.size_);
    return *this;
}

void SpillFile::append(const void* bytes, std::size_t count) {
    const char* at = static_cast<const char*>(bytes);
    while (count > 0) {
        const ssize_t done = ::write(file_, at, count);
        if (done < 0 && errno == EINTR) {
            continue;
        }
        if (done <= 0) {
            fail("write");
        }
        at += done;
        count -= static_cast<std::size_t>(done);
        size_ += static_cast<std::uint64_t>(done);
    }
}

void SpillFile::read(std::uint64_t offset, void* bytes, std::size_t count) const {
    char* at = static_cast<char*>(bytes);
    while (count > 0) {
        const ssize_t done = ::pread(file_, at, count, static_cast<off_t>(offset));
        if (done < 0 && errno == EINTR) {
            continue;
        }
        if (done <= 0) {
            fail("read");
        }
        at += done;
        offset += static_cast<std::uint64_t>(done);
        count -= static_cast<std::size_t>(done);
    }
}

int SpillFile::release() {
    size_ = 0;
    return std::exchange(file_, -1);
}

}  // namespace npunet::chakra
