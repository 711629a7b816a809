// One phase of a collective at one NPU: an algorithm over an ordered line of members.
//
// A collective is cut into chunks; each chunk runs through phases, one per dimension
// (engine/collective/plan.h); each phase is a schedule of exchanges, made in order. An exchange
// sends one message, or receives one, or both. It may start when enough of the earlier ones are
// complete (its gate); a send alone is complete when it starts. Schedules are pure functions:
// nothing is stored per exchange.
//
//     PhaseShape ring;
//     ring.members = 4;
//     ring.set_total(Bytes{1 << 20});
//     for (int e = 0; e < exchange_count(ring); ++e) { Exchange x = exchange(ring, e); ... }
//
// A user-defined algorithm is one file with its functions (custom_algorithm.h).
// C++17-clean.
#pragma once

#include <cstdint>
#include <vector>

#include "base/quantities.h"
#include "engine/collective_algorithms/implementation.h"

namespace npunet::engine {

/// In which points the schedules of the reference differ from the published algorithms.
struct ScheduleRules {
    /// Every part is floor(S / n); else part i is floor(S (i+1)/n) - floor(S i/n).
    bool equal_parts = false;
    /// A ring all-to-all forwards all blocks of a step in one message (n - 1 steps); else the
    /// n (n - 1) / 2 blocks go one by one, n at most 65536.
    bool ring_all_to_all_aggregates = true;
    /// Which receptions of a direct or halving reduction are charged: all of them; else those that
    /// the reference's counters make out.
    bool every_reduction_is_charged = true;
    /// Halving-doubling's reduce-scatter begins with its neighbour, its all-gather ends with it.
    bool halving_begins_nearby = false;
};

/// What a phase's schedule depends on.
struct PhaseShape {
    Algorithm algorithm = Algorithm::Ring;
    CollectiveKind kind = CollectiveKind::AllReduce;
    /// Rings: 1 goes round the other way. Double binary tree: which tree, 0 or 1.
    std::uint8_t lane = 0;
    ScheduleRules rules;
    std::int32_t members = 1;  ///< n >= 2
    std::int32_t me = 0;       ///< own place in the line, 0 .. n - 1
    std::int32_t root = 0;     ///< place of the root, where there is one
    std::int32_t window = 0;   ///< direct: exchanges at a time; 0 = n - 1
    /// Unequal all-to-all: bytes to each member; the chunk sends its share of each.
    const std::vector<std::int64_t>* sizes = nullptr;
    std::int32_t chunk = 0;
    std::int32_t chunks = 1;

    /// The whole buffer that the phase works on: all-reduce, reduce-scatter, broadcast, reduce,
    /// scatter: the input; all-gather, gather: the result; all-to-all: the send buffer. After
    /// `members` is set.
    void set_total(Bytes bytes) {
        total_ = bytes;
        whole_ = bytes.value() / members;
        rest_ = bytes.value() % members;
    }
    [[nodiscard]] Bytes total() const { return total_; }

    /// Size of part i, 0 <= i < n.
    [[nodiscard]] Bytes part(std::int32_t i) const {
        // rest (i + 1) / n passes a whole number where its remainder is below rest.
        return even() ? Bytes(whole_)
                      : Bytes(whole_ + (remainder(rest_ * (i + 1)) < rest_ ? 1 : 0));
    }
    /// Parts 0 to i - 1 together, 0 <= i <= n.
    [[nodiscard]] Bytes parts_below(std::int32_t i) const {
        return Bytes(whole_ * i + (rules.equal_parts ? 0 : rest_ * i / members));
    }
    /// The `count` parts from `first` on, round the end; 0 <= first < n, 0 <= count <= n.
    [[nodiscard]] Bytes parts_from(std::int32_t first, std::int32_t count) const {
        const std::int32_t end = first + count;
        return end <= members
                   ? parts_below(end) - parts_below(first)
                   : parts_below(members) - parts_below(first) + parts_below(end - members);
    }
    /// All parts are equal, so that the schedule is the same for every member.
    [[nodiscard]] bool even() const { return rest_ == 0 || rules.equal_parts; }
    /// The member `distance` places after (or, negative, before) this one; -n <= distance <= n.
    [[nodiscard]] std::int32_t neighbour(std::int32_t distance) const {
        const std::int32_t place = me + distance;
        return place < 0 ? place + members : place >= members ? place - members : place;
    }
    /// How far this member stands behind the root, 0 .. n - 1, and the member that stands so far.
    [[nodiscard]] std::int32_t behind_root() const {
        return me >= root ? me - root : me - root + members;
    }
    [[nodiscard]] std::int32_t member_behind_root(std::int32_t distance) const {
        return root + distance < members ? root + distance : root + distance - members;
    }

private:
    /// x mod n; most numbers are small, and small ones divide faster.
    [[nodiscard]] std::int64_t remainder(std::int64_t x) const {
        return x >> 31 == 0 ? static_cast<std::int64_t>(static_cast<std::uint32_t>(x) %
                                                        static_cast<std::uint32_t>(members))
                            : x % members;
    }

    Bytes total_;
    std::int64_t whole_ = 0;  ///< floor(total / n)
    std::int64_t rest_ = 0;   ///< total mod n
};

struct Exchange {
    static constexpr std::int32_t no_rank = -1;

    std::int32_t send_to = no_rank;
    std::int32_t receive_from = no_rank;
    Bytes bytes;                  ///< of the message sent
    std::int32_t arrives_in = 0;  ///< the exchange in which the other member receives it
};

/// What must have happened before an exchange may start.
struct Gate {
    std::int32_t completed = 0;  ///< earlier exchanges that are received, delays and all
    std::int32_t received = 0;   ///< earlier exchanges whose message is in
};

[[nodiscard]] std::int32_t exchange_count(const PhaseShape& shape);
/// Exchange e, 0 <= e < exchange_count().
[[nodiscard]] Exchange exchange(const PhaseShape& shape, std::int32_t e);
/// What is received in the first so many exchanges is added to what is there.
[[nodiscard]] std::int32_t exchange_reductions(const PhaseShape& shape);
/// Never lower than that of an earlier exchange.
[[nodiscard]] Gate exchange_gate(const PhaseShape& shape, std::int32_t e);
/// Whether each exchange waits until all before it are complete.
[[nodiscard]] bool exchanges_in_sequence(const PhaseShape& shape);
/// Whether all exchanges are the same but for their numbers, each after the one before, as long as
/// they reduce or do not.
[[nodiscard]] bool exchanges_alike(const PhaseShape& shape);
/// How many bytes the reference charges as a reduction when a message of `received` bytes has come,
/// as the r-th one (from 0), in exchange e; else they are those of the exchanges that reduce.
[[nodiscard]] Bytes reduced_bytes_in_reference(const PhaseShape& shape, std::int32_t r,
                                               std::int32_t e, Bytes received);

}  // namespace npunet::engine
