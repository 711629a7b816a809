// A collective algorithm of one's own: all-gather by neighbor exchange (Chen, Zhang, Zhang and
// Yuan, "Performance evaluation of allgather algorithms on terascale Linux cluster with fast
// Ethernet", 2005). In round 0 neighbours 2p and 2p + 1 exchange their parts; from then on every
// member exchanges two parts a round, with the neighbour on one side and on the other in turn. On a
// ring of n members, n even, S the result:
//
//     t(S/n) + (n/2 - 1) t(2S/n), t(b) = a + ser(b)
//
// The bytes of a ring, n - 1 parts, in n/2 rounds instead of n - 1. An odd n has no pairs: there it
// is the ring.
#pragma once

#include "engine/collective_algorithms/algorithms.h"
#include "engine/collective_algorithms/custom_algorithm.h"

namespace extending::neighbor_exchange {

using namespace npunet;
using namespace npunet::engine;

inline bool does(CollectiveKind kind) {
    return kind == CollectiveKind::AllGather;
}

inline std::int32_t count(const PhaseShape& shape) {
    return shape.members % 2 == 0 ? shape.members / 2 : ring::count(shape);
}

/// Nothing that is received is added to anything.
inline std::int32_t reductions(const PhaseShape&) {
    return 0;
}

/// How far the pair whose parts an even member sends in a round from 1 on stands after its own: 0,
/// -1, 1, -2, 2, ... What comes in one round goes out in the next; odd members do it the other way
/// round.
inline std::int32_t pair_sent(std::int32_t round) {
    return round % 2 == 1 ? (round - 1) / 2 : -round / 2;
}

inline Exchange at(const PhaseShape& shape, std::int32_t round) {
    if (shape.members % 2 != 0) {
        return ring::at(shape, round);
    }
    const std::int32_t outward = shape.me % 2 == 0 ? 1 : -1;
    const std::int32_t partner = shape.neighbour(round % 2 == 0 ? outward : -outward);
    if (round == 0) {
        return {partner, partner, shape.part(shape.me), round};
    }
    const std::int32_t pairs = shape.members / 2;
    const std::int32_t pair = (shape.me / 2 + outward * pair_sent(round) + pairs) % pairs;
    return {partner, partner, shape.parts_from(2 * pair, 2), round};
}

inline Implementation add() {
    return add_algorithm({"neighborExchange", does, count, reductions, nullptr, at});
}

}  // namespace extending::neighbor_exchange
