// When to look at a state that may repeat itself, and how much to spend on it.
//
// A search looks again and again until the state is one that was there before. Each look
// compares with one that is kept: keeping the 1st, 2nd, 4th, 8th, ... finds periods of any length
// (R. P. Brent, BIT 20, 1980). After as many looks as the break before it was long an attempt
// fails, and the next break is longer.
//
//     search.begin();
//     search.look();                         // whenever there is something to look at
//     if (search.has_kept() && same())  ...  // a period
//     if (search.is_over(break_for))    ...  // the attempt has failed
//     if (search.keeps()) {
//         keep();
//         search.kept();
//     }
//
// C++17-clean: reached from the ns-3 module.
#pragma once

#include <algorithm>
#include <cstdint>

namespace npunet::engine {

class PeriodSearch {
public:
    /// Packets: shorter messages are over before their pattern is found.
    static constexpr std::int64_t least_packets = 32;
    /// The first attempt comes after so many packets or steps, when pipelines are full.
    static constexpr std::uint32_t first_break = 12;
    /// No break is longer.
    static constexpr std::uint32_t longest_break = 1U << 14;

    /// The break after an attempt that has failed, from the one before it.
    [[nodiscard]] static std::uint32_t break_after(std::uint32_t break_for) {
        return std::min(break_for * 3 / 2, longest_break);
    }

    /// A state is compared with an earlier one at least so often before an attempt fails.
    explicit PeriodSearch(std::uint32_t least_looks) : least_looks_(least_looks) {}

    /// A new attempt.
    void begin() {
        looks_ = 0;
        next_kept_ = 1;
    }
    /// Another look.
    void look() { ++looks_; }
    /// Whether the state of an earlier look is kept.
    [[nodiscard]] bool has_kept() const { return looks_ > 1; }
    /// Whether the state of this look is to be kept.
    [[nodiscard]] bool keeps() const { return looks_ == next_kept_; }
    /// The state of this look is kept.
    void kept() { next_kept_ = 2 * looks_; }
    /// Looks since the state was kept.
    [[nodiscard]] std::uint32_t since_kept() const { return looks_ - next_kept_ / 2; }
    /// Whether the attempt has failed, that came after such a break.
    [[nodiscard]] bool is_over(std::uint32_t break_for) const {
        return looks_ > std::max(least_looks_, break_for);
    }

private:
    std::uint32_t least_looks_;    ///< before an attempt fails
    std::uint32_t looks_ = 0;      ///< how often it was looked at
    std::uint32_t next_kept_ = 1;  ///< the look whose state is kept next
};

/// How much may be looked at in vain: in proportion to what the simulation does meanwhile.
class LookBudget {
public:
    /// For every `events` of the simulation `words` may be looked at.
    explicit LookBudget(std::uint64_t words, std::uint64_t events = 1)
        : per_events_(words), events_(events) {}

    /// Words were looked at.
    void charge(std::uint64_t words) { words_ += words; }
    /// Words have paid for themselves.
    void repay(std::uint64_t words) { words_ -= std::min(words_, words); }
    /// Whether no more may be looked at for now, after so many events of the simulation.
    [[nodiscard]] bool is_spent(std::uint64_t events) const {
        return words_ > free_words + per_events_ * events / events_;
    }

private:
    /// Words that may be looked at at any rate.
    static constexpr std::uint64_t free_words = 800'000;

    std::uint64_t per_events_;  ///< words for
    std::uint64_t events_;      ///< that many events
    std::uint64_t words_ = 0;   ///< looked at so far, in vain
};

}  // namespace npunet::engine
