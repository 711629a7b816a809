// Times of collectives over several dimensions, to the picosecond. T(b) = ceil(b / rate), L a
// link's latency, S bytes.

#include <gtest/gtest.h>

#include <array>

#include "tests/support/collectives.h"

namespace npunet::collective_dimensions_test {
namespace {

using chakra::CollectiveType;
using engine::CollectiveKind;
using test::collective_run;
using test::collective_time;
using test::TestMachine;
using topology::DimensionKind;

constexpr Rate rate(50'000'000'000);
constexpr Time latency = Time::ns(500);

Time step(std::int64_t bytes) {
    return latency + transfer_time(Bytes(bytes), rate);
}

TestMachine machine_of(const std::vector<std::pair<DimensionKind, std::int32_t>>& dimensions) {
    std::vector<topology::Dimension> list;
    for (const auto& [kind, size] : dimensions) {
        list.push_back(topology::make_dimension(kind, size, rate, latency));
    }
    TestMachine machine;
    machine.network = topology::make_network(list);
    return machine;
}

// multiRing on a w x w torus: four lanes of S/4, two of them starting along each dimension, one
// each way, so that every link is always busy with one of them:
//     all-reduce       2 (w-1) ((L + T(S/(4 w))) + (L + T(S/(4 w^2))))
//     reduce-scatter, all-gather of a result S: half of that
// The bandwidth term is 2 (n-1)/n S / 4: Patarasuk and Yuan's bound for four ports.
TEST(CollectiveDimensions, MultiRingOnATorus2D) {
    for (const std::int32_t w : {3, 4, 7}) {
        TestMachine machine = machine_of({{DimensionKind::Ring, w}, {DimensionKind::Ring, w}});
        machine.use(test::implementation("multiRing"));
        for (const std::int64_t part : {1, 4096, 100'003}) {
            const std::int64_t size = 4 * w * w * part;
            const Time once = (w - 1) * (step(w * part) + step(part));
            EXPECT_EQ(collective_time(CollectiveType::AllReduce, size, machine), 2 * once);
            EXPECT_EQ(collective_time(CollectiveType::ReduceScatter, size, machine), once);
            EXPECT_EQ(collective_time(CollectiveType::AllGather, 4 * part, machine), once);
        }
    }
}

// Three dimensions: six lanes of S/6, through S/(6 w), S/(6 w^2) and S/(6 w^3).
TEST(CollectiveDimensions, MultiRingOnATorus3D) {
    for (const std::int32_t w : {3, 4}) {
        TestMachine machine = machine_of(
            {{DimensionKind::Ring, w}, {DimensionKind::Ring, w}, {DimensionKind::Ring, w}});
        machine.use(test::implementation("multiRing"));
        constexpr std::int64_t part = 4096;
        const Time once = (w - 1) * (step(w * w * part) + step(w * part) + step(part));
        EXPECT_EQ(collective_time(CollectiveType::AllReduce, 6 * w * w * w * part, machine),
                  2 * once);
        EXPECT_EQ(collective_time(CollectiveType::ReduceScatter, 6 * w * w * w * part, machine),
                  once);
    }
}

// A mesh with an even number of NPUs has a closed way through all of them over single links:
// 2 (n-1) (L + T(S/(2 n))) both ways at once, and each link of the way carries 2 (n-1)/n S/2.
TEST(CollectiveDimensions, MultiRingOnAMeshIsAHamiltonianRing) {
    for (const auto& [w, h] : {std::pair{2, 2}, {2, 3}, {3, 2}, {4, 4}, {5, 4}, {4, 5}, {7, 2}}) {
        TestMachine machine = machine_of({{DimensionKind::Mesh1D, w}, {DimensionKind::Mesh1D, h}});
        machine.use(test::implementation("multiRing"));
        const std::int64_t n = w * h;
        constexpr std::int64_t part = 10'000;
        const engine::Results results =
            collective_run(CollectiveType::AllReduce, 2 * n * part, machine);
        EXPECT_EQ(results.finish, 2 * (n - 1) * step(part));
        std::int64_t used = 0;
        for (const engine::LinkResult& link : results.links) {
            if (link.payload > Bytes()) {
                EXPECT_EQ(link.payload, Bytes(2 * (n - 1) * part));
                ++used;
            }
        }
        EXPECT_EQ(used, 2 * n);
    }
}

// Each dimension its own algorithm: a reduce-scatter by ring over w, an all-reduce of S/w by
// halving-doubling over f = 2^k fully connected, the all-gather back. With a double binary tree
// there, both trees' halves share the ring: while a message of T < L is on its way the other tree's
// leaves, and the second tree stays T(S/(2 w)) behind the first.
TEST(CollectiveDimensions, EachDimensionItsAlgorithm) {
    constexpr std::int64_t w = 4;
    constexpr std::int64_t part = 1000;
    for (std::int32_t k = 1; k <= 4; ++k) {
        const std::int32_t f = 1 << k;
        TestMachine machine =
            machine_of({{DimensionKind::Ring, w}, {DimensionKind::FullyConnected, f}});
        machine.system.implementations(CollectiveKind::AllReduce) = {
            test::implementation("ring"), test::implementation("halvingDoubling")};
        Time expected = 2 * (w - 1) * step(f * part);
        for (std::int32_t t = 0; t < k; ++t) {
            expected += 2 * step(part << t);
        }
        const engine::Results results =
            collective_run(CollectiveType::AllReduce, w * f * part, machine);
        EXPECT_EQ(results.finish, expected);
        EXPECT_EQ(results.collectives.front().algorithm, "ring+halvingDoubling");
        machine.system.implementations(CollectiveKind::AllReduce)[1] =
            test::implementation("doubleBinaryTree");
        EXPECT_EQ(collective_time(CollectiveType::AllReduce, 2 * w * f * part, machine),
                  step(f * part) - latency + (2 * (w - 1) + 2 * k) * step(f * part));
    }
}

// "baseline": an all-reduce of all of S in every dimension, trees included.
TEST(CollectiveDimensions, Baseline) {
    TestMachine machine =
        machine_of({{DimensionKind::FullyConnected, 4}, {DimensionKind::FullyConnected, 8}});
    machine.system.optimization = engine::CollectiveOptimization::Baseline;
    machine.use(engine::Algorithm::DoubleBinaryTree);
    EXPECT_EQ(collective_time(CollectiveType::AllReduce, 20'000, machine),
              (2 * 2 + 2 * 3) * step(10'000));
}

// Dimension by dimension an all-to-all moves all of S in each: with direct and a link for every
// pair, L + T(S/w) and L + T(S/h).
TEST(CollectiveDimensions, AllToAll) {
    TestMachine machine =
        machine_of({{DimensionKind::FullyConnected, 4}, {DimensionKind::FullyConnected, 8}});
    machine.use(engine::Algorithm::Direct);
    EXPECT_EQ(collective_time(CollectiveType::AllToAll, 32'000, machine), step(8000) + step(4000));
}

}  // namespace
}  // namespace npunet::collective_dimensions_test
