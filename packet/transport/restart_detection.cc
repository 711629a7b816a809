#include "packet/transport/restart_detection.h"

#include "packet/base/constants.h"

#include <algorithm>

namespace npunet::packet {

std::int64_t RestartDetection::timer_after(std::int64_t timer, std::int64_t repetitions) const {
    const std::int64_t end = from_ + (repetitions + 1) * period_;
    std::int64_t next = count_;  // first restart after the last timer event
    for (;;) {
        if (timer == never) {
            next = next_with_deadline(next, repetitions);
            if (next == no_restart) {
                return never;
            }
            timer = deadline_of(next);
        }
        if (timer > end) {
            return timer;
        }
        next = first_behind(timer);
        timer = count_ == 0 ? never : deadline_of(next - 1);
    }
}

std::int64_t RestartDetection::deadline_of(std::int64_t restart) const {
    const std::int64_t deadline = first_[restart % count_].deadline;
    return deadline == never ? never : deadline + restart / count_ * period_;
}

std::int64_t RestartDetection::next_with_deadline(std::int64_t restart,
                                                  std::int64_t repetitions) const {
    const std::int64_t end = std::min((repetitions + 1) * count_, restart + count_);
    while (restart < end && deadline_of(restart) == never) {
        ++restart;
    }
    return restart < end ? restart : no_restart;
}

std::int64_t RestartDetection::first_behind(std::int64_t timer) const {
    // The earlier state was sampled after the timer events of its instant.
    const std::int64_t repetition = (timer - from_ - 1) / period_;
    const std::int64_t at = timer - repetition * period_;
    const TimerRestart* const behind =
        std::partition_point(first_, first_ + count_, [at](const TimerRestart& restart) {
            return restart.at < at || (restart.at == at && !restart.after_timers);
        });
    return repetition * count_ + (behind - first_);
}

}  // namespace npunet::packet
