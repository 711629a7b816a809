// Which virtual output queues of all ports are not empty: one bit each, in words of the port's own,
// so that arbitration looks at those only.
//
//     masks.set(port, port.first_queue + 3);
//     masks.for_each(port, port.next_queue, [&](std::uint32_t queue) { return serves(queue); });
#pragma once

#include "packet/credit/credit_port.h"

#include <cstdint>
#include <vector>

namespace npunet::packet {

class VoqMasks {
public:
    /// Allocates the words of a port whose number of queues is set, all of them empty.
    void open(CreditPort& port) {
        port.first_mask = static_cast<std::uint32_t>(words_.size());
        words_.resize(words_.size() + (port.queues + 63) / 64);
    }

    void set(const CreditPort& port, std::uint32_t queue_number) {
        const std::uint32_t slot = queue_number - port.first_queue;
        words_[port.first_mask + slot / 64] |= std::uint64_t{1} << (slot % 64);
    }

    void clear(const CreditPort& port, std::uint32_t queue_number) {
        const std::uint32_t slot = queue_number - port.first_queue;
        words_[port.first_mask + slot / 64] &= ~(std::uint64_t{1} << (slot % 64));
    }

    /// Whether exactly one queue is not empty; false for ports of more than 64 queues.
    bool has_one(const CreditPort& port) const {
        const std::uint64_t filled = port.queues <= 64 ? words_[port.first_mask] : 0;
        return filled != 0 && (filled & (filled - 1)) == 0;
    }

    /// Which one, counted from the port's first queue; requires has_one().
    std::uint32_t slot_of_one(const CreditPort& port) const {
        return static_cast<std::uint32_t>(__builtin_ctzll(words_[port.first_mask]));
    }

    /// Calls a function with the number of every non-empty queue of a port, cyclically from its
    /// queue `first` (from 0) on, until it returns true.
    template <class Function>
    void for_each(const CreditPort& port, std::uint32_t first, Function function) const;

private:
    std::vector<std::uint64_t> words_;  ///< those of a port begin at CreditPort::first_mask
};

template <class Function>
inline void VoqMasks::for_each(const CreditPort& port, std::uint32_t first,
                               Function function) const {
    const std::uint64_t* of_port = &words_[port.first_mask];
    const std::uint32_t words = (port.queues + 63) / 64;
    if (words == 1) {
        const std::uint64_t from_start = of_port[0] & ~std::uint64_t{0} << first;
        for (std::uint64_t bits : {from_start, of_port[0] & ~from_start}) {
            for (; bits != 0; bits &= bits - 1) {
                if (function(port.first_queue +
                             static_cast<std::uint32_t>(__builtin_ctzll(bits)))) {
                    return;
                }
            }
        }
        return;
    }
    const std::uint32_t first_word = first / 64;
    const std::uint64_t from_first = ~std::uint64_t{0} << (first % 64);
    std::uint32_t word = first_word;
    std::uint64_t bits = of_port[word] & from_first;
    for (std::uint32_t round = 0;; ++round) {
        for (; bits != 0; bits &= bits - 1) {
            const auto bit = static_cast<std::uint32_t>(__builtin_ctzll(bits));
            if (function(port.first_queue + word * 64 + bit)) {
                return;
            }
        }
        if (round == words) {
            return;
        }
        word = word + 1 == words ? 0 : word + 1;
        bits = round + 1 == words ? of_port[word] & ~from_first : of_port[word];
    }
}

}  // namespace npunet::packet
