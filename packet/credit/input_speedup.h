#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace npunet::packet {

/// Nodes with a limited internal speed-up: how many packets leave each input port at a time, and to
/// which output the last one went. Times in picoseconds.
///
///     InputSpeedup reads(links, 2);
///     if (reads.free_at(input, now) == now)
///     {
///         reads.start(input, output, end);
///     }
class InputSpeedup {
public:
    /// Behind all outputs: the lowest comes first.
    static constexpr std::uint32_t no_output = 0xffffffff;

    /// @param links of the network; each is an input port of the node that it reaches
    /// @param speedup how many packets may leave an input at a time; 0: any number
    InputSpeedup(std::size_t links, std::uint8_t speedup)
        : speedup_(speedup), ends_(links * speedup, 0), last_(speedup > 0 ? links : 0, no_output) {}

    /// @return whether there is a limit
    bool are_limited() const { return speedup_ > 0; }

    /// @param input a link
    /// @param from in picoseconds
    /// @return the first time from then on at which a packet may start to leave the input, as far
    /// as
    ///         is known
    std::int64_t free_at(std::uint32_t input, std::int64_t from) const {
        const std::size_t earliest = earliest_output(input);
        return ends_[earliest] > from ? ends_[earliest] : from;
    }

    /// A packet starts to leave an input.
    /// @param input a link, free at that time
    /// @param output where it goes
    /// @param end when it has left
    void start(std::uint32_t input, std::uint32_t output, std::int64_t end) {
        ends_[earliest_output(input)] = end;
        last_[input] = output;
    }

    /// @param input a link
    /// @return the output to which its last packet went; NOBODY before the first
    std::uint32_t last_output(std::uint32_t input) const { return last_[input]; }

    /// What decides when the input is free, and for whom.
    /// @param input a link
    /// @param now in picoseconds
    /// @param words to which it is added; times are relative to now
    void describe(std::uint32_t input, std::int64_t now, std::vector<std::int64_t>& words) const {
        for (std::uint8_t i = 0; i < speedup_; ++i) {
            const std::int64_t end = ends_[std::size_t{input} * speedup_ + i];
            words.push_back(end > now ? end - now : 0);
        }
        if (are_limited()) {
            words.push_back(last_[input]);
        }
    }

    /// Puts off the ends of all reads.
    /// @param input a link
    /// @param by in picoseconds
    void shift(std::uint32_t input, std::int64_t by) {
        for (std::uint8_t i = 0; i < speedup_; ++i) {
            ends_[std::size_t{input} * speedup_ + i] += by;
        }
    }

private:
    /// @param input a link
    /// @return where in ends_ the read stands that ends first
    std::size_t earliest_output(std::uint32_t input) const {
        std::size_t earliest = std::size_t{input} * speedup_;
        for (std::size_t i = earliest + 1; i < (std::size_t{input} + 1) * speedup_; ++i) {
            earliest = ends_[i] < ends_[earliest] ? i : earliest;
        }
        return earliest;
    }

    std::uint8_t speedup_;             ///< reads at a time; 0: any number
    std::vector<std::int64_t> ends_;   ///< by input, of its last reads
    std::vector<std::uint32_t> last_;  ///< by input: output of its last packet
};

}  // namespace npunet::packet
