// The instants at which something is to happen, each with a number that its user gives it (the
// first of its events); the earliest comes out first. A calendar queue (R. Brown, "Calendar queues:
// a fast O(1) priority queue implementation for the simulation event set problem", CACM 31, 1988):
// the near future is divided into buckets of equal length, and bits tell which of them are filled.
// Instants beyond it, and those whose bucket is crowded, are in a heap. The length of a bucket
// follows from how far ahead instants have been put in. It has no influence on their order.
//
//     InstantQueue instants;
//     instants.join(Time::ns(5), 0);  // 0: an instant of its own
//     instants.join(Time::ns(5), 1);  // 0: that is the first one's
//     instants.pop();                 // 0
//
// C++17-clean: reached from the ns-3 module.
#pragma once

#include "base/quantities.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace npunet::engine {

class InstantQueue {
public:
    InstantQueue();

    [[nodiscard]] bool empty() const { return size_ == 0; }

    /// The earliest instant; Time::max() when there is none.
    [[nodiscard]] Time next() const { return earliest_; }

    /// Adds an instant with a number, and returns this number; if the instant is known, only
    /// returns the number that it has. An instant may be added twice, seldom. `at`: not before the
    /// last one that was popped, and before Time::max().
    std::uint32_t join(Time at, std::uint32_t number) {
        const std::uint64_t tick = tick_of(at);
        if (tick - base_ > mask_) {
            return join_far(at, number);
        }
        unsigned others = 0;
        for (std::uint32_t place = heads_[tick & mask_]; place != none; place = near_[place].next) {
            if (near_[place].at == at) {
                return near_[place].number;
            }
            ++others;
        }
        if (others >= crowd) {
            return join_far(at, number);
        }
        put_near(at, number);
        count_joined(at);
        return number;
    }

    /// Removes the earliest instant and returns its number. There must be one.
    std::uint32_t pop();

    void clear();

    /// Calls a function with every instant and its number, in any order.
    template <class Function>
    void for_each(Function function) const {
        for (const std::uint32_t head : heads_) {
            for (std::uint32_t place = head; place != none; place = near_[place].next) {
                function(near_[place].at, near_[place].number);
            }
        }
        for (const Far& far : far_) {
            function(far.at, far.number);
        }
    }

private:
    static constexpr std::uint32_t none = 0xffffffff;
    static constexpr unsigned crowd = 8;  ///< most instants in a bucket
    static constexpr std::size_t fewest_buckets = 1024;
    static constexpr std::size_t most_buckets = 262144;
    static constexpr std::uint32_t least_review = 4096;  ///< instants between two reviews
    static constexpr unsigned cache_bits = 8;

    /// An instant in its bucket's list, or an unused place.
    struct Entry {
        Time at;
        std::uint32_t number;
        std::uint32_t next;
    };

    /// An instant of the heap.
    struct Far {
        Time at;
        std::uint32_t number;
    };

    [[nodiscard]] std::uint64_t tick_of(Time at) const {
        return static_cast<std::uint64_t>(at.ps()) >> shift_;
    }

    /// Which line of the cache a time has: its bits mixed by an odd constant (Fibonacci hashing).
    [[nodiscard]] static std::size_t line_of(Time at) {
        return static_cast<std::size_t>(
            (static_cast<std::uint64_t>(at.ps()) * 0x9e3779b97f4a7c15ULL) >> (64 - cache_bits));
    }

    std::uint32_t new_entry(Time at, std::uint32_t number, std::uint32_t next) {
        if (free_ == none) {
            free_ = static_cast<std::uint32_t>(near_.size());
            near_.push_back({Time(), 0, none});
        }
        const std::uint32_t place = free_;
        Entry& entry = near_[place];
        free_ = entry.next;
        entry.at = at;
        entry.number = number;
        entry.next = next;
        return place;
    }

    /// Adds an instant that is not too far ahead to its bucket.
    void put_near(Time at, std::uint32_t number) {
        const std::size_t bucket = tick_of(at) & mask_;
        heads_[bucket] = new_entry(at, number, heads_[bucket]);
        filled_[bucket >> 6] |= std::uint64_t{1} << (bucket & 63);
        words_[bucket >> 12] |= std::uint64_t{1} << (bucket >> 6 & 63);
        first_near_ = at < first_near_ ? at : first_near_;
        earliest_ = at < earliest_ ? at : earliest_;
        ++size_;
    }

    void count_joined(Time at) {
        const auto ahead = static_cast<std::uint64_t>((at - popped_).ps());
        ++reach_[static_cast<std::size_t>(63 - __builtin_clzll(ahead | 1))];
        if (--until_review_ == 0) {
            review();
        }
    }

    std::uint32_t join_far(Time at, std::uint32_t number);
    void put_far(Time at, std::uint32_t number);
    std::uint32_t pop_near();
    std::uint32_t pop_far();

    /// The first filled bucket from `bucket` on, round the end; none: all are empty.
    [[nodiscard]] std::size_t first_filled(std::size_t bucket) const;
    void empty_bucket(std::size_t bucket);
    void find_first_near();

    /// Fits number and length of the buckets to the instants that were added since the last review.
    void review();
    void rebuild(std::size_t buckets, unsigned shift);

    Time earliest_ = Time::max();
    Time first_near_ = Time::max();  ///< earliest of the buckets
    Time popped_;                    ///< the last one
    std::uint64_t base_ = 0;         ///< its tick: buckets are those of mask_ + 1 ticks from it on
    std::uint64_t mask_ = fewest_buckets - 1;
    unsigned shift_ = 10;                ///< a bucket lasts 2^shift_ ps
    std::vector<std::uint32_t> heads_;   ///< by bucket
    std::vector<std::uint64_t> filled_;  ///< a bit for each bucket
    std::vector<std::uint64_t> words_;   ///< a bit for each word of filled_ that is not 0
    std::vector<Entry> near_;            ///< instants of the buckets
    std::uint32_t free_ = none;          ///< list of unused places there
    std::vector<Far> far_;               ///< 4-ary min-heap by time
    std::vector<Far> lately_;            ///< cache of the heap, by a hash of the time
    std::size_t size_ = 0;
    std::array<std::uint32_t, 64> reach_{};  ///< instants added 2^i ps ahead and more
    std::uint32_t until_review_ = least_review;
};

}  // namespace npunet::engine
