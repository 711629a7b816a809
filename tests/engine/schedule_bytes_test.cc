// What all members together send, against the published algorithms.

#include <gtest/gtest.h>

#include <bitset>

#include "tests/engine/published_contents.h"

namespace npunet::test::schedule_bytes_test {
namespace {

std::int64_t ones(std::int32_t value) {
    return static_cast<std::int64_t>(std::bitset<32>(static_cast<std::uint32_t>(value)).count());
}

std::int64_t rounds_of(std::int32_t power) {
    std::int64_t rounds = 0;
    while ((std::int64_t{1} << rounds) < power) {
        ++rounds;
    }
    return rounds;
}

/// n = 2^k + r members, of which r, the odd ones of the first 2 r, are folded in.
Bytes halving(const SharedPhase& phase) {
    const std::int32_t n = phase.members;
    const std::int64_t power = power_within(n);
    const std::int64_t folded = n - power;
    Bytes unfolded;
    switch (phase.kind) {
        case CollectiveKind::ReduceScatter:
            for (std::int32_t member = 1; member < 2 * folded; member += 2) {
                unfolded += part_of(phase.total, member, n);
            }
            return (power - 1 + folded) * phase.total + unfolded;
        case CollectiveKind::AllGather:
            return (n - 1) * phase.total;
        case CollectiveKind::AllReduce:
            return phase.algorithm == Algorithm::HalvingDoubling
                       ? 2 * (n - 1) * phase.total
                       : (power * rounds_of(power_within(n)) + 2 * folded) * phase.total;
        default: {
            std::int64_t hops = 0;
            for (std::int32_t distance = 1; distance < n; ++distance) {
                hops += ones(distance);
            }
            return hops * phase.total;
        }
    }
}

Bytes rooted(const SharedPhase& phase) {
    const std::int32_t n = phase.members;
    if (phase.kind == CollectiveKind::Broadcast || phase.kind == CollectiveKind::Reduce) {
        return (n - 1) * phase.total;
    }
    if (phase.algorithm == Algorithm::Direct) {
        return phase.total - part_of(phase.total, phase.root, n);
    }
    Bytes sum;
    for (std::int32_t place = 1; place < n; ++place) {
        sum += ones(place) * part_of(phase.total, (phase.root + place) % n, n);
    }
    return sum;
}

Bytes closed_form(const SharedPhase& phase) {
    const std::int64_t n = phase.members;
    if (engine::has_root(phase.kind)) {
        return rooted(phase);
    }
    if (phase.kind == CollectiveKind::Barrier) {
        return Bytes();
    }
    if (phase.algorithm == Algorithm::HalvingDoubling ||
        phase.algorithm == Algorithm::RecursiveDoubling) {
        return halving(phase);
    }
    switch (phase.kind) {
        case CollectiveKind::AllReduce:
            return 2 * (n - 1) * phase.total;
        case CollectiveKind::AllToAll:
            return (phase.algorithm == Algorithm::Ring ? n * (n - 1) / 2 : n - 1) * phase.total;
        default:
            return (n - 1) * phase.total;
    }
}

// Of a buffer of S bytes (all-gather, gather: the result; S of each tree of a double binary tree),
// all members together send
//     all-reduce: ring, direct, halving-doubling, each tree      2 (n - 1) S
//     all-reduce: recursive doubling, n = 2^k + r                (2^k k + 2 r) S
//     all-gather, any; reduce-scatter: ring, direct              (n - 1) S
//     reduce-scatter: halving                                    (n - 1) S + the parts of the
//     folded all-to-all: direct (n - 1) S; ring n (n - 1)/2 S; Bruck: the sum of the ones of 1 .. n
//     - 1 broadcast, reduce, any                                     (n - 1) S gather, scatter:
//     direct S - the root's part; binomial: the part of place v once for each one in v, counted
//     from the root; (k / 2) S for n = 2^k
// These are exact for every S: each sum runs over whole sets of parts.
TEST(Schedules, TotalBytesAreThoseOfThePublishedAlgorithms) {
    for (const std::int32_t n : group_sizes()) {
        for_each_phase(n, [](const SharedPhase& phase) {
            Bytes sum;
            for (std::int32_t me = 0; me < phase.members; ++me) {
                const PhaseShape shape = phase.shape(me);
                for (std::int32_t e = 0; e < exchange_count(shape); ++e) {
                    sum += exchange(shape, e).bytes;
                }
            }
            ASSERT_EQ(sum, closed_form(phase)) << phase.text();
        });
    }
}

// Recursive halving and doubling send no member more than it must: with n = 2^k and S divisible,
// (n - 1)/n S each for reduce-scatter and all-gather, twice that for an all-reduce (Patarasuk and
// Yuan's bound). So do ring and direct for every n.
TEST(Schedules, NoMemberSendsMoreThanTheBound) {
    for (const std::int32_t n : group_sizes()) {
        for_each_phase(n, [n](const SharedPhase& phase) {
            const bool even = phase.total.value() % n == 0;
            const bool halves = phase.algorithm == Algorithm::HalvingDoubling;
            const bool optimal = phase.algorithm == Algorithm::Ring ||
                                 phase.algorithm == Algorithm::Direct ||
                                 (halves && power_within(n) == n);
            const bool bounded = phase.kind == CollectiveKind::AllReduce ||
                                 phase.kind == CollectiveKind::ReduceScatter ||
                                 phase.kind == CollectiveKind::AllGather;
            if (!even || !optimal || !bounded) {
                return;
            }
            const Bytes bound((n - 1) * (phase.total.value() / n));
            for (std::int32_t me = 0; me < n; ++me) {
                const PhaseShape shape = phase.shape(me);
                Bytes sum;
                for (std::int32_t e = 0; e < exchange_count(shape); ++e) {
                    sum += exchange(shape, e).bytes;
                }
                ASSERT_EQ(sum, (phase.kind == CollectiveKind::AllReduce ? 2 : 1) * bound)
                    << phase.text();
            }
        });
    }
}

}  // namespace
}  // namespace npunet::test::schedule_bytes_test
