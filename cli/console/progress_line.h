// How far a long task is, and how long it still takes: a bar on a terminal, otherwise a plain line
// every few seconds.
//
//     ProgressLine progress(context.log, quiet);
//     progress.start("points", 56, 12);
//     progress.step();                     // npunet: 13 of 56 points, about 40 s left
#pragma once

#include <chrono>
#include <cstddef>
#include <ostream>
#include <string>

#include "cli/console/time_left.h"

namespace npunet::cli {

class ProgressLine {
public:
    ProgressLine(std::ostream& log, bool quiet);

    /// `done` of `total` are done already and say nothing about the time. A total of 0: it
    /// is unknown.
    void start(const std::string& what, std::size_t total, std::size_t done);
    /// One more; `failed`: without a result.
    void step(bool failed);
    /// So many are done by now, of those that start() told; `also` is to be said besides.
    void to(std::size_t done, const std::string& also = "");
    /// The same; the time left follows from `share` of the work, 0 to 1, since the first call.
    void to(std::size_t done, double share, const std::string& also);
    /// The last line, whatever the time.
    void end();

    /// "12 s", "3 min 20 s", "2 h 5 min".
    [[nodiscard]] static std::string format_seconds(double seconds);

private:
    using Clock = std::chrono::steady_clock;

    [[nodiscard]] double elapsed() const;
    void update(std::size_t done, double share, const std::string& also);
    void show_at_times();
    void show(bool last);

    std::ostream& log_;
    bool terminal_;
    bool quiet_;
    std::string what_;
    std::string also_;
    TimeLeft left_;
    bool by_share_ = false;
    std::size_t total_ = 0;
    std::size_t done_ = 0;
    std::size_t failed_ = 0;
    Clock::time_point begin_;
    Clock::time_point shown_;
};

}  // namespace npunet::cli
