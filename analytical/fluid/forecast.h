// What will come to a link, and when: the rates that links before it have told.
//
// As long as no more comes in than the link can carry, nothing there has to be simulated: what
// comes in leaves as it came. So rates and ends are only noted here, with their times, and looked
// at when they add up to too much.
//
//     forecast.add({at, stage, use, rate, rate - told, false});
//     const Time when = forecast.exceeds(whole_link);   // Time::max(): never, as things are
//     while (forecast.next() <= now) { forecast.pass(); }
//     forecast.present();                               // the sum of the rates now
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "analytical/fluid/work.h"
#include "base/quantities.h"

namespace npunet::analytical {

class Forecast {
public:
    struct Change {
        Time at;
        std::uint32_t stage = 0;
        std::uint32_t use = 0;  ///< Stage::use
        Share rate = 0;         ///< of the message, from then on
        Share difference = 0;   ///< from the one before
        bool tail = false;      ///< its end
    };

    /// The time of the first change that has not come; Time::max(): none.
    [[nodiscard]] Time next() const {
        return ahead_ < changes_.size() ? changes_[ahead_].at : Time::max();
    }
    /// The next change comes.
    const Change& pass() {
        present_ += changes_[ahead_].difference;
        return changes_[ahead_++];
    }
    /// The sum of the rates.
    [[nodiscard]] Work present() const { return present_; }
    /// Nothing is there, and nothing will come.
    [[nodiscard]] bool idle() const { return present_ == 0 && ahead_ == changes_.size(); }

    /// Behind others of its time.
    void add(const Change& change);
    /// Takes back what a message was to do after a time, and its end. Returns the sum of the
    /// differences.
    Share take_back(std::uint32_t stage, Time after);
    /// The time of the last change that a message has still to make; Time(): none.
    [[nodiscard]] Time latest(std::uint32_t stage) const;
    /// From when on more than `limit` comes in; Time::max(): never. Until `from`, and but for what
    /// has been taken back since, the answer to this limit is known.
    [[nodiscard]] Time exceeds(Work limit, Time from = Time());

    /// All changes, those that have come first.
    [[nodiscard]] const std::vector<Change>& changes() const { return changes_; }
    [[nodiscard]] std::size_t ahead() const { return ahead_; }
    /// Forgets those that have come that are over, as `over` says.
    template <class Over>
    void forget(Over over) {
        const auto begin = changes_.begin();
        const auto kept = std::remove_if(begin, begin + static_cast<std::ptrdiff_t>(ahead_), over);
        const auto end = begin + static_cast<std::ptrdiff_t>(ahead_);
        ahead_ = static_cast<std::size_t>(kept - begin);
        changes_.erase(kept, end);
    }
    /// Forgets all that have come, at the latest when they are half of what is known: forgetting
    /// moves the others.
    void forget_past() {
        if (2 * ahead_ >= changes_.size()) {
            changes_.erase(changes_.begin(),
                           changes_.begin() + static_cast<std::ptrdiff_t>(ahead_));
            ahead_ = 0;
        }
    }
    /// Hands over everything: nothing is known any more.
    [[nodiscard]] std::vector<Change> take();

private:
    std::vector<Change> changes_;  ///< by time
    std::size_t ahead_ = 0;        ///< of the first one that has not come
    Work present_ = 0;
    Work after_all_ = 0;  ///< the sum when all have come
    /// From when on the sum is larger than exceeds() has seen it, for what was taken back.
    Time grown_from_ = Time::max();
};

}  // namespace npunet::analytical
