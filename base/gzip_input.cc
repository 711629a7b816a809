#include "base/gzip_input.h"

#include <fmt/format.h>
#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "base/errors.h"

namespace npunet {

GzipInput::GzipInput(std::filesystem::path path, const std::string& expected,
                     const std::string& folder_remedy)
    : path_(std::move(path)) {
    std::error_code ignored;
    const std::filesystem::file_status status = std::filesystem::status(path_, ignored);
    if (status.type() == std::filesystem::file_type::not_found) {
        throw InputError({path_.string(), "", "no such file", expected, "Check the path"});
    }
    if (status.type() == std::filesystem::file_type::directory) {
        throw InputError({path_.string(), "", "a folder", expected, folder_remedy});
    }
    if (std::filesystem::is_other(status) && !std::filesystem::is_fifo(status)) {
        throw InputError(
            {path_.string(), "", "a device or socket", expected, "Name a file or a pipe"});
    }
    errno = 0;
    file_ = gzopen(path_.c_str(), "rb");
    if (file_ == nullptr) {
        throw MachineError(fmt::format("{}: cannot open: {}. Check the permissions of the file",
                                       path_.string(), std::strerror(errno)));
    }
    // Uncompressed files are passed through zlib without a copy when requests are larger than
    // zlib's own buffer; ours are.
    gzbuffer(file_, 1U << 16);
}

GzipInput::~GzipInput() {
    if (file_ != nullptr) {
        gzclose_r(file_);
    }
}

GzipInput::Piece GzipInput::read(char* into, std::size_t room) {
    errno = 0;
    const int got = gzread(file_, into, static_cast<unsigned>(room));
    int error = Z_OK;
    const char* message = gzerror(file_, &error);
    if (error == Z_ERRNO || error == Z_MEM_ERROR) {
        throw MachineError(
            fmt::format("{}: cannot read: {}", path_.string(),
                        error == Z_MEM_ERROR ? "out of memory" : std::strerror(errno)));
    }
    if (got < 0 || error == Z_BUF_ERROR || error == Z_DATA_ERROR) {
        return {0, fmt::format("damaged gzip data ({})", message)};
    }
    return {static_cast<std::size_t>(got), ""};
}

bool GzipInput::compressed() const {
    return gzdirect(file_) == 0;
}

}  // namespace npunet
