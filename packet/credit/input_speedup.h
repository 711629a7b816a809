// Limited internal speed-up of nodes: how many packets leave each input port at a time, and to
// which output the last one went. Inputs and outputs are numbers of links. Times in picoseconds.
//
//     InputSpeedup reads(links, 2);
//     if (reads.free_at(input, now) == now)
//     {
//         reads.start(input, output, end);
//     }
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace npunet::packet {

class InputSpeedup {
public:
    /// Sorts behind all outputs, so that the lowest one comes first.
    static constexpr std::uint32_t no_output = 0xffffffff;

    /// `speedup`: packets that may leave an input at a time; 0: any number.
    InputSpeedup(std::size_t links, std::uint8_t speedup)
        : speedup_(speedup), ends_(links * speedup, 0), last_(speedup > 0 ? links : 0, no_output) {}

    bool are_limited() const { return speedup_ > 0; }

    /// The first time from `from` on at which a packet may start to leave the input, as far as is
    /// known.
    std::int64_t free_at(std::uint32_t input, std::int64_t from) const {
        const std::size_t earliest = earliest_read(input);
        return ends_[earliest] > from ? ends_[earliest] : from;
    }

    /// A packet starts to leave an input, which is free, and has left at `end`.
    void start(std::uint32_t input, std::uint32_t output, std::int64_t end) {
        ends_[earliest_read(input)] = end;
        last_[input] = output;
    }

    /// no_output before the first packet.
    std::uint32_t last_output(std::uint32_t input) const { return last_[input]; }

    /// Appends what determines when the input is free, and for which output; times relative to now.
    void describe(std::uint32_t input, std::int64_t now, std::vector<std::int64_t>& words) const {
        for (std::uint8_t i = 0; i < speedup_; ++i) {
            const std::int64_t end = ends_[std::size_t{input} * speedup_ + i];
            words.push_back(end > now ? end - now : 0);
        }
        if (are_limited()) {
            words.push_back(last_[input]);
        }
    }

    /// Moves the ends of all reads.
    void shift(std::uint32_t input, std::int64_t by) {
        for (std::uint8_t i = 0; i < speedup_; ++i) {
            ends_[std::size_t{input} * speedup_ + i] += by;
        }
    }

private:
    /// Index in ends_ of the read of this input that ends first.
    std::size_t earliest_read(std::uint32_t input) const {
        std::size_t earliest = std::size_t{input} * speedup_;
        for (std::size_t i = earliest + 1; i < (std::size_t{input} + 1) * speedup_; ++i) {
            earliest = ends_[i] < ends_[earliest] ? i : earliest;
        }
        return earliest;
    }

    std::uint8_t speedup_;
    std::vector<std::int64_t> ends_;   ///< `speedup` reads for each input
    std::vector<std::uint32_t> last_;  ///< by input: output of its last packet
};

}  // namespace npunet::packet
