#pragma once

#include <cstdint>

namespace npunet::packet {

/// A timeout of a queue pair has begun anew, or ended.
struct TimerRestart {
    std::uint32_t pair;     ///< number of the queue pair
    std::int64_t at;        ///< when, in picoseconds
    std::int64_t deadline;  ///< when it runs out, or never
    bool after_timers;      ///< behind the timers of that instant
};

/// The restarts of one queue pair between two equal states, repeated for ever: those of repetition
/// 0 are what was noted.
///
///     RestartDetection restarts(first, last, earlier.at, present.at - earlier.at);
///     pair.timer = restarts.timer_after(pair.timer, periods);
class RestartDetection {
public:
    /// @param first of the notes, in order
    /// @param last behind the last of them
    /// @param from time of the earlier state, in picoseconds
    /// @param period between the two, in picoseconds
    RestartDetection(const TimerRestart* first, const TimerRestart* last, std::int64_t from,
                     std::int64_t period)
        : first_(first), count_(last - first), from_(from), period_(period) {}

    /// @param timer when an event of the timer is due that is pending at the later state, or never
    /// @param repetitions that are over
    /// @return the same when they are
    std::int64_t timer_after(std::int64_t timer, std::int64_t repetitions) const;

private:
    /// No restart.
    static constexpr std::int64_t no_output = -1;

    /// @param restart counted from the first of repetition 0
    /// @return the deadline that it sets
    std::int64_t deadline_of(std::int64_t restart) const;

    /// @param restart the first that is asked about
    /// @param repetitions after which nothing counts
    /// @return the first from then on that sets a deadline, or NOBODY
    std::int64_t next_with_deadline(std::int64_t restart, std::int64_t repetitions) const;

    /// @param timer after the later state, in picoseconds
    /// @return the first restart that comes behind an event of the timer then
    std::int64_t first_behind(std::int64_t timer) const;

    const TimerRestart* first_;  ///< the notes
    std::int64_t count_;         ///< how many
    std::int64_t from_;          ///< time of the earlier state, in picoseconds
    std::int64_t period_;        ///< in picoseconds
};

}  // namespace npunet::packet
