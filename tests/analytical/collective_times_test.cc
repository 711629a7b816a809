// Times of collectives over one line of NPUs where no two messages want the same link at the same
// time, to the picosecond. T(b) = ceil(b / rate), L a link's latency, S bytes, n NPUs.

#include <gtest/gtest.h>

#include <algorithm>
#include <bitset>
#include <functional>
#include <numeric>
#include <vector>

#include "tests/support/collectives.h"

namespace npunet::collective_times_test {
namespace {

using chakra::CollectiveType;
using test::collective_time;
using test::TestMachine;
using topology::DimensionKind;

constexpr Rate rate(50'000'000'000);
constexpr Time latency = Time::ns(500);
constexpr std::int64_t parts[] = {1, 4096, 1'000'003};

Time ser(std::int64_t bytes) {
    return transfer_time(Bytes(bytes), rate);
}

TestMachine machine_of(DimensionKind kind, std::int64_t n, const char* algorithm) {
    TestMachine machine = test::line_machine(kind, n, rate, latency);
    machine.use(test::implementation(algorithm));
    return machine;
}

/// Sum over i = 0 .. count - 1.
Time sum(std::int64_t count, const std::function<Time(std::int64_t)>& term) {
    Time total;
    for (std::int64_t i = 0; i < count; ++i) {
        total += term(i);
    }
    return total;
}

std::int64_t log2_up(std::int64_t n) {
    std::int64_t log = 0;
    while ((std::int64_t{1} << log) < n) {
        ++log;
    }
    return log;
}

// Each direction of a ring of three and more carries half of S: every part is S/(2 n) instead of
// S/n, and the term of the bandwidth half as large.
TEST(CollectiveTimes, BidirectionalRing) {
    for (const std::int64_t n : {3, 4, 8, 24}) {
        const TestMachine machine = machine_of(DimensionKind::Ring, n, "bidirectionalRing");
        for (const std::int64_t half : parts) {
            const Time step = latency + ser(half);
            const std::int64_t size = 2 * n * half;
            EXPECT_EQ(collective_time(CollectiveType::AllReduce, size, machine),
                      2 * (n - 1) * step);
            EXPECT_EQ(collective_time(CollectiveType::ReduceScatter, size, machine),
                      (n - 1) * step);
            EXPECT_EQ(collective_time(CollectiveType::AllGather, 2 * half, machine),
                      (n - 1) * step);
            EXPECT_EQ(collective_time(CollectiveType::AllToAll, size, machine),
                      sum(n - 1, [&](std::int64_t i) { return latency + ser((i + 1) * half); }));
        }
    }
}

// n = 2^k, a link for every pair. Halving: messages of S/2, S/4, ..., S/n; doubling the reverse; an
// all-reduce both. Recursive doubling sends S in each round, Bruck's all-to-all S/2.
TEST(CollectiveTimes, HalvingAndDoublingPowersOfTwo) {
    for (std::int64_t k = 1; k <= 6; ++k) {
        const std::int64_t n = std::int64_t{1} << k;
        const TestMachine halving = machine_of(DimensionKind::FullyConnected, n, "halvingDoubling");
        const TestMachine recursive =
            machine_of(DimensionKind::FullyConnected, n, "recursiveDoubling");
        for (const std::int64_t part : parts) {
            const std::int64_t size = n * part;
            const Time once = sum(k, [&](std::int64_t t) { return latency + ser(part << t); });
            EXPECT_EQ(collective_time(CollectiveType::AllReduce, size, halving), 2 * once);
            for (const TestMachine& machine : {halving, recursive}) {
                EXPECT_EQ(collective_time(CollectiveType::ReduceScatter, size, machine), once);
                EXPECT_EQ(collective_time(CollectiveType::AllGather, part, machine), once);
                EXPECT_EQ(collective_time(CollectiveType::AllToAll, size, machine),
                          k * (latency + ser(size / 2)));
            }
            EXPECT_EQ(collective_time(CollectiveType::AllReduce, size, recursive),
                      k * (latency + ser(size)));
        }
    }
}

/// When the last of n = 2^k + r members is done with an all-reduce among 2^k of them, round i over
/// bit bits[i] of their numbers with messages of bytes[i], around which r of them exchange `size`
/// with a partner: each goes on when it and what its peer sent are there.
Time folded(std::int64_t n, std::int64_t size, const std::vector<int>& bits,
            const std::vector<std::int64_t>& bytes) {
    std::int64_t actives = 1;
    while (2 * actives <= n) {
        actives *= 2;
    }
    const std::int64_t pairs = n - actives;
    std::vector<Time> ready(static_cast<std::size_t>(actives));
    std::fill_n(ready.begin(), pairs, latency + ser(size));
    for (std::size_t round = 0; round < bits.size(); ++round) {
        const std::vector<Time> before = ready;
        for (std::size_t active = 0; active < ready.size(); ++active) {
            const Time from_peer = before[active ^ (std::size_t{1} << bits[round])];
            ready[active] = std::max(before[active], from_peer + latency + ser(bytes[round]));
        }
    }
    std::for_each(ready.begin(), ready.begin() + pairs,
                  [size](Time& time) { time += latency + ser(size); });
    return *std::max_element(ready.begin(), ready.end());
}

// Other n = 2^k + r: S goes in from the folded members before and out to them after, around the
// all-reduce of 2^k: at most two messages of S more, less where members without a partner have
// begun early. Bruck: round t moves the blocks whose way has bit t.
TEST(CollectiveTimes, FoldedInAndOut) {
    for (const std::int64_t n : {3, 5, 6, 7, 12, 24, 33}) {
        const auto k = static_cast<int>(log2_up(n)) - 1;
        const TestMachine halving = machine_of(DimensionKind::FullyConnected, n, "halvingDoubling");
        const TestMachine recursive =
            machine_of(DimensionKind::FullyConnected, n, "recursiveDoubling");
        for (const std::int64_t share : parts) {
            const std::int64_t size = share << k;
            std::vector<int> bits(static_cast<std::size_t>(k));
            std::iota(bits.begin(), bits.end(), 0);
            const Time doubled = collective_time(CollectiveType::AllReduce, size, recursive);
            EXPECT_EQ(doubled, folded(n, size, bits, std::vector<std::int64_t>(bits.size(), size)));
            EXPECT_LE(doubled, (k + 2) * (latency + ser(size)));
            std::vector<std::int64_t> bytes;
            for (int bit = 0; bit < k; ++bit) {
                bytes.push_back(size >> (bit + 1));
            }
            for (int bit = k; bit-- > 0;) {
                bits.push_back(bit);
                bytes.push_back(size >> (bit + 1));
            }
            EXPECT_EQ(collective_time(CollectiveType::AllReduce, size, halving),
                      folded(n, size, bits, bytes));
            const Time bruck = sum(k + 1, [&](std::int64_t t) {
                std::int64_t blocks = 0;
                for (std::int64_t way = 1; way < n; ++way) {
                    blocks += (way >> t) & 1;
                }
                return latency + ser(blocks * share);
            });
            EXPECT_EQ(collective_time(CollectiveType::AllToAll, n * share, halving), bruck);
        }
    }
}

// Two trees of height h = ceil(log2 n), each with half of the data, up and down: 2 h (L + T(S/2)).
// In c chunks all at once, t = T(S/(2 c)), each edge of a tree carries c messages each way, one
// after the other: 2 h (L + t) + (c - 1) t. Two neighbours at the bottom of one tree are so in the
// other one too, with their parts exchanged: that link carries 2 c messages the same way, up in one
// tree and down in the other, and 2 c t + L is the bound. The larger one holds; over three members
// a link is on the way up in both trees.
TEST(CollectiveTimes, DoubleBinaryTree) {
    for (std::int64_t n = 2; n <= 33; ++n) {
        TestMachine machine = machine_of(DimensionKind::FullyConnected, n, "doubleBinaryTree");
        const std::int64_t h = log2_up(n);
        constexpr std::int64_t size = 2 * 64 * 10'000;
        EXPECT_EQ(collective_time(CollectiveType::AllReduce, size, machine),
                  2 * h * (latency + ser(size / 2)))
            << n;
        for (const std::int32_t chunks : {4, 64}) {
            machine.system.preferred_dataset_splits = chunks;
            machine.system.active_chunks_per_dimension = chunks;
            const Time t = ser(size / 2 / chunks);
            const Time pipeline = 2 * h * (latency + t) + (chunks - 1) * t;
            const Time found = collective_time(CollectiveType::AllReduce, size, machine);
            const Time expected = std::max(pipeline, 2 * chunks * t + latency);
            if (n == 3) {
                EXPECT_GT(found, expected);
                EXPECT_LE(found, 2 * pipeline);
            } else {
                EXPECT_EQ(found, expected) << n;
            }
        }
    }
}

// N peers at a time, a link for every pair: ceil((n - 1)/N) rounds.
TEST(CollectiveTimes, DirectWithAWindow) {
    for (const char* window :
         {"direct1", "direct2", "direct3", "direct4", "direct5", "direct8", "direct"}) {
        const TestMachine machine = machine_of(DimensionKind::FullyConnected, 9, window);
        const std::int64_t at_once = window[6] == 0 ? 8 : window[6] - '0';
        for (const std::int64_t part : parts) {
            const Time rounds = (8 + at_once - 1) / at_once * (latency + ser(part));
            EXPECT_EQ(collective_time(CollectiveType::AllToAll, 9 * part, machine), rounds);
            EXPECT_EQ(collective_time(CollectiveType::ReduceScatter, 9 * part, machine), rounds);
            EXPECT_EQ(collective_time(CollectiveType::AllGather, part, machine), rounds);
            EXPECT_EQ(collective_time(CollectiveType::AllReduce, 9 * part, machine), 2 * rounds);
        }
    }
}

// A link for every pair: a member's children get their data side by side, so place v has it after
// as many messages as v has ones. Gather and scatter, n = 2^k: the longest way passes on 1, 2, 4,
// ... parts. Any root.
TEST(CollectiveTimes, BinomialTreeWithALinkForEveryPair) {
    for (std::int64_t n = 2; n <= 33; ++n) {
        const TestMachine machine = machine_of(DimensionKind::FullyConnected, n, "binomialTree");
        std::int64_t deepest = 0;
        for (std::int64_t place = 0; place < n; ++place) {
            deepest =
                std::max(deepest, static_cast<std::int64_t>(
                                      std::bitset<32>(static_cast<std::uint32_t>(place)).count()));
        }
        for (const std::int64_t root : {std::int64_t{0}, n / 2, n - 1}) {
            const Time whole = deepest * (latency + ser(4096));
            EXPECT_EQ(collective_time(CollectiveType::Broadcast, 4096, machine, root), whole);
            EXPECT_EQ(collective_time(CollectiveType::Reduce, 4096, machine, root), whole);
            if ((n & (n - 1)) == 0) {
                const Time grown = sum(log2_up(n), [](std::int64_t t) {
                    return latency + ser(std::int64_t{1000} << t);
                });
                EXPECT_EQ(collective_time(CollectiveType::Gather, 1000, machine, root), grown);
                EXPECT_EQ(collective_time(CollectiveType::Scatter, n * 1000, machine, root), grown);
            }
        }
    }
}

// Through one port, on a switch with two hops of L: the j-th child (largest subtree first, from 1)
// has its data j T(S) + 2 L after its parent; for n = 2^k the last one has it at k (T(S) + 2 L). A
// reduction runs the other way.
TEST(CollectiveTimes, BinomialTreeThroughOnePort) {
    constexpr std::int64_t size = 1'000'003;
    const Time message = ser(size);
    for (std::int64_t n = 2; n <= 33; ++n) {
        const TestMachine machine = machine_of(DimensionKind::Switch, n, "binomialTree");
        Time last;
        const std::function<void(std::int64_t, Time)> descend = [&](std::int64_t place, Time at) {
            last = std::max(last, at);
            std::int64_t hop = 1;
            while ((place & hop) == 0 && place + hop < n) {
                hop *= 2;
            }
            std::int64_t order = 1;
            for (hop /= 2; hop >= 1; hop /= 2) {
                descend(place + hop, at + order++ * message + 2 * latency);
            }
        };
        descend(0, Time());
        EXPECT_EQ(collective_time(CollectiveType::Broadcast, size, machine, n / 2), last);
        if ((n & (n - 1)) == 0) {
            const Time published = log2_up(n) * (message + 2 * latency);
            EXPECT_EQ(last, published);
            EXPECT_EQ(collective_time(CollectiveType::Reduce, size, machine, n / 2), published);
        }
    }
}

// A chain round the ring: (n - 1) (L + T(S)); c chunks of t = T(S/c) fill it as a pipeline:
// (n - 1) (L + t) + (c - 1) t.
TEST(CollectiveTimes, Chains) {
    for (const std::int64_t n : {2, 3, 8, 24}) {
        TestMachine machine = machine_of(DimensionKind::Ring, n, "ring");
        for (const std::int32_t chunks : {1, 16}) {
            machine.system.preferred_dataset_splits = chunks;
            machine.system.active_chunks_per_dimension = chunks;
            const Time chunk = ser(4096);
            const Time expected = (n - 1) * (latency + chunk) + (chunks - 1) * chunk;
            for (const std::int64_t root : {std::int64_t{0}, n - 1}) {
                for (const CollectiveType type :
                     {CollectiveType::Broadcast, CollectiveType::Reduce}) {
                    EXPECT_EQ(collective_time(type, chunks * 4096, machine, root), expected);
                }
            }
        }
    }
}

// The root's one port takes n - 1 messages one after the other; with a link for every pair they go
// side by side.
TEST(CollectiveTimes, DirectFromAndToTheRoot) {
    for (const std::int64_t n : {2, 3, 8, 24}) {
        const TestMachine star = machine_of(DimensionKind::Switch, n, "direct");
        const TestMachine full = machine_of(DimensionKind::FullyConnected, n, "direct");
        for (const std::int64_t part : parts) {
            for (const auto& [type, size] : {std::pair{CollectiveType::Gather, part},
                                             {CollectiveType::Scatter, n * part},
                                             {CollectiveType::Broadcast, part},
                                             {CollectiveType::Reduce, part}}) {
                EXPECT_EQ(collective_time(type, size, star, n - 1),
                          (n - 1) * ser(part) + 2 * latency);
                EXPECT_EQ(collective_time(type, size, full, n - 1), ser(part) + latency);
            }
        }
    }
}

// ceil(log2 n) latencies of the way: one link where there is one for every pair, two to and from a
// switch; on a ring round t goes min(2^t, n - 2^t) links.
TEST(CollectiveTimes, Barrier) {
    for (std::int64_t n = 2; n <= 33; ++n) {
        const auto time = [n](DimensionKind kind) {
            return collective_time(CollectiveType::Barrier, 0, machine_of(kind, n, "ring"));
        };
        EXPECT_EQ(time(DimensionKind::FullyConnected), log2_up(n) * latency);
        EXPECT_EQ(time(DimensionKind::Switch), 2 * log2_up(n) * latency);
        EXPECT_EQ(time(DimensionKind::Ring), sum(log2_up(n), [n](std::int64_t t) {
                      const std::int64_t hop = std::int64_t{1} << t;
                      return std::min(hop, n - hop) * latency;
                  }));
    }
}

// The endpoint delay E is paid before the first send of whoever begins by sending, and for each
// message received; a reduction of b bytes costs R(b) = 3 b / memory bandwidth, side by side for
// messages that come at once.
TEST(CollectiveTimes, EndpointDelaysAndReductions) {
    constexpr std::int64_t n = 8;
    constexpr std::int64_t k = 3;
    constexpr std::int64_t part = 100'000;
    constexpr std::int64_t size = n * part;
    const auto machine = [](DimensionKind kind, const char* algorithm) {
        TestMachine made = machine_of(kind, n, algorithm);
        made.system.compute.memory_bandwidth = 1600;
        made.system.endpoint_delay = Time::ns(10);
        return made;
    };
    constexpr DimensionKind full = DimensionKind::FullyConnected;
    const Time delay = Time::ns(10);
    const auto reduction = [](std::int64_t bytes) {
        return time_for(3 * bytes, 1'600'000'000'000);
    };
    const auto hop = [&](std::int64_t bytes) { return latency + ser(bytes) + delay; };
    EXPECT_EQ(
        collective_time(CollectiveType::AllReduce, size, machine(full, "halvingDoubling")),
        delay + sum(k, [&](std::int64_t t) { return 2 * hop(part << t) + reduction(part << t); }));
    EXPECT_EQ(collective_time(CollectiveType::AllReduce, size, machine(full, "recursiveDoubling")),
              delay + k * (hop(size) + reduction(size)));
    EXPECT_EQ(collective_time(CollectiveType::AllReduce, size, machine(full, "doubleBinaryTree")),
              delay + k * (2 * hop(size / 2) + reduction(size / 2)));
    EXPECT_EQ(collective_time(CollectiveType::AllReduce, size, machine(full, "direct")),
              delay + 2 * hop(part) + reduction(part));
    EXPECT_EQ(collective_time(CollectiveType::Broadcast, size, machine(full, "binomialTree")),
              delay + k * hop(size));
    EXPECT_EQ(collective_time(CollectiveType::Reduce, size, machine(full, "binomialTree")),
              delay + k * (hop(size) + reduction(size)));
    EXPECT_EQ(collective_time(CollectiveType::Reduce, size, machine(DimensionKind::Ring, "ring")),
              delay + (n - 1) * (hop(size) + reduction(size)));
    EXPECT_EQ(collective_time(CollectiveType::Barrier, 0, machine(full, "ring")),
              delay + k * (latency + delay));
}

}  // namespace
}  // namespace npunet::collective_times_test
