#include "chakra/feeder/id_set.h"

#include <algorithm>

namespace npunet::chakra {

namespace {

constexpr std::uint32_t ids_of_a_part = 1U << 16;
/// A list of so many ids takes as much as the map of bits.
constexpr std::uint32_t most_listed = ids_of_a_part / 16;

}  // namespace

bool IdSet::Part::insert(std::uint16_t low) {
    if (count == ids_of_a_part) {
        return false;
    }
    if (bits.empty()) {
        const auto place = std::lower_bound(listed.begin(), listed.end(), low);
        if (place != listed.end() && *place == low) {
            return false;
        }
        if (count < most_listed) {
            listed.insert(place, low);
            ++count;
            return true;
        }
        bits.assign(ids_of_a_part / 64, 0);
        for (const std::uint16_t one : listed) {
            bits[one / 64] |= std::uint64_t{1} << (one % 64);
        }
        listed = {};
    }
    const std::uint64_t bit = std::uint64_t{1} << (low % 64);
    std::uint64_t& word = bits[low / 64];
    if ((word & bit) != 0) {
        return false;
    }
    word |= bit;
    if (++count == ids_of_a_part) {
        bits = {};
    }
    return true;
}

bool IdSet::Part::contains(std::uint16_t low) const {
    if (count == ids_of_a_part) {
        return true;
    }
    if (bits.empty()) {
        return std::binary_search(listed.begin(), listed.end(), low);
    }
    return (bits[low / 64] >> (low % 64) & 1U) != 0;
}

bool IdSet::insert(std::uint64_t id) {
    const std::uint64_t key = id >> 16;
    if (last_ == nullptr || key != last_key_) {
        last_ = &parts_[key];
        last_key_ = key;
    }
    const bool inserted = last_->insert(static_cast<std::uint16_t>(id));
    size_ += inserted ? 1 : 0;
    return inserted;
}

bool IdSet::contains(std::uint64_t id) const {
    const std::uint64_t key = id >> 16;
    if (last_ != nullptr && key == last_key_) {
        return last_->contains(static_cast<std::uint16_t>(id));
    }
    const auto part = parts_.find(key);
    return part != parts_.end() && part->second.contains(static_cast<std::uint16_t>(id));
}

}  // namespace npunet::chakra
