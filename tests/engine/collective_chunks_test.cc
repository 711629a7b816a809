// How a buffer is cut into chunks: pieces of which every member has an equal part are dealt out,
// the last one may be smaller. With p bytes a piece, S bytes have k = ceil(S / p) pieces, and there
// are min(splits, k) chunks.

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/errors.h"
#include "engine/collective/plan.h"
#include "tests/support/collectives.h"
#include "tests/support/workloads.h"

namespace npunet {
namespace {

using chakra::CollectiveType;
using topology::DimensionKind;

struct Cut {
    std::vector<std::int64_t> streams;  ///< bytes of each stream in its first phase
    std::int32_t chunks = 0;
    std::size_t even = 0;  ///< streams whose parts are equal in every phase
};

Cut cut(const test::TestMachine& machine, CollectiveType type, std::int64_t size) {
    const std::size_t ranks = machine.network.npu_of_rank.size();
    const engine::Workload workload = test::workload_of(
        ranks, [&](Rank) { return std::vector{test::collective_node(1, type, size)}; });
    engine::CollectivePlanner planner(machine.network, machine.system, machine.dialect, workload);
    const engine::CollectivePlan plan =
        planner.plan(Rank(0), 0, workload.program(Rank(0)).operations.front());
    Cut result;
    result.chunks = plan.chunks;
    for (std::size_t s = 0; s < plan.streams(); ++s) {
        result.streams.push_back(plan.shape(s, 0).total().value());
        bool even = true;
        for (std::size_t phase = 0; phase < plan.phases_per_stream(); ++phase) {
            even = even && plan.shape(s, phase).even();
        }
        result.even += even ? 1 : 0;
    }
    return result;
}

test::TestMachine torus(const char* implementation, std::int32_t splits) {
    test::TestMachine machine;
    machine.network = topology::make_network(
        {topology::make_dimension(DimensionKind::Ring, 4, Rate(1'000'000'000), Time::ns(1)),
         topology::make_dimension(DimensionKind::Ring, 3, Rate(1'000'000'000), Time::ns(1))});
    machine.system.preferred_dataset_splits = splits;
    machine.use(test::implementation(implementation));
    return machine;
}

// 12 NPUs: pieces of 12 bytes; of 24 where two directions share every chunk; of one byte for an
// all-gather, whose buffer is one member's part.
TEST(CollectiveChunks, ArePiecesWithEqualPartsForAll) {
    for (const std::int64_t size : {1, 11, 12, 23, 24, 100, 119, 120, 121, 8 << 20, 1'000'003}) {
        for (const auto& [name, lanes] : {std::pair{"ring", 1}, {"bidirectionalRing", 2}}) {
            const Cut found = cut(torus(name, 10), CollectiveType::AllReduce, size);
            const std::int64_t piece = 12 * lanes;
            EXPECT_EQ(found.chunks, std::min<std::int64_t>(10, (size + piece - 1) / piece));
            std::int64_t sum = 0;
            for (const std::int64_t bytes : found.streams) {
                sum += bytes;
                EXPECT_LE(bytes * lanes, size / found.chunks + piece);
            }
            EXPECT_EQ(sum, size);
            EXPECT_GE(found.even + (size % piece == 0 ? 0 : static_cast<std::size_t>(lanes)),
                      found.streams.size());
        }
        const Cut gathered = cut(torus("ring", 10), CollectiveType::AllGather, size);
        EXPECT_EQ(gathered.chunks, std::min<std::int64_t>(10, size));
        EXPECT_EQ(gathered.even, gathered.streams.size());
    }
}

// One byte more makes one chunk one byte larger, or is a chunk of its own.
TEST(CollectiveChunks, GrowByteByByte) {
    for (const CollectiveType type : {CollectiveType::AllReduce, CollectiveType::AllToAll}) {
        const test::TestMachine machine = torus("ring", 7);
        std::vector<std::int64_t> before = cut(machine, type, 1).streams;
        for (std::int64_t size = 2; size < 400; ++size) {
            std::vector<std::int64_t> now = cut(machine, type, size).streams;
            std::int64_t larger = 0;
            for (std::size_t chunk = 0; chunk < now.size(); ++chunk) {
                const std::int64_t old = chunk < before.size() ? before[chunk] : 0;
                EXPECT_GE(now[chunk], old);
                larger += now[chunk] - old;
            }
            EXPECT_EQ(larger, 1) << size;
            before = std::move(now);
        }
    }
}

// The reference: S bytes in s splits are chunks of c = floor(S / s) bytes, ceil(S / c) of them; of
// 12 bytes on 12 NPUs where that is less, then s of them, but for all-gathers.
TEST(CollectiveChunks, OfTheReferenceAreEqual) {
    test::TestMachine machine = torus("ring", 4);
    machine.dialect = engine::Dialect::named("astra-sim");
    for (std::int64_t size = 4; size < 400; ++size) {
        SCOPED_TRACE(size);
        const std::int64_t chunk = size / 4;
        std::int64_t chunks = 0;
        for (std::int64_t left = size; left > 0; left -= chunk) {
            ++chunks;
        }
        EXPECT_EQ(cut(machine, CollectiveType::AllGather, size).chunks, chunks);
        const Cut reduced = cut(machine, CollectiveType::AllReduce, size);
        EXPECT_EQ(reduced.chunks, chunk < 12 ? 4 : chunks);
        EXPECT_EQ(reduced.streams.front(), std::max<std::int64_t>(chunk, 12));
    }
}

TEST(CollectiveChunks, OfTheReferenceHaveAByteEach) {
    test::TestMachine machine = torus("ring", 4);
    machine.dialect = engine::Dialect::named("astra-sim");
    EXPECT_THROW((void)cut(machine, CollectiveType::AllGather, 3), InputError);
    EXPECT_EQ(cut(machine, CollectiveType::AllReduce, 3).chunks, 4);
}

}  // namespace
}  // namespace npunet
