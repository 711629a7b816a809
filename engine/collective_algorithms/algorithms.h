// The built-in algorithms of collectives, a namespace each: schedules of exchanges over an ordered
// line of members. exchange() and the functions beside it (phase.h) are put together from them in
// algorithms.cc:
//
//     count(shape)       exchange_count()
//     reductions(shape)  exchange_reductions()
//     gate(shape, step)  exchange_gate(); where there is none, an exchange waits for all before it
//     at(shape, step)    exchange()
#pragma once

#include <cstdint>

#include "engine/collective_algorithms/phase.h"

// Ring collectives: every member sends to the next and receives from the one before.
//
// With n members, S bytes (parts of S/n), latency a and seconds per byte b (Thakur, Rabenseifner,
// Gropp, "Optimization of Collective Communication Operations in MPICH", 2005; Patarasuk, Yuan,
// "Bandwidth optimal all-reduce algorithms", 2009):
//     reduce-scatter, all-gather   (n - 1) (a + S/n b)
//     all-reduce                   2 (n - 1) (a + S/n b)
//     all-to-all                   (n - 1) a + S (n - 1)/2 b, the blocks travelling hop by hop
//     broadcast, reduce            (n - 1) (a + S b): a chain, which chunks fill as a pipeline
// After the reduce-scatter member i holds part i. Lane 1 is the same ring in the other direction: a
// bidirectional ring sends half of the data in each lane and takes half of the time where links
// have two directions (Chan, Heimlich, Purkayastha, van de Geijn, "Collective communication:
// theory, practice, and experience", 2007).
namespace npunet::engine::ring {

[[nodiscard]] std::int32_t count(const PhaseShape& shape);
[[nodiscard]] std::int32_t reductions(const PhaseShape& shape);
[[nodiscard]] Exchange at(const PhaseShape& shape, std::int32_t step);
/// exchanges_alike().
[[nodiscard]] bool alike(const PhaseShape& shape);

}  // namespace npunet::engine::ring

// Direct collectives: every member exchanges with every other one, `window` peers at a time.
//
// With n members, S bytes, a full window and a link for every pair (latency a, seconds per byte b);
// through one port the n - 1 messages follow each other and b counts n - 1 times (Chan, Heimlich,
// Purkayastha, van de Geijn, "Collective communication: theory, practice, and experience", 2007):
//     reduce-scatter, all-gather, all-to-all   a + S/n b
//     all-reduce                               2 (a + S/n b): all parts are in before any goes out
// In exchange k of a round a member sends to the one k + 1 places after it and receives from the
// one k + 1 places before it.
//     broadcast, scatter                       the root sends n - 1 messages through its ports
//     reduce, gather                           the root receives n - 1 messages
// An unequal all-to-all sends to each member what it has for it, be it nothing.
namespace npunet::engine::direct {

[[nodiscard]] std::int32_t count(const PhaseShape& shape);
[[nodiscard]] std::int32_t reductions(const PhaseShape& shape);
[[nodiscard]] Gate gate(const PhaseShape& shape, std::int32_t step);
/// How many exchanges may be under way at a time.
[[nodiscard]] std::int32_t window(const PhaseShape& shape);
[[nodiscard]] Exchange at(const PhaseShape& shape, std::int32_t step);

}  // namespace npunet::engine::direct

// Halving-doubling and recursive doubling: in each of log2(n) rounds every member exchanges with
// the one whose number differs in one bit.
//
// With n = 2^k members, S bytes, latency a, seconds per byte b (Rabenseifner, "Optimization of
// Collective Reduction Operations", 2004; Thakur, Rabenseifner, Gropp, "Optimization of Collective
// Communication Operations in MPICH", 2005; Bruck et al., "Efficient algorithms for all-to-all
// communications in multiport message-passing systems", 1997):
//     reduce-scatter (halving), all-gather (doubling)   k a + (n - 1)/n S b
//     all-reduce, halving-doubling                      2 k a + 2 (n - 1)/n S b
//     all-reduce, recursive doubling                    k (a + S b)
//     all-to-all (Bruck), n = 2^k                       k (a + S/2 b); any n: ceil(log2 n) rounds
// Other n fold the members beyond 2^k in before and out after (folding_in.h). The all-reduce begins
// with its neighbour, so that the large messages take short routes; reduce-scatter and all-gather
// keep their ranges contiguous and begin, or end, half the group away.
namespace npunet::engine::halving_doubling {

[[nodiscard]] std::int32_t count(const PhaseShape& shape);
[[nodiscard]] std::int32_t reductions(const PhaseShape& shape);
[[nodiscard]] Exchange at(const PhaseShape& shape, std::int32_t step);

}  // namespace npunet::engine::halving_doubling

// All-reduce over two binary trees that share the work: up to the root, reduced on the way, and
// down again. A member that is a leaf of one tree is, for even n, an inner node of the other.
//
// Each tree carries half of the data (Sanders, Speck, Traeff, "Two-tree algorithms for full
// bandwidth broadcast, reduction and scan", 2009). With h levels below the root, each message of
// S/2 bytes: 2 h (a + S/2 b) for one chunk where no two messages share a port; c chunks fill the
// tree as a pipeline, 2 h (a + S/2c b) + (c - 1) S/2c b, or a + S b where that is more: with a link
// for each pair, some link carries one tree's way up and the other's way down. Tree 0 has its root
// at member 0, whose only child heads an in-order binary tree of members 1 to n - 1; tree 1 is its
// mirror image (even n) or moved on by one member (odd n).
namespace npunet::engine::double_binary_tree {

[[nodiscard]] std::int32_t count(const PhaseShape& shape);
[[nodiscard]] std::int32_t reductions(const PhaseShape& shape);
[[nodiscard]] Gate gate(const PhaseShape& shape, std::int32_t step);
[[nodiscard]] Exchange at(const PhaseShape& shape, std::int32_t step);

}  // namespace npunet::engine::double_binary_tree

// Broadcast, reduce, gather and scatter over a binomial tree: the number of members that have, or
// have handed in, their data doubles in every round.
//
// With n = 2^k members, S bytes, latency a, seconds per byte b (Thakur, Rabenseifner, Gropp,
// "Optimization of Collective Communication Operations in MPICH", 2005), one message at a time:
//     broadcast, reduce   k (a + S b)
//     gather, scatter     k a + (n - 1)/n S b
// Other n take at most the time of the next power of two.
// Places are counted from the root. Place v > 0 hangs below v without its lowest set bit, and heads
// the places v .. v + lowest bit - 1. A member sends to its largest subtree first.
namespace npunet::engine::binomial_tree {

[[nodiscard]] std::int32_t count(const PhaseShape& shape);
[[nodiscard]] std::int32_t reductions(const PhaseShape& shape);
[[nodiscard]] Gate gate(const PhaseShape& shape, std::int32_t step);
[[nodiscard]] Exchange at(const PhaseShape& shape, std::int32_t step);

}  // namespace npunet::engine::binomial_tree

// Barrier: in round t every member tells the one 2^t places after it that it has come; after
// ceil(log2 n) rounds it has heard, through others, of all.
//
// ceil(log2 n) a, for any n (Hensgen, Finkel, Manber, "Two algorithms for barrier synchronization",
// 1988). Messages carry no bytes.
namespace npunet::engine::dissemination {

[[nodiscard]] std::int32_t count(const PhaseShape& shape);
[[nodiscard]] std::int32_t reductions(const PhaseShape& shape);
[[nodiscard]] Exchange at(const PhaseShape& shape, std::int32_t step);

}  // namespace npunet::engine::dissemination
