// The credit that an output port holds for one virtual channel of the input buffer at the other end
// of its link, in bytes with headers.
//
// Returning credits cause no events. Each is a stamp in a short list, read when the port decides: a
// credit stamped t (in picoseconds) counts from t on. Packets of one input buffer leave by outputs
// of unequal rates, so stamps do not come in order; the list is kept sorted by insertion from its
// end, where they nearly always belong.
//
//     CreditAccount account;
//     account.open(8320);
//     account.take(4160);
//     account.give_back(1'000'000, 4160);  // counts from 1 us on
//     account.when(8320, 0);               // 1'000'000
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace npunet::packet {

class CreditAccount {
public:
    /// Starts with a free buffer of `bytes`.
    void open(std::int64_t bytes) { available_ = bytes; }

    /// Whether `wire` bytes of credit are available. `now` never decreases from call to call.
    bool has(std::int64_t wire, std::int64_t now) {
        if (available_ < wire) {
            absorb(now);
        }
        return available_ >= wire;
    }

    /// Only after has().
    void take(std::int64_t wire) { available_ -= wire; }

    void give_back(std::int64_t stamp, std::int64_t bytes) {
        if (count_ < returning_.size() && (count_ == 0 || at(count_ - 1).stamp <= stamp)) {
            at(count_++) = {stamp, bytes};
            return;
        }
        insert(stamp, bytes);
    }

    /// The first time from `from` on at which `wire` bytes are available, by the credits known to
    /// be returning; or never. No decision may lie before `from`.
    std::int64_t when(std::int64_t wire, std::int64_t from) const {
        return available_ >= wire ? from : std::max(from, when_returned(wire));
    }

    /// Whether a buffer of `bytes` is free from `time` on, as far as is known.
    bool is_whole(std::int64_t bytes, std::int64_t time) const {
        return available_ == bytes || (count_ > 0 && returns_by(bytes, time));
    }

    /// Appends the state to `words`, with times relative to `now`, which never decreases.
    void describe(std::int64_t now, std::vector<std::int64_t>& words);

    /// Delays all returning credits.
    void shift(std::int64_t by);

private:
    struct Returning {
        std::int64_t stamp;
        std::int64_t bytes;
    };

    /// Adds the credits that count by now.
    void absorb(std::int64_t now);

    /// give_back() if the list is full, or has later stamps.
    void insert(std::int64_t stamp, std::int64_t bytes);

    /// is_whole() if credits are returning.
    bool returns_by(std::int64_t bytes, std::int64_t time) const;

    /// when() if the bytes are not available at once.
    std::int64_t when_returned(std::int64_t wire) const;

    void grow();

    /// Position 0 has the earliest stamp.
    Returning& at(std::size_t position) {
        return returning_[(first_ + position) & (returning_.size() - 1)];
    }

    const Returning& at(std::size_t position) const {
        return returning_[(first_ + position) & (returning_.size() - 1)];
    }

    std::int64_t available_ = 0;
    std::vector<Returning> returning_;  ///< circular; its size is 0 or a power of 2
    std::size_t first_ = 0;             ///< index of the earliest stamp
    std::size_t count_ = 0;             ///< returning credits
};

}  // namespace npunet::packet
