// Extrapolates the restarts of a queue pair's retransmission timeout, recorded between two equal
// states, over the periods that are skipped: repetition 0 is the recorded one, and all later ones
// repeat it.
//
//     RestartDetection restarts(first, last, earlier.at, present.at - earlier.at);
//     pair.timer = restarts.timer_after(pair.timer, periods);
#pragma once

#include <cstdint>

namespace npunet::packet {

/// A timeout of a queue pair was restarted, or stopped.
struct TimerRestart {
    std::uint32_t pair;     ///< number of the queue pair
    std::int64_t at;        ///< in picoseconds
    std::int64_t deadline;  ///< when it expires in picoseconds, or never
    bool after_timers;      ///< after the timer events of that instant
};

class RestartDetection {
public:
    /// `first` to `last`: the recorded restarts, in order; `from`: time of the earlier state;
    /// `period`: from there to the later one. Times in picoseconds.
    RestartDetection(const TimerRestart* first, const TimerRestart* last, std::int64_t from,
                     std::int64_t period)
        : first_(first), count_(last - first), from_(from), period_(period) {}

    /// When the timer event is pending after this many repetitions, if it is pending at `timer` in
    /// the later state. Both may be never.
    std::int64_t timer_after(std::int64_t timer, std::int64_t repetitions) const;

private:
    static constexpr std::int64_t no_restart = -1;  ///< no restart

    /// Restarts are numbered from the first of repetition 0 over all repetitions.
    std::int64_t deadline_of(std::int64_t restart) const;

    /// The first restart, from `restart` on and within the repetitions, that sets a deadline, or
    /// no_restart.
    std::int64_t next_with_deadline(std::int64_t restart, std::int64_t repetitions) const;

    /// The first restart after a timer event at `timer`, which is after the earlier state.
    std::int64_t first_behind(std::int64_t timer) const;

    const TimerRestart* first_;
    std::int64_t count_;
    std::int64_t from_;    ///< time of the earlier state, in picoseconds
    std::int64_t period_;  ///< in picoseconds
};

}  // namespace npunet::packet
