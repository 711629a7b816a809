// Storage of values by place. The place freed last is reused first, so that even a long run touches
// little memory.
//
//     Pool<EthernetPacket> packets;
//     const std::uint32_t place = packets.take();
//     packets[place].hop = 7;
//     packets.free(place);
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace npunet {

/// `Value` has a member `next`, a place, which links the free places.
template <class Value>
class Pool {
public:
    /// The place of a default-constructed value.
    std::uint32_t take() {
        if (free_ == none) {
            values_.emplace_back();
            return static_cast<std::uint32_t>(values_.size() - 1);
        }
        const std::uint32_t place = free_;
        free_ = values_[place].next;
        values_[place] = Value();
        return place;
    }

    void free(std::uint32_t place) {
        values_[place].next = free_;
        free_ = place;
    }

    /// A reference is valid until the next take().
    Value& operator[](std::uint32_t place) { return values_[place]; }
    const Value& operator[](std::uint32_t place) const { return values_[place]; }

    /// A value is about to be read.
    void prefetch(std::uint32_t place) const { __builtin_prefetch(&values_[place]); }

private:
    static constexpr std::uint32_t none = 0xffffffff;

    std::vector<Value> values_;  ///< used and free places
    std::uint32_t free_ = none;  ///< head of the list of free places
};

/// The value of a place in an array that is kept beside such storage and grows as needed.
template <class Value>
Value& at_place(std::vector<Value>& values, std::uint32_t place) {
    if (place >= values.size()) {
        values.resize(place + std::size_t{1});
    }
    return values[place];
}

}  // namespace npunet
