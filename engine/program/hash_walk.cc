#include "engine/program/hash_walk.h"

#include <algorithm>
#include <cassert>

namespace npunet::engine {

const std::vector<std::uint32_t>& HashWalk::bucket_counts() {
    // From 1 to 13, then each the first prime of the library's table from twice the one before.
    static const std::vector<std::uint32_t> counts{
        1,         13,        29,        59,         127,       257,      541,      1109,
        2357,      5087,      10273,     20753,      42043,     85229,    172933,   351061,
        712697,    1447153,   2938679,   5967347,    12117689,  24607243, 49969847, 101473717,
        206062531, 418451333, 849749479, 1725587117, 3504151727};
    return counts;
}

HashWalk::HashWalk() : first_of_bucket_(1, end) {}

HashWalk::Position HashWalk::find(std::uint64_t key) const {
    const std::size_t bucket = bucket_of(key);
    Position at = first_of_bucket_[bucket];
    while (at != end && elements_[at].key != key) {
        at = elements_[at].next;
        if (at != end && bucket_of(elements_[at].key) != bucket) {
            return end;
        }
    }
    return at;
}

void HashWalk::link(Position at) {
    Position& first = first_of_bucket_[bucket_of(elements_[at].key)];
    const Position behind = first == end ? front_ : first;
    const Position before = behind == end ? end : elements_[behind].previous;
    elements_[at].previous = before;
    elements_[at].next = behind;
    (before == end ? front_ : elements_[before].next) = at;
    if (behind != end) {
        elements_[behind].previous = at;
    }
    first = at;
}

void HashWalk::unlink(Position at) {
    const Element& element = elements_[at];
    const std::size_t bucket = bucket_of(element.key);
    if (first_of_bucket_[bucket] == at) {
        const bool more = element.next != end && bucket_of(elements_[element.next].key) == bucket;
        first_of_bucket_[bucket] = more ? element.next : end;
    }
    (element.previous == end ? front_ : elements_[element.previous].next) = element.next;
    if (element.next != end) {
        elements_[element.next].previous = element.previous;
    }
}

void HashWalk::grow() {
    const std::vector<std::uint32_t>& counts = bucket_counts();
    const auto larger = std::upper_bound(counts.begin(), counts.end(), buckets());
    if (larger == counts.end()) {
        return;
    }
    first_of_bucket_.assign(*larger, end);
    Position at = front_;
    front_ = end;
    while (at != end) {
        const Position following = elements_[at].next;
        link(at);
        at = following;
    }
}

bool HashWalk::insert(std::uint64_t key, std::uint32_t value) {
    if (contains(key)) {
        return false;
    }
    if (size_ + 1 > buckets() || buckets() == 1) {
        grow();
    }
    Position at = 0;
    if (free_.empty()) {
        at = static_cast<Position>(elements_.size());
        elements_.push_back({key, value, end, end});
    } else {
        at = free_.back();
        free_.pop_back();
        elements_[at] = {key, value, end, end};
    }
    link(at);
    ++size_;
    return true;
}

std::uint32_t HashWalk::erase(std::uint64_t key) {
    const Position at = find(key);
    assert(at != end && "only what is there can be erased");
    unlink(at);
    free_.push_back(at);
    --size_;
    return elements_[at].value;
}

}  // namespace npunet::engine
