#include "analytical/fluid/input_queue.h"

#include <algorithm>

namespace npunet::analytical {

void InputQueue::advance(Time span) {
    if (waiting()) {
        begin_segment();
        const Work leaves = work_in(rate_, span);
        served_ += leaves;
        segments_.front().left -= leaves;
        segments_.back().left += in_ * span.ps();
    } else {
        served_ += in_ * span.ps();
    }
    clock_ += span;
}

Work InputQueue::backlog() const {
    Work sum = 0;
    for (const Segment& segment : segments_) {
        sum += segment.left;
    }
    return sum;
}

void InputQueue::begin_segment() {
    if (changed_ && waiting()) {
        segments_.push_back({0, in_, arriving_});
    }
    changed_ = false;
}

void InputQueue::set_in(std::uint32_t stage, Share share) {
    if (idle()) {
        served_ = at_end_ = 0;
    }
    const auto place = std::find_if(arriving_.begin(), arriving_.end(),
                                    [&](const Part& part) { return part.stage == stage; });
    if (place == arriving_.end()) {
        arriving_.push_back({stage, share});
        arrived_.push_back({clock_, 0});
        in_ += share;
    } else {
        Arrived& arrived = arrived_[static_cast<std::size_t>(place - arriving_.begin())];
        arrived.before += work_in(place->share, clock_ - arrived.since);
        arrived.since = clock_;
        in_ += share - place->share;
        place->share = share;
    }
    changed_ = true;
}

void InputQueue::join(std::uint32_t stage, Share share, Work before) {
    set_in(stage, share);
    arrived_.back().before = before;
    served_ += before;
}

bool InputQueue::end_in(std::uint32_t stage, Work total) {
    const auto holds = [&](const Segment& segment) {
        return std::any_of(segment.parts.begin(), segment.parts.end(),
                           [&](const Part& part) { return part.stage == stage; });
    };
    auto last = std::find_if(segments_.rbegin(), segments_.rend(), holds);
    if (last == segments_.rend()) {
        begin_segment();  // it has joined in this instant
        last = std::find_if(segments_.rbegin(), segments_.rend(), holds);
    }
    const auto place = std::find_if(arriving_.begin(), arriving_.end(),
                                    [&](const Part& part) { return part.stage == stage; });
    Work rest = total;
    if (place != arriving_.end()) {
        const auto index = static_cast<std::size_t>(place - arriving_.begin());
        rest -= came(index);
        in_ -= place->share;
        arrived_.erase(arrived_.begin() + static_cast<std::ptrdiff_t>(index));
        arriving_.erase(place);
        changed_ = true;
    }
    if (last == segments_.rend()) {
        return false;
    }
    // Packets that take turns end before the even stream does.
    last->left = std::max<Work>(last->left + rest, 0);
    return true;
}

Work InputQueue::portion(const Segment& segment, const Part& part) {
    // In two steps, as a product of work and share would not fit.
    return segment.sum == 0 ? 0
                            : segment.left / segment.sum * part.share +
                                  segment.left % segment.sum * part.share / segment.sum;
}

InputQueue::Progress InputQueue::progress(std::uint32_t stage, bool ended, Work total) const {
    Work came = ended ? total : 0;
    for (std::size_t i = 0; i < arriving_.size(); ++i) {
        if (arriving_[i].stage == stage) {
            came = this->came(i);
        }
    }
    Progress progress;
    for (const Segment& segment : segments_) {
        for (const Part& part : segment.parts) {
            progress.waits += part.stage == stage ? portion(segment, part) : 0;
        }
    }
    progress.left = std::max<Work>(came - progress.waits, 0);
    return progress;
}

void InputQueue::remove(std::uint32_t stage) {
    const auto is_it = [&](const Part& part) { return part.stage == stage; };
    const auto place = std::find_if(arriving_.begin(), arriving_.end(), is_it);
    if (place != arriving_.end()) {
        in_ -= place->share;
        arrived_.erase(arrived_.begin() + (place - arriving_.begin()));
        arriving_.erase(place);
    }
    for (Segment& segment : segments_) {
        const auto part = std::find_if(segment.parts.begin(), segment.parts.end(), is_it);
        if (part != segment.parts.end()) {
            segment.left -= portion(segment, *part);
            segment.sum -= part->share;
            segment.parts.erase(part);
        }
    }
    std::erase_if(segments_, [](const Segment& segment) { return segment.parts.empty(); });
    changed_ = true;
}

void InputQueue::serve(Share rate) {
    rate_ = rate;
    if (!waiting() && rate < in_) {
        segments_.push_back({0, in_, arriving_});
        changed_ = false;
    }
}

void InputQueue::settle() {
    begin_segment();
    if (segments_.size() == 1 && segments_.front().left <= 0) {
        segments_.clear();
    }
}

void InputQueue::leaving(std::vector<Part>& parts) const {
    if (!waiting()) {
        parts = arriving_;
        return;
    }
    const Segment& first = segments_.front();
    parts = first.parts;
    for (Part& part : parts) {
        part.share = first.sum == 0
                         ? 0
                         : static_cast<Share>(static_cast<Work>(part.share) * rate_ / first.sum);
    }
}

void InputQueue::stages(std::vector<std::uint32_t>& stages) const {
    for (const Segment& segment : segments_) {
        for (const Part& part : segment.parts) {
            stages.push_back(part.stage);
        }
    }
}

Time InputQueue::next(Time now) const {
    if (!waiting()) {
        return Time::max();
    }
    const Share rate = segments_.size() == 1 ? capped_share(rate_ - in_) : rate_;
    return rate <= 0 ? Time::max() : done_at(now, segments_.front().left, rate);
}

bool InputQueue::ends_with_first(std::uint32_t stage) const {
    const std::vector<Part>& behind = segments_.size() > 1 ? segments_[1].parts : arriving_;
    return std::none_of(behind.begin(), behind.end(),
                        [&](const Part& part) { return part.stage == stage; });
}

void InputQueue::ending(std::vector<std::uint32_t>& stages) {
    begin_segment();
    stages.clear();
    if (!waiting()) {
        return;
    }
    for (const Part& part : segments_.front().parts) {
        if (ends_with_first(part.stage)) {
            stages.push_back(part.stage);
        }
    }
}

bool InputQueue::pop(Time now) {
    begin_segment();
    if (next(now) != now) {
        return false;
    }
    segments_.pop_front();
    if (segments_.size() == 1 && segments_.front().left <= 0 && rate_ >= in_) {
        segments_.clear();
    }
    return true;
}

}  // namespace npunet::analytical
