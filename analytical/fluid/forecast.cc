#include "analytical/fluid/forecast.h"

#include <algorithm>
#include <utility>

namespace npunet::analytical {

void Forecast::add(const Change& change) {
    auto place = changes_.end();
    const auto first = changes_.begin() + static_cast<std::ptrdiff_t>(ahead_);
    while (place != first && change.at < (place - 1)->at) {
        --place;
    }
    changes_.insert(place, change);
    after_all_ += change.difference;
}

Share Forecast::take_back(std::uint32_t stage, Time after) {
    Share sum = 0;
    const auto first = changes_.begin() + static_cast<std::ptrdiff_t>(ahead_);
    const auto kept = std::remove_if(first, changes_.end(), [&](const Change& change) {
        const bool goes = change.stage == stage && (change.at > after || change.tail);
        sum += goes ? change.difference : 0;
        if (goes && change.difference < 0) {
            grown_from_ = std::min(grown_from_, change.at);
        }
        return goes;
    });
    changes_.erase(kept, changes_.end());
    after_all_ -= sum;
    return sum;
}

Time Forecast::latest(std::uint32_t stage) const {
    for (std::size_t i = changes_.size(); i > ahead_; --i) {
        if (changes_[i - 1].stage == stage) {
            return changes_[i - 1].at;
        }
    }
    return Time();
}

Time Forecast::exceeds(Work limit, Time from) {
    from = std::min(from, std::exchange(grown_from_, Time::max()));
    Work sum = after_all_;
    Time when = Time::max();
    // Backwards, as most of what is known is harmless and the sum behind it known.
    for (std::size_t i = changes_.size(); i > ahead_; --i) {
        const Change& change = changes_[i - 1];
        if (change.at < from) {
            return when;
        }
        const bool ends_instant = i == changes_.size() || changes_[i].at > change.at;
        if (ends_instant && sum > limit) {
            when = change.at;
        }
        sum -= change.difference;
    }
    return sum > limit ? Time() : when;
}

std::vector<Forecast::Change> Forecast::take() {
    ahead_ = 0;
    present_ = after_all_ = 0;
    return std::exchange(changes_, {});
}

}  // namespace npunet::analytical
