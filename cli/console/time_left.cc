#include "cli/console/time_left.h"

#include <algorithm>
#include <cstddef>

namespace npunet::cli {

namespace {

/// Beyond, every second one is dropped.
constexpr std::size_t most_samples = 512;

}  // namespace

void TimeLeft::at(double seconds, double share) {
    if (!samples_.empty() && share < samples_.back().share) {
        samples_.clear();
    }
    if (samples_.size() == most_samples) {
        for (std::size_t i = 0; 2 * i < most_samples; ++i) {
            samples_[i] = samples_[2 * i];
        }
        samples_.resize(most_samples / 2);
    }
    samples_.push_back({seconds, share});
}

std::optional<double> TimeLeft::seconds() const {
    if (samples_.size() < 2) {
        return std::nullopt;
    }
    const Sample& first = samples_.front();
    const Sample& last = samples_.back();
    const double from = last.seconds - (last.seconds - first.seconds) / 3;
    const auto behind =
        std::upper_bound(samples_.begin() + 1, samples_.end(), from,
                         [](double at, const Sample& sample) { return at < sample.seconds; });
    for (const Sample& since : {*(behind - 1), first}) {
        if (last.share > since.share && last.seconds > since.seconds) {
            return (1 - last.share) * (last.seconds - since.seconds) / (last.share - since.share);
        }
    }
    return std::nullopt;
}

}  // namespace npunet::cli
