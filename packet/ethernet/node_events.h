// What is due at one node within a lookahead window: first what comes later, by time and then by
// place among the slots of the node (LookaheadWindows), as if each were an event; and the places
// that are due in the present instant, after those taken from there.
//
//     events.begin(1000, 2000);
//     events.add(1500, 3);
//     const std::int64_t at = events.first_time();
//     const std::uint32_t place = events.take();
//
// Times in picoseconds.
#pragma once

#include "packet/base/constants.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace npunet::packet {

class NodeEvents {
public:
    /// Places are below this.
    static constexpr std::uint32_t most_places = 128;

    /// Forgets all. From now on entries from `from` on, and before `limit`, are kept; later ones
    /// are not.
    void begin(std::int64_t from, std::int64_t limit) {
        keys_.clear();
        first_ = 0;
        from_ = from;
        limit_ = limit;
    }

    void add(std::int64_t at, std::uint32_t place) {
        if (at >= limit_) {
            return;
        }
        const std::uint64_t key = static_cast<std::uint64_t>(at - from_) * most_places | place;
        // Most come behind those that are there.
        std::size_t i = keys_.size();
        keys_.push_back(key);
        for (; i > first_ && key < keys_[i - 1]; --i) {
            keys_[i] = keys_[i - 1];
        }
        keys_[i] = key;
    }

    /// never: nothing comes before the limit.
    std::int64_t first_time() const {
        return first_ == keys_.size()
                   ? never
                   : from_ + static_cast<std::int64_t>(keys_[first_] / most_places);
    }

    /// Removes the place that comes first; there must be one.
    std::uint32_t take() {
        const std::uint64_t key = keys_[first_++];
        if (first_ == keys_.size()) {
            keys_.clear();
            first_ = 0;
        }
        return static_cast<std::uint32_t>(key % most_places);
    }

    void add_now(std::uint32_t place) { now_[place / 64] |= std::uint64_t{1} << place % 64; }

    /// Removes the lowest place of add_now(), or none.
    std::uint32_t take_now() {
        for (std::uint32_t word = 0; word < now_.size(); ++word) {
            if (now_[word] != 0) {
                const auto bit = static_cast<std::uint32_t>(__builtin_ctzll(now_[word]));
                now_[word] &= now_[word] - 1;
                return word * 64 + bit;
            }
        }
        return none;
    }

private:
    std::array<std::uint64_t, most_places / 64> now_{};
    std::vector<std::uint64_t> keys_;  ///< ascending, from first_ on
    std::size_t first_ = 0;
    std::int64_t from_ = 0;
    std::int64_t limit_ = 0;
};

}  // namespace npunet::packet
