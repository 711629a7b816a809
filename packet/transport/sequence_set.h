// A set of sequence numbers not below a base that only grows: a bitmap in a circular buffer, which
// grows with the distance of the highest number from the base.
//
//     SequenceSet set;
//     set.insert(70);
//     set.move_base(64);  // forgets what is below
//     set.contains(70);   // true
//
// Numbers are not below the base, except for contains().
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace npunet::packet {

class SequenceSet {
public:
    void insert(std::uint64_t number) {
        make_room(number);
        words_[word_of(number)] |= bit_of(number);
    }

    void erase(std::uint64_t number) {
        if (covers(number)) {
            words_[word_of(number)] &= ~bit_of(number);
        }
    }

    /// Any number; false below the base.
    bool contains(std::uint64_t number) const {
        return number >= base_ && covers(number) && (words_[word_of(number)] & bit_of(number)) != 0;
    }

    /// Forgets all numbers below. `base` is not below the present one.
    void move_base(std::uint64_t base) {
        if (base - base_ >= 64 * words_.size()) {
            words_.assign(words_.size(), 0);
        } else {
            for (std::uint64_t number = base_; number < base; ++number) {
                words_[word_of(number)] &= ~bit_of(number);
            }
        }
        base_ = base;
    }

    /// Calls `function` for each number, ascending.
    template <class Function>
    void for_each(Function function) const {
        for (std::uint64_t number = base_; number < base_ + 64 * words_.size(); ++number) {
            if (contains(number)) {
                function(number);
            }
        }
    }

    /// Adds `by` to the base and all numbers.
    void shift(std::uint64_t by) {
        SequenceSet moved;
        moved.base_ = base_ + by;
        for_each([&](std::uint64_t number) { moved.insert(number + by); });
        *this = std::move(moved);
    }

private:
    /// Whether the number has a bit.
    bool covers(std::uint64_t number) const { return number - base_ < 64 * words_.size(); }

    std::size_t word_of(std::uint64_t number) const {
        return static_cast<std::size_t>(number / 64) & (words_.size() - 1);
    }

    static std::uint64_t bit_of(std::uint64_t number) { return std::uint64_t{1} << (number % 64); }

    /// Grows until the number has a bit.
    void make_room(std::uint64_t number) {
        if (covers(number)) {
            return;
        }
        SequenceSet larger;
        larger.base_ = base_;
        std::size_t words = words_.empty() ? 1 : words_.size();
        while (64 * words <= number - base_) {
            words *= 2;
        }
        larger.words_.resize(words);
        for (std::uint64_t old = base_; old < base_ + 64 * words_.size(); ++old) {
            if (contains(old)) {
                larger.words_[larger.word_of(old)] |= bit_of(old);
            }
        }
        *this = std::move(larger);
    }

    std::uint64_t base_ = 0;
    std::vector<std::uint64_t> words_;  ///< size: a power of two, or 0
};

}  // namespace npunet::packet
