#include "generators/megatron/log_input.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/errors.h"

namespace npunet::generators::megatron {

namespace {

constexpr std::size_t buffer_bytes = std::size_t{1} << 18;
constexpr const char* log_file = "a log of calls (comm_log_rank_R.json)";

}  // namespace

LogInput::LogInput(std::filesystem::path path)
    : path_(std::move(path)), buffer_(buffer_bytes), at_(buffer_.data()), end_(buffer_.data()) {
    std::error_code ignored;
    const auto type = std::filesystem::status(path_, ignored).type();
    if (type == std::filesystem::file_type::not_found) {
        throw InputError({path_.string(), "", "no such file", log_file, "Check the path"});
    }
    if (type == std::filesystem::file_type::directory) {
        throw InputError({path_.string(), "", "a folder", log_file, "Name one log in it"});
    }
    errno = 0;
    file_ = gzopen(path_.c_str(), "rb");
    if (file_ == nullptr) {
        throw MachineError(fmt::format("{}: cannot open: {}. Check the permissions of the file",
                                       path_.string(), std::strerror(errno)));
    }
    gzbuffer(file_, 1U << 16);
}

LogInput::~LogInput() {
    if (file_ != nullptr) {
        gzclose_r(file_);
    }
}

bool LogInput::refill() {
    before_ += static_cast<std::uint64_t>(end_ - buffer_.data());
    at_ = end_ = buffer_.data();
    errno = 0;
    const int got = gzread(file_, buffer_.data(), static_cast<unsigned>(buffer_.size()));
    int error = Z_OK;
    const char* message = gzerror(file_, &error);
    if (error == Z_ERRNO || error == Z_MEM_ERROR) {
        throw MachineError(
            fmt::format("{}: cannot read: {}", path_.string(),
                        error == Z_MEM_ERROR ? "out of memory" : std::strerror(errno)));
    }
    if (got < 0 || error == Z_BUF_ERROR || error == Z_DATA_ERROR) {
        throw InputError({path_.string(),
                          fmt::format("byte {} of the decompressed data", consumed()),
                          fmt::format("damaged gzip data ({})", message), "a whole gzip file",
                          "Copy or generate the log again"});
    }
    end_ += got;
    return got > 0;
}

void LogInput::refuse_token() const {
    throw InputError(
        {path_.string(),
         fmt::format("byte {}{}", consumed(), compressed() ? " of the decompressed data" : ""),
         fmt::format("a text or number of more than {} bytes", longest_token), log_file,
         "This is no log of calls, or a damaged one. Record or make it again"});
}

}  // namespace npunet::generators::megatron
