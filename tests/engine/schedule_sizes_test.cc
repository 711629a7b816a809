// Sizes and orders of single messages, where nothing but the time of a whole run would show them:
// the schedules of the astra-sim dialects, and who comes first in a tree.

#include <gtest/gtest.h>

#include <vector>

#include "tests/engine/schedule_cases.h"

namespace npunet::schedule_sizes_test {
namespace {

using engine::Exchange;
using test::Algorithm;
using test::CollectiveKind;
using test::SharedPhase;

SharedPhase phase_of(Algorithm algorithm, CollectiveKind kind, std::int32_t members, Bytes total) {
    SharedPhase phase;
    phase.algorithm = algorithm;
    phase.kind = kind;
    phase.members = members;
    phase.total = total;
    return phase;
}

SharedPhase reference_phase(Algorithm algorithm, CollectiveKind kind, std::int32_t members,
                            Bytes total) {
    SharedPhase phase = phase_of(algorithm, kind, members, total);
    phase.rules = test::reference_rules();
    return phase;
}

// The reference's ring forwards all-to-all blocks one by one: n (n - 1) / 2 messages of S / n.
TEST(ScheduleSizes, RingAllToAllOfTheReference) {
    for (const std::int32_t n : {2, 3, 4, 7, 8, 16}) {
        const SharedPhase phase =
            reference_phase(Algorithm::Ring, CollectiveKind::AllToAll, n, Bytes(96 * n + 5));
        for (std::int32_t me = 0; me < n; ++me) {
            const engine::PhaseShape shape = phase.shape(me);
            ASSERT_EQ(engine::exchange_count(shape), n * (n - 1) / 2) << n;
            for (std::int32_t e = 0; e < engine::exchange_count(shape); ++e) {
                ASSERT_EQ(engine::exchange(shape, e).bytes, Bytes(96 + 5 / n)) << n;
            }
        }
    }
}

// n = 2^k members. All-reduce: halves S/2, S/4, ..., S/n to members 1, 2, ..., n/2 places away,
// then back from S/n to S/2. Reduce-scatter: the first half of it. All-gather: 1, 2, ..., n/2 parts
// to members n/2, ..., 2, 1 places away.
TEST(ScheduleSizes, HalvingAndDoublingOfTheReference) {
    for (std::int32_t rounds = 1; rounds <= 5; ++rounds) {
        const std::int32_t n = 1 << rounds;
        const std::int64_t total = std::int64_t{1000} * n;
        for (const CollectiveKind kind : {CollectiveKind::AllReduce, CollectiveKind::ReduceScatter,
                                          CollectiveKind::AllGather}) {
            const SharedPhase phase =
                reference_phase(Algorithm::HalvingDoubling, kind, n, Bytes(total));
            SCOPED_TRACE(phase.text());
            std::vector<std::int64_t> sizes;
            std::vector<std::int32_t> distances;
            for (std::int32_t round = 0; round < rounds; ++round) {
                const bool gathers = kind == CollectiveKind::AllGather;
                sizes.push_back(gathers ? 1000 << round : total >> (round + 1));
                distances.push_back(gathers ? n >> (round + 1) : 1 << round);
            }
            for (std::int32_t round = rounds; kind == CollectiveKind::AllReduce && round-- > 0;) {
                sizes.push_back(total >> (round + 1));
                distances.push_back(1 << round);
            }
            for (std::int32_t me = 0; me < n; ++me) {
                const engine::PhaseShape shape = phase.shape(me);
                ASSERT_EQ(engine::exchange_count(shape), static_cast<std::int32_t>(sizes.size()));
                for (std::int32_t e = 0; e < engine::exchange_count(shape); ++e) {
                    const Exchange found = engine::exchange(shape, e);
                    const auto at = static_cast<std::size_t>(e);
                    ASSERT_EQ(found.bytes, Bytes(sizes[at])) << e;
                    ASSERT_EQ(found.send_to, me ^ distances[at]) << e;
                }
            }
        }
    }
}

// Halving and doubling among n = 2^k + r: an all-gather reduces nothing; the others reduce k times,
// and once more in the r members that take in a partner's data.
TEST(ScheduleSizes, ReductionsOfHalvingAndDoubling) {
    for (std::int32_t n = 2; n <= 20; ++n) {
        std::int32_t rounds = 0;
        while ((2 << rounds) <= n) {
            ++rounds;
        }
        const std::int32_t folded = n - (1 << rounds);
        for (const CollectiveKind kind : {CollectiveKind::AllReduce, CollectiveKind::ReduceScatter,
                                          CollectiveKind::AllGather}) {
            const SharedPhase phase = phase_of(Algorithm::HalvingDoubling, kind, n, Bytes(96 * n));
            SCOPED_TRACE(phase.text());
            for (std::int32_t me = 0; me < n; ++me) {
                const bool in_pair = me < 2 * folded;
                const std::int32_t reductions = in_pair && me % 2 == 1 ? 0
                                                : in_pair              ? rounds + 1
                                                                       : rounds;
                EXPECT_EQ(engine::exchange_reductions(phase.shape(me)),
                          kind == CollectiveKind::AllGather ? 0 : reductions)
                    << me;
            }
        }
    }
}

// Of two children the lower member comes first, in the tree and in its mirror image (n even).
TEST(ScheduleSizes, DoubleBinaryTreesTurnToTheLowerChildFirst) {
    for (std::int32_t n = 2; n <= 34; n += 2) {
        for (const std::uint8_t tree : {std::uint8_t{0}, std::uint8_t{1}}) {
            SharedPhase phase =
                phase_of(Algorithm::DoubleBinaryTree, CollectiveKind::AllReduce, n, Bytes(96 * n));
            phase.lane = tree;
            SCOPED_TRACE(phase.text());
            std::int32_t with_two = 0;
            for (std::int32_t me = 0; me < n; ++me) {
                const engine::PhaseShape shape = phase.shape(me);
                const std::int32_t children = engine::exchange_reductions(shape);
                ASSERT_LE(children, 2);
                if (children == 2) {
                    ++with_two;
                    EXPECT_LT(engine::exchange(shape, 0).receive_from,
                              engine::exchange(shape, 1).receive_from);
                    const std::int32_t last = engine::exchange_count(shape) - 1;
                    EXPECT_LT(engine::exchange(shape, last - 1).send_to,
                              engine::exchange(shape, last).send_to);
                }
            }
            EXPECT_EQ(with_two > 0, n > 3);
        }
    }
}

}  // namespace
}  // namespace npunet::schedule_sizes_test
