// One phase of a collective at one NPU: an algorithm over an ordered line of members.
//
// A collective is cut into chunks; each chunk runs through phases, one per dimension (plan.h); each
// phase is a schedule of exchanges. In exchange e a member sends one message and waits for one; up
// to `window` exchanges are under way at a time; from exchange `barrier` on, every earlier one must
// have been received first. Schedules are pure functions: nothing is stored per exchange.
//
//     PhaseShape ring{Algorithm::Ring, CollectiveKind::AllReduce, 4, 0, Bytes{1 << 20}};
//     for (int e = 0; e < exchange_count(ring); ++e) { Exchange x = exchange(ring, e); ... }
//
// A new algorithm is one file with its functions and one row in algorithms.cc.
// C++17-clean.
#pragma once

#include <cstdint>

#include "base/quantities.h"
#include "engine/program.h"
#include "engine/system_config.h"

namespace npunet::engine {

/// What a phase's schedule depends on.
struct PhaseShape {
    Algorithm algorithm = Algorithm::Ring;
    CollectiveKind kind = CollectiveKind::AllReduce;
    std::int32_t members = 1;  ///< n >= 2
    std::int32_t me = 0;       ///< own place in the line, 0 .. n - 1
    /// The whole buffer that the phase works on: all-reduce and reduce-scatter: the input;
    /// all-gather: the result; all-to-all: the send buffer.
    Bytes total;
    std::int32_t window = 0;  ///< direct: exchanges at a time; 0 = n - 1
    /// Every part is floor(S / n), as in the reference; else part i is floor(S (i+1)/n) -
    /// floor(S i/n).
    bool equal_parts = false;
    bool ring_all_to_all_aggregates = true;
    bool every_reduction_is_charged = true;

    /// Size of part i.
    [[nodiscard]] Bytes part(std::int32_t i) const {
        return equal_parts ? Bytes(total.value() / members) : part_of(total, i, members);
    }
    /// The member `distance` places after (or, negative, before) this one.
    [[nodiscard]] std::int32_t neighbour(std::int32_t distance) const {
        const std::int32_t place = (me + distance) % members;
        return place < 0 ? place + members : place;
    }
};

/// One message out, one message in.
struct Exchange {
    std::int32_t send_to = 0;
    Bytes bytes;
    std::int32_t receive_from = 0;
    bool reduces = false;  ///< what is received is added to what is there
};

[[nodiscard]] std::int32_t exchange_count(const PhaseShape& shape);
/// How many exchanges may be under way at a time.
[[nodiscard]] std::int32_t exchange_window(const PhaseShape& shape);
/// The first exchange that needs all earlier ones; exchange_count() when there is none.
[[nodiscard]] std::int32_t exchange_barrier(const PhaseShape& shape);
/// Exchange e, 0 <= e < exchange_count(). The message sent in exchange e is received by the other
/// member in its exchange e.
[[nodiscard]] Exchange exchange(const PhaseShape& shape, std::int32_t e);
/// Whether the r-th reception (in order of reception, from 0) is charged as a reduction.
[[nodiscard]] bool reception_reduces(const PhaseShape& shape, std::int32_t r, std::int32_t e);

}  // namespace npunet::engine
