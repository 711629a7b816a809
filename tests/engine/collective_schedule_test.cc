#include <gtest/gtest.h>

#include <tuple>

#include "engine/collective_algorithms/phase.h"

namespace npunet::engine {
namespace {

PhaseShape shape_of(Algorithm algorithm, CollectiveKind kind, std::int32_t members, std::int32_t me,
                    Bytes total, std::int32_t window = 0) {
    PhaseShape shape;
    shape.algorithm = algorithm;
    shape.kind = kind;
    shape.members = members;
    shape.me = me;
    shape.set_total(total);
    shape.window = window;
    return shape;
}

constexpr CollectiveKind kinds[] = {CollectiveKind::AllReduce, CollectiveKind::AllGather,
                                    CollectiveKind::ReduceScatter, CollectiveKind::AllToAll};
constexpr Algorithm algorithms[] = {Algorithm::Ring, Algorithm::Direct};
constexpr std::int32_t sizes[] = {2, 3, 4, 6, 7, 16, 24};

// Whoever sends to j in exchange e is the one from whom j receives in its exchange e.
TEST(Schedules, SendsMeetReceives) {
    for (const Algorithm algorithm : algorithms) {
        for (const CollectiveKind kind : kinds) {
            for (const std::int32_t n : sizes) {
                for (std::int32_t me = 0; me < n; ++me) {
                    const PhaseShape shape = shape_of(algorithm, kind, n, me, Bytes(1000003));
                    for (std::int32_t e = 0; e < exchange_count(shape); ++e) {
                        const Exchange mine = exchange(shape, e);
                        ASSERT_NE(mine.send_to, me);
                        const Exchange theirs =
                            exchange(shape_of(algorithm, kind, n, mine.send_to, Bytes(1000003)), e);
                        ASSERT_EQ(theirs.receive_from, me);
                    }
                }
            }
        }
    }
}

/// Bytes that member `me` receives in exchanges [first, last).
Bytes received(Algorithm algorithm, CollectiveKind kind, std::int32_t n, std::int32_t me,
               Bytes total, std::int32_t first, std::int32_t last) {
    Bytes sum;
    const PhaseShape shape = shape_of(algorithm, kind, n, me, total);
    for (std::int32_t e = first; e < last; ++e) {
        const Exchange mine = exchange(shape, e);
        sum += exchange(shape_of(algorithm, kind, n, mine.receive_from, total), e).bytes;
    }
    return sum;
}

// With parts p_0 .. p_(n-1) summing to S, member i receives S - p_i in an all-gather (everything
// but its own part). In a direct reduce-scatter it receives its part n - 1 times; on a ring every
// part but part i - 1 passes through it. An all-reduce is both, one after the other.
TEST(Schedules, ReceivedBytesAreThoseOfTheParts) {
    const Bytes total(1000003);
    for (const std::int32_t n : sizes) {
        for (std::int32_t i = 0; i < n; ++i) {
            const Bytes own = part_of(total, i, n);
            const Bytes before = part_of(total, (i + n - 1) % n, n);
            for (const Algorithm algorithm : algorithms) {
                EXPECT_EQ(received(algorithm, CollectiveKind::AllGather, n, i, total, 0, n - 1),
                          total - own);
                EXPECT_EQ(
                    received(algorithm, CollectiveKind::AllReduce, n, i, total, n - 1, 2 * (n - 1)),
                    total - own);
            }
            for (const CollectiveKind kind :
                 {CollectiveKind::ReduceScatter, CollectiveKind::AllReduce}) {
                EXPECT_EQ(received(Algorithm::Direct, kind, n, i, total, 0, n - 1), (n - 1) * own);
                EXPECT_EQ(received(Algorithm::Ring, kind, n, i, total, 0, n - 1), total - before);
            }
        }
    }
}

// Direct all-to-all: every member sends S - p_me. On a ring the block for the member at distance d
// crosses d links: the bytes of all members together are the sum over origins and d of d p_(o + d).
TEST(Schedules, AllToAllBytes) {
    const Bytes total(1000003);
    for (const std::int32_t n : sizes) {
        Bytes on_ring;
        Bytes expected;
        for (std::int32_t i = 0; i < n; ++i) {
            Bytes direct;
            const PhaseShape pairwise =
                shape_of(Algorithm::Direct, CollectiveKind::AllToAll, n, i, total);
            for (std::int32_t e = 0; e < exchange_count(pairwise); ++e) {
                direct += exchange(pairwise, e).bytes;
            }
            EXPECT_EQ(direct, total - part_of(total, i, n));
            const PhaseShape ring =
                shape_of(Algorithm::Ring, CollectiveKind::AllToAll, n, i, total);
            EXPECT_EQ(exchange_count(ring), n - 1);
            for (std::int32_t e = 0; e < exchange_count(ring); ++e) {
                on_ring += exchange(ring, e).bytes;
            }
            for (std::int32_t d = 1; d < n; ++d) {
                expected += d * part_of(total, (i + d) % n, n);
            }
        }
        EXPECT_EQ(on_ring, expected);
    }
}

// n (n - 1) is beyond 2^31 from 46342 on, its half beyond 65536 only.
TEST(Schedules, RingAllToAllBlockByBlockOfMany) {
    for (const std::int32_t n : {4, 46341, 46342, 65536}) {
        PhaseShape ring = shape_of(Algorithm::Ring, CollectiveKind::AllToAll, n, 0, Bytes(n));
        ring.rules.ring_all_to_all_aggregates = false;
        EXPECT_EQ(exchange_count(ring), std::int64_t{n} * (n - 1) / 2);
    }
}

// Step s of a ring all-to-all forwards the parts of the members 1 .. n - 1 - s places ahead, summed
// one by one here.
TEST(Schedules, RingAllToAllForwardsConsecutiveParts) {
    for (const std::int32_t n : sizes) {
        for (std::int32_t me = 0; me < n; ++me) {
            const PhaseShape ring =
                shape_of(Algorithm::Ring, CollectiveKind::AllToAll, n, me, Bytes(1000003));
            for (std::int32_t step = 0; step < n - 1; ++step) {
                Bytes expected;
                for (std::int32_t ahead = 1; ahead <= n - 1 - step; ++ahead) {
                    expected += part_of(Bytes(1000003), (me + ahead) % n, n);
                }
                EXPECT_EQ(exchange(ring, step).bytes, expected);
            }
        }
    }
}

// A window of w lets exchange e start when e - w + 1 are complete; the second half of an all-reduce
// needs all of the first.
TEST(Schedules, GatesOfDirect) {
    const PhaseShape full =
        shape_of(Algorithm::Direct, CollectiveKind::AllReduce, 8, 0, Bytes(1 << 20));
    EXPECT_EQ(exchange_gate(full, 6).completed, 0);
    EXPECT_EQ(exchange_gate(full, 7).completed, 7);
    EXPECT_EQ(exchange_gate(full, 13).completed, 7);
    const PhaseShape narrow =
        shape_of(Algorithm::Direct, CollectiveKind::AllGather, 8, 0, Bytes(1 << 20), 2);
    EXPECT_EQ(exchange_gate(narrow, 1).completed, 0);
    EXPECT_EQ(exchange_gate(narrow, 6).completed, 5);
    EXPECT_EQ(exchange_count(narrow), 7);
}

}  // namespace
}  // namespace npunet::engine
