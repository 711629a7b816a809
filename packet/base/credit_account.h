#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace npunet::packet {

/// A time that never comes, in picoseconds.
inline constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

/// The credit that one output port holds for one virtual channel of the input buffer at the other
/// end of its link, in bytes with headers.
///
/// Credits on their way back are no events: each is a stamp, the picosecond from which on it
/// counts, in a short list that is looked at when the port has to decide. A credit stamped t counts
/// at t. The packets of one input buffer leave by several outputs of unequal rates, so the stamps
/// do not come in order; the list is kept sorted, by insertion from its end, where they nearly
/// always belong.
///
///     CreditAccount account;
///     account.open(8320);
///     account.take(4160);
///     account.give_back(1'000'000, 4160);      // counts from 1 us on
///     account.when(8320, 0);                // 1'000'000
class CreditAccount {
public:
    /// Starts with the whole buffer free.
    /// @param bytes size of the buffer
    void open(std::int64_t bytes) { available_ = bytes; }

    /// @param wire bytes wanted, header included
    /// @param now in picoseconds, not before any earlier `now`
    /// @return whether they are there
    bool has(std::int64_t wire, std::int64_t now) {
        if (available_ < wire) {
            absorb(now);
        }
        return available_ >= wire;
    }

    /// @param wire bytes used up; has() said that they are there
    void take(std::int64_t wire) { available_ -= wire; }

    /// @param stamp when the credit counts, in picoseconds
    /// @param bytes how much
    void give_back(std::int64_t stamp, std::int64_t bytes) {
        if (count_ < returning_.size() && (count_ == 0 || at(count_ - 1).stamp <= stamp)) {
            at(count_++) = {stamp, bytes};
            return;
        }
        insert(stamp, bytes);
    }

    /// When the bytes will be there, by the credits that are known to be under way.
    /// @param wire bytes wanted, header included
    /// @param from the earliest time that is of interest, in picoseconds; no decision lies before
    /// it
    /// @return a time not before `from`, or never
    std::int64_t when(std::int64_t wire, std::int64_t from) const {
        return available_ >= wire ? from : std::max(from, when_returned(wire));
    }

    /// What decides when which bytes are there.
    /// @param now in picoseconds, not before any earlier `now`
    /// @param words to which it is added; times are relative to now
    void describe(std::int64_t now, std::vector<std::int64_t>& words);

    /// Puts off everything that is on its way back.
    /// @param by in picoseconds
    void shift(std::int64_t by);

private:
    /// One credit on its way back.
    struct Returning {
        std::int64_t stamp;  ///< when it counts, in picoseconds
        std::int64_t bytes;  ///< how much it is
    };

    /// Adds what has come back.
    /// @param now in picoseconds
    void absorb(std::int64_t now);

    /// give_back() where the list is full, or others come back later.
    /// @param stamp when the credit counts, in picoseconds
    /// @param bytes how much
    void insert(std::int64_t stamp, std::int64_t bytes);

    /// when() where the bytes are not there at once.
    /// @param wire bytes wanted
    /// @return a time, or never
    std::int64_t when_returned(std::int64_t wire) const;

    /// Doubles the list.
    void grow();

    /// @param position in the list, 0 is the earliest
    /// @return the credit there
    Returning& at(std::size_t position) {
        return returning_[(first_ + position) & (returning_.size() - 1)];
    }

    /// @copydoc at
    const Returning& at(std::size_t position) const {
        return returning_[(first_ + position) & (returning_.size() - 1)];
    }

    std::int64_t available_ = 0;        ///< bytes that may be sent
    std::vector<Returning> returning_;  ///< circular, its size is 0 or a power of 2
    std::size_t first_ = 0;             ///< index of the earliest stamp
    std::size_t count_ = 0;             ///< credits on their way
};

}  // namespace npunet::packet
