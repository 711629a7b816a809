#include "profiles/text_window.h"

#include <algorithm>
#include <cstring>

namespace npunet::profiles {

namespace {

constexpr std::size_t first_bytes = std::size_t{1} << 20;
constexpr std::size_t most_at_once = std::size_t{1} << 26;

}  // namespace

TextWindow::TextWindow(const std::filesystem::path& path, std::atomic<std::uint64_t>* progress)
    : source_(path), progress_(progress), buffer_(first_bytes + 1) {
    extend();
}

void TextWindow::advance(std::size_t characters) {
    begin_ += characters;
}

bool TextWindow::extend() {
    if (at_end_) {
        return false;
    }
    dropped_ += begin_;
    dropped_lines_ +=
        static_cast<std::uint64_t>(std::count(buffer_.data(), buffer_.data() + begin_, '\n'));
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
    if (2 * end_ > buffer_.size()) {
        buffer_.resize(2 * buffer_.size());
    }
    const std::size_t room = std::min(buffer_.size() - 1 - end_, most_at_once);
    const std::size_t read = source_.read(buffer_.data() + end_, room);
    end_ += read;
    buffer_[end_] = '\0';
    at_end_ = read == 0;
    if (progress_ != nullptr) {
        progress_->fetch_add(read, std::memory_order_relaxed);
    }
    return read != 0;
}

std::uint64_t TextWindow::line() const {
    return 1 + dropped_lines_ +
           static_cast<std::uint64_t>(std::count(buffer_.data(), buffer_.data() + begin_, '\n'));
}

}  // namespace npunet::profiles
