#include "engine/clock/instant_queue.h"

#include <algorithm>

namespace npunet::engine {

InstantQueue::InstantQueue() : lately_(std::size_t{1} << cache_bits, Far{Time(), none}) {
    rebuild(fewest_buckets, shift_);
}

std::uint32_t InstantQueue::join_far(Time at, std::uint32_t number) {
    // A line of the cache that holds the time holds an instant that is still to come.
    Far& line = lately_[line_of(at)];
    if (line.at == at && line.number != none) {
        return line.number;
    }
    line = {at, number};
    put_far(at, number);
    count_joined(at);
    return number;
}

void InstantQueue::put_far(Time at, std::uint32_t number) {
    const Far far{at, number};
    std::size_t hole = far_.size();
    far_.push_back(far);
    while (hole > 0) {
        const std::size_t parent = (hole - 1) / 4;
        if (!(at < far_[parent].at)) {
            break;
        }
        far_[hole] = far_[parent];
        hole = parent;
    }
    far_[hole] = far;
    earliest_ = std::min(earliest_, at);
    ++size_;
}

std::uint32_t InstantQueue::pop_far() {
    const Far top = far_.front();
    const Far last = far_.back();
    far_.pop_back();
    Far& line = lately_[line_of(top.at)];
    if (line.at == top.at) {
        line.number = none;
    }
    const std::size_t size = far_.size();
    if (size == 0) {
        return top.number;
    }
    std::size_t hole = 0;
    for (;;) {
        const std::size_t first = 4 * hole + 1;
        if (first >= size) {
            break;
        }
        std::size_t least = first;
        const std::size_t end = std::min(first + 4, size);
        for (std::size_t child = first + 1; child < end; ++child) {
            if (far_[child].at < far_[least].at) {
                least = child;
            }
        }
        if (!(far_[least].at < last.at)) {
            break;
        }
        far_[hole] = far_[least];
        hole = least;
    }
    far_[hole] = last;
    return top.number;
}

std::uint32_t InstantQueue::pop() {
    popped_ = earliest_;
    base_ = tick_of(popped_);
    --size_;
    const std::uint32_t number = first_near_ == earliest_ ? pop_near() : pop_far();
    earliest_ = far_.empty() ? first_near_ : std::min(first_near_, far_.front().at);
    return number;
}

std::uint32_t InstantQueue::pop_near() {
    const std::size_t bucket = base_ & mask_;
    std::uint32_t* link = &heads_[bucket];
    while (near_[*link].at != popped_) {
        link = &near_[*link].next;
    }
    const std::uint32_t place = *link;
    *link = near_[place].next;
    near_[place].next = free_;
    free_ = place;
    if (heads_[bucket] == none) {
        empty_bucket(bucket);
    }
    find_first_near();
    return near_[place].number;
}

void InstantQueue::empty_bucket(std::size_t bucket) {
    std::uint64_t& word = filled_[bucket >> 6];
    word &= ~(std::uint64_t{1} << (bucket & 63));
    if (word == 0) {
        words_[bucket >> 12] &= ~(std::uint64_t{1} << (bucket >> 6 & 63));
    }
}

std::size_t InstantQueue::first_filled(std::size_t bucket) const {
    const auto lowest = [](std::uint64_t bits) {
        return static_cast<std::size_t>(__builtin_ctzll(bits));
    };
    const auto from = [](std::size_t bit) { return ~std::uint64_t{0} << bit; };
    const std::size_t word = bucket >> 6;
    const std::uint64_t here = filled_[word] & from(bucket & 63);
    if (here != 0) {
        return word << 6 | lowest(here);
    }
    // Words after this one, then from the first on: this one last.
    std::size_t group = word >> 6;
    std::uint64_t words = (word & 63) == 63 ? 0 : words_[group] & from((word & 63) + 1);
    for (std::size_t i = 0; words == 0 && i < words_.size(); ++i) {
        group = group + 1 == words_.size() ? 0 : group + 1;
        words = words_[group];
    }
    if (words == 0) {
        return none;
    }
    const std::size_t found = group << 6 | lowest(words);
    return found << 6 | lowest(filled_[found]);
}

void InstantQueue::find_first_near() {
    first_near_ = Time::max();
    const std::size_t bucket = first_filled(base_ & mask_);
    if (bucket != none) {
        for (std::uint32_t place = heads_[bucket]; place != none; place = near_[place].next) {
            first_near_ = std::min(first_near_, near_[place].at);
        }
    }
}

void InstantQueue::clear() {
    far_.clear();
    near_.clear();
    free_ = none;
    size_ = 0;
    first_near_ = Time::max();
    earliest_ = Time::max();
    std::fill(heads_.begin(), heads_.end(), none);
    std::fill(filled_.begin(), filled_.end(), 0);
    std::fill(words_.begin(), words_.end(), 0);
    std::fill(lately_.begin(), lately_.end(), Far{Time(), none});
}

void InstantQueue::review() {
    const std::size_t buckets = heads_.size();
    // About a quarter of the buckets filled if instants spread evenly; not too fast to shrink.
    std::size_t wanted = fewest_buckets;
    while (wanted < most_buckets && wanted < 4 * size_) {
        wanted *= 2;
    }
    wanted = wanted < buckets && 4 * wanted > buckets ? buckets : wanted;

    // The buckets should reach once or twice as far as three quarters of the instants were added.
    std::uint64_t all = 0;
    for (const std::uint32_t count : reach_) {
        all += count;
    }
    unsigned most = 1;
    for (std::uint64_t within = 0; most < 64 && 4 * within < 3 * all; ++most) {
        within += reach_[most - 1];
    }
    unsigned bucket_bits = 0;
    while (std::size_t{1} << bucket_bits < wanted) {
        ++bucket_bits;
    }
    unsigned reach = shift_ + bucket_bits;
    if (wanted != buckets || reach < most - 1 || reach > most + 1) {
        reach = most;
        const unsigned shift = reach > bucket_bits ? reach - bucket_bits : 0;
        if (wanted != buckets || shift != shift_) {
            rebuild(wanted, shift);
        }
    }
    reach_.fill(0);
    until_review_ = static_cast<std::uint32_t>(std::max<std::size_t>(least_review, 4 * size_));
}

void InstantQueue::rebuild(std::size_t buckets, unsigned shift) {
    std::vector<Far> all;
    all.reserve(size_);
    for_each([&](Time at, std::uint32_t number) { all.push_back({at, number}); });
    heads_.resize(buckets);
    filled_.resize(buckets / 64);
    words_.resize((buckets / 64 + 63) / 64);
    clear();
    mask_ = buckets - 1;
    shift_ = shift;
    base_ = tick_of(popped_);
    const auto is_crowded = [this](std::size_t bucket) {
        unsigned others = 0;
        for (std::uint32_t place = heads_[bucket]; place != none; place = near_[place].next) {
            ++others;
        }
        return others >= crowd;
    };
    for (const Far& instant : all) {
        // Not join(): an instant that is there twice stays so.
        if (tick_of(instant.at) - base_ > mask_ || is_crowded(tick_of(instant.at) & mask_)) {
            put_far(instant.at, instant.number);
        } else {
            put_near(instant.at, instant.number);
        }
    }
}

}  // namespace npunet::engine
