#include "cli/console/progress_line.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <iostream>

namespace npunet::cli {

namespace {

constexpr std::chrono::milliseconds on_a_terminal{200};
constexpr std::chrono::seconds in_a_log{5};
constexpr std::size_t bar_width = 24;

}  // namespace

ProgressLine::ProgressLine(std::ostream& log, bool quiet)
    : log_(log), terminal_(&log == &std::cerr && ::isatty(STDERR_FILENO) != 0), quiet_(quiet) {}

std::string ProgressLine::format_seconds(double seconds) {
    const auto whole = static_cast<long long>(std::ceil(seconds));
    if (whole < 60) {
        return fmt::format("{} s", whole);
    }
    if (whole < 3600) {
        return fmt::format("{} min {} s", whole / 60, whole % 60);
    }
    return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

void ProgressLine::start(const std::string& what, std::size_t total, std::size_t done) {
    what_ = what;
    total_ = total;
    done_ = done;
    failed_ = 0;
    begin_ = shown_ = Clock::now();
    by_share_ = false;
    left_ = TimeLeft();
    left_.at(0, total == 0 ? 0 : static_cast<double>(done) / static_cast<double>(total));
    if (!quiet_ && total > 0) {
        const std::string resumed =
            done == 0 ? "" : fmt::format(", {} of them done in an earlier run", done);
        log_ << fmt::format("npunet: {} {}{}\n", total, what, resumed) << std::flush;
    }
}

void ProgressLine::step(bool failed) {
    failed_ += failed ? 1 : 0;
    to(done_ + 1);
}

void ProgressLine::to(std::size_t done, const std::string& also) {
    update(done, total_ == 0 ? 0 : static_cast<double>(done) / static_cast<double>(total_), also);
}

void ProgressLine::to(std::size_t done, double share, const std::string& also) {
    if (!by_share_) {
        by_share_ = true;
        left_ = TimeLeft();
    }
    update(done, share, also);
}

void ProgressLine::update(std::size_t done, double share, const std::string& also) {
    done_ = done;
    also_ = also;
    left_.at(elapsed(), share);
    show_at_times();
}

double ProgressLine::elapsed() const {
    return std::chrono::duration<double>(Clock::now() - begin_).count();
}

void ProgressLine::show_at_times() {
    const auto period = terminal_ ? std::chrono::duration_cast<Clock::duration>(on_a_terminal)
                                  : std::chrono::duration_cast<Clock::duration>(in_a_log);
    if (Clock::now() - shown_ >= period) {
        show(false);
    }
}

void ProgressLine::end() {
    show(true);
}

void ProgressLine::show(bool last) {
    shown_ = Clock::now();
    if (quiet_) {
        return;
    }
    std::string text = total_ == 0 ? fmt::format("{} {}", done_, what_)
                                   : fmt::format("{} of {} {}", done_, total_, what_);
    if (failed_ > 0) {
        text += fmt::format(", {} failed", failed_);
    }
    text += fmt::format(", {}", format_seconds(elapsed()));
    if (const std::optional<double> left = left_.seconds(); left && done_ < total_) {
        text += fmt::format(", about {} left", format_seconds(*left));
    }
    text += also_.empty() ? "" : ", " + also_;
    if (!terminal_) {
        log_ << "npunet: " << text << '\n' << std::flush;
        return;
    }
    const std::size_t full = total_ == 0 ? bar_width : bar_width * done_ / total_;
    log_ << fmt::format("\r\x1b[Knpunet: [{}{}] {}{}", std::string(full, '#'),
                        std::string(bar_width - full, ' '), text, last ? "\n" : "")
         << std::flush;
}

}  // namespace npunet::cli
