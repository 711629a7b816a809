#include "generators/megatron/logs/log_input.h"

#include <fmt/format.h>

#include <utility>

#include "base/errors.h"

namespace npunet::generators::megatron {

namespace {

constexpr std::size_t buffer_bytes = std::size_t{1} << 18;
constexpr const char* log_file = "a log of calls (comm_log_rank_R.json)";

}  // namespace

LogInput::LogInput(std::filesystem::path path)
    : input_(std::move(path), log_file, "Name one log in it"),
      buffer_(buffer_bytes),
      at_(buffer_.data()),
      end_(buffer_.data()) {}

bool LogInput::refill() {
    before_ += static_cast<std::uint64_t>(end_ - buffer_.data());
    at_ = end_ = buffer_.data();
    const GzipInput::Piece got = input_.read(buffer_.data(), buffer_.size());
    if (!got.damage.empty()) {
        throw InputError({path().string(),
                          fmt::format("byte {} of the decompressed data", consumed()), got.damage,
                          "a whole gzip file", "Copy or generate the log again"});
    }
    end_ += got.bytes;
    return got.bytes > 0;
}

void LogInput::refuse_token() const {
    throw InputError(
        {path().string(),
         fmt::format("byte {}{}", consumed(), compressed() ? " of the decompressed data" : ""),
         fmt::format("a text or number of more than {} bytes", longest_token), log_file,
         "This is no log of calls, or a damaged one. Record or make it again"});
}

}  // namespace npunet::generators::megatron
