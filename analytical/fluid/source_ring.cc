#include "analytical/fluid/source_ring.h"

#include <algorithm>

namespace npunet::analytical {

void SourceRing::add(const Entry& message, Work rounding) {
    if (message.pair != none &&
        std::any_of(entries_.begin(), entries_.end(),
                    [&](const Entry& entry) { return entry.pair == message.pair; })) {
        behind_.push_back(message);
        return;
    }
    settle(rounding);
    entries_.push_back(message);
    find_next();
}

void SourceRing::settle(Work rounding) {
    const Work work = std::min(done_, next_);
    done_ = 0;
    if (work + rounding < left_ || ends_ || entries_.empty() || !serving_) {
        left_ -= std::min(work, left_);
        return;
    }
    const Work more = std::max<Work>(work - left_, 0);
    std::int64_t packets = static_cast<std::int64_t>(more / full_);
    Work begun = more % full_;
    if (full_ - begun <= rounding) {
        ++packets;
        begun = 0;
    }
    pass(packets);
    serving_ = false;
    if (begun > rounding) {
        (void)start();
        left_ -= std::min(begun, left_);
    }
}

void SourceRing::pass(std::int64_t packets) {
    if (packets == 0) {
        return;
    }
    const auto round = static_cast<std::int64_t>(entries_.size());
    const std::size_t first = turn_ >= entries_.size() ? 0 : turn_;
    for (std::int64_t i = 0; i < round; ++i) {
        const std::size_t index = (first + static_cast<std::size_t>(i)) % entries_.size();
        entries_[index].packets -= packets / round + (i < packets % round ? 1 : 0);
    }
    if (packets % round != 0) {
        // Behind the last entry, who joins now is next.
        turn_ = first + static_cast<std::size_t>(packets % round);
        turn_ -= turn_ > entries_.size() ? entries_.size() : 0;
    }
}

std::uint32_t SourceRing::start() {
    serving_ = true;
    done_ = 0;
    turn_ = turn_ >= entries_.size() ? 0 : turn_;
    Entry& entry = entries_[turn_];
    const std::uint32_t begun = entry.begun ? none : entry.stage;
    entry.begun = true;
    served_ = entry.stage;
    ends_ = --entry.packets == 0;
    left_ = ends_ ? entry.last : full_;
    const auto follows =
        ends_ ? std::find_if(behind_.begin(), behind_.end(),
                             [&](const Entry& other) { return other.pair == entry.pair; })
              : behind_.end();
    if (follows != behind_.end()) {
        entry = *follows;
        behind_.erase(follows);
        ++turn_;
    } else if (ends_) {
        entries_.erase(entries_.begin() + static_cast<std::ptrdiff_t>(turn_));
    } else {
        ++turn_;
    }
    find_next();
    return begun;
}

void SourceRing::find_next() {
    next_ = left_;
    if (!serving_ || ends_ || entries_.empty()) {
        return;
    }
    const auto round = static_cast<std::int64_t>(entries_.size());
    const std::size_t turn = turn_ >= entries_.size() ? 0 : turn_;
    std::int64_t least = -1;  // packets that start before a first or a last one
    for (std::int64_t i = 0; i < round; ++i) {
        const Entry& entry = entries_[(turn + static_cast<std::size_t>(i)) % entries_.size()];
        const std::int64_t before = entry.begun ? i + (entry.packets - 1) * round : i;
        least = least < 0 ? before : std::min(least, before);
    }
    next_ += full_ * least;
}

SourceRing::Withdrawn SourceRing::withdraw(std::uint32_t stage, Work rounding) {
    const auto is_it = [&](const Entry& entry) { return entry.stage == stage; };
    const auto waiting = std::find_if(behind_.begin(), behind_.end(), is_it);
    if (waiting != behind_.end()) {
        const Withdrawn all{waiting->packets, false, false};
        behind_.erase(waiting);
        return all;
    }
    settle(rounding);
    Withdrawn rest;
    rest.on_link = serving_ && served_ == stage;
    const auto entry = std::find_if(entries_.begin(), entries_.end(), is_it);
    if (entry != entries_.end()) {
        rest.packets = entry->packets;
        rest.begun = entry->begun;
        ends_ = ends_ || rest.on_link;
        const auto follows = std::find_if(behind_.begin(), behind_.end(), [&](const Entry& other) {
            return other.pair == entry->pair;
        });
        if (follows != behind_.end()) {
            *entry = *follows;
            behind_.erase(follows);
        } else {
            const auto index = static_cast<std::size_t>(entry - entries_.begin());
            turn_ -= index < turn_ ? 1 : 0;
            entries_.erase(entry);
        }
    }
    find_next();
    return rest;
}

void SourceRing::cancel_packet() {
    serving_ = ends_ = false;
    left_ = next_ = done_ = 0;
}

std::uint32_t SourceRing::finish() {
    const std::uint32_t ended = ends_ ? served_ : none;
    if (!ends_ && !entries_.empty()) {
        pass(static_cast<std::int64_t>((next_ - left_) / full_));
    }
    serving_ = ends_ = false;
    left_ = next_ = done_ = 0;
    return ended;
}

}  // namespace npunet::analytical
