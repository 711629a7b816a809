#include "planner/metis/group_sequences.h"

#include <algorithm>

namespace npunet::planner::metis {

GroupSequences::GroupSequences(std::int64_t devices, std::int64_t stages, std::int64_t least)
    : stages_(stages), left_(devices), logs_(static_cast<std::size_t>(stages)) {
    while (std::int64_t{2} << most_log_ <= devices) {
        ++most_log_;
    }
    while (least_log_ <= most_log_ && std::int64_t{1} << least_log_ < least) {
        ++least_log_;
    }
    possible_ = least_log_ <= most_log_;
}

bool GroupSequences::next() {
    if (!possible_) {
        return false;
    }
    std::int64_t position = 0;
    const auto take_back = [&] {
        left_ += size_at(position);
        ++logs_[static_cast<std::size_t>(position)];
    };
    if (started_) {
        position = stages_ - 1;
        take_back();
    } else {
        logs_[0] = least_log_;
        started_ = true;
    }
    while (position >= 0) {
        const std::uint8_t log = logs_[static_cast<std::size_t>(position)];
        const std::int64_t size = size_at(position);
        const std::int64_t behind = stages_ - 1 - position;
        if (log > most_log_ || size * (behind + 1) > left_) {
            if (--position >= 0) {
                take_back();
            }
        } else if (size + (behind << most_log_) < left_) {
            ++logs_[static_cast<std::size_t>(position)];
        } else {
            left_ -= size;
            if (behind == 0) {
                return true;
            }
            ++position;
            logs_[static_cast<std::size_t>(position)] = log;
        }
    }
    possible_ = false;
    return false;
}

std::int64_t least_group(std::int64_t devices, std::int64_t stages, std::int64_t variance) {
    return std::max(devices / stages, stages / devices) * variance;
}

}  // namespace npunet::planner::metis
