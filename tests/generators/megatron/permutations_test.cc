// The original's rule on calls made by hand, and Python's order of sets.
#include "generators/megatron/traffic/permutations.h"

#include <gtest/gtest.h>

#include <numeric>
#include <string>

#include "base/errors.h"
#include "generators/megatron/traffic/python_set_order.h"

namespace npunet::generators::megatron::permutations_test {

namespace {

TrainingRun run_of(std::int64_t dp, std::int64_t tp, std::int64_t pp) {
    TrainingRun run;
    run.model.seq = 8;
    run.model.hidden = 16;
    run.parallelism.dp = dp;
    run.parallelism.tp = tp;
    run.parallelism.pp = pp;
    run.micro_batches = 2;
    run.global_batch_size = 6 * dp;  // micro-batches of 3
    return run;
}

/// Rank 0's calls, made by hand, and what the rule makes of them.
class Rule {
public:
    explicit Rule(const TrainingRun& run) : rule_(run, groups_) {}

    Rule& all_reduce(const std::vector<int>& ranks, const Shape& shape,
                     DataType dtype = DataType::Float32) {
        return call(Operation::AllReduce, ranks, shape, dtype);
    }
    Rule& call(Operation operation, const std::vector<int>& ranks, const Shape& shape,
               DataType dtype = DataType::Float32) {
        Call made;
        made.operation = operation;
        made.dtype = dtype;
        made.has_shape = true;
        made.shape = shape;
        made.group = groups_.add(as_ranks(ranks));
        rule_.visit(made);
        return *this;
    }
    Rule& send(int to) {
        Call made;
        made.operation = Operation::BatchSend;
        made.has_shape = true;
        made.shape = {8, 3, 16};
        made.peer = Rank(to);
        rule_.visit(made);
        return *this;
    }
    /// "8: ((0, 1), (1, 0))", one for each emission.
    std::vector<std::string> emissions() {
        const PermutationList list = rule_.finish();
        std::vector<std::string> texts;
        for (const PermutationList::Emission& one : list.weighted()) {
            texts.push_back(std::to_string(one.bytes) + ": " +
                            python_text(list.distinct()[one.permutation]));
        }
        return texts;
    }

private:
    static std::vector<Rank> as_ranks(const std::vector<int>& numbers) {
        std::vector<Rank> ranks;
        for (const int number : numbers) {
            ranks.emplace_back(number);
        }
        return ranks;
    }

    GroupTable groups_;
    OriginalPermutations rule_;
};

using Emissions = std::vector<std::string>;

/// 4 x s x b x h of run_of.
const std::string activation = "1536";

// Set-up, one activation of the first stage, its embedding [b, s, h], then the first message.
TEST(OriginalRule, FirstStage) {
    Rule rule(run_of(1, 2, 2));
    rule.all_reduce({0, 1, 2, 3}, {1}, DataType::Float64)
        .all_reduce({0, 2}, {10, 16})
        .call(Operation::Broadcast, {0, 1, 2, 3}, {3}, DataType::Int64)
        .call(Operation::Broadcast, {0, 1}, {3, 8}, DataType::Int64)
        .all_reduce({0, 1}, {3, 8, 16})
        .all_reduce({0, 1}, {8, 3, 16})
        .send(2)
        .all_reduce({0, 1}, {8, 3, 16});
    const std::string stages = ": ((0, 1), (1, 0), (2, 3), (3, 2))";
    const std::string first = ": ((0, 1), (1, 0))";
    const std::string last = ": ((2, 3), (3, 2))";
    EXPECT_EQ(rule.emissions(),
              (Emissions{"8: ((0, 1), (1, 2), (2, 3), (3, 0))", "640: ((0, 2), (1, 3))",
                         "24: ((0, 1), (1, 2), (2, 3), (3, 0))", "192" + stages,
                         activation + stages, activation + first, activation + last,
                         activation + ": ((0, 2), (1, 3))", activation + ": ((2, 0), (3, 1))"}));
}

// The world in an order of its own: pairs follow that order, each still to the next higher rank.
TEST(OriginalRule, WorldInAnotherOrder) {
    Rule rule(run_of(1, 1, 4));
    rule.all_reduce({0, 2, 1, 3}, {1}, DataType::Float64).all_reduce({3, 0}, {2, 2}).send(1);
    EXPECT_EQ(rule.emissions(), (Emissions{"8: ((0, 1), (2, 3), (1, 2), (3, 0))", "16: ((0, 3),)",
                                           activation + ": ((0, 1), (1, 2), (2, 3))",
                                           activation + ": ((1, 0), (2, 1), (3, 2))"}));
}

// With pp 2 and nothing else the embedding group is the world: told apart by place.
TEST(OriginalRule, EmbeddingGroupIsTheWorld) {
    Rule rule(run_of(1, 1, 2));
    rule.all_reduce({0, 1}, {1}, DataType::Float64)
        .all_reduce({0, 1}, {2, 2})
        .call(Operation::Broadcast, {0, 1}, {3}, DataType::Int64)
        .call(Operation::Broadcast, {0}, {3, 8}, DataType::Int64)
        .send(1);
    EXPECT_EQ(rule.emissions(),
              (Emissions{"8: ((0, 1), (1, 0))", "16: ((0, 1),)", "24: ((0, 1), (1, 0))",
                         activation + ": ((0, 1),)", activation + ": ((1, 0),)"}));
}

// Without messages the log's end ends it; scalars, barriers and calls without `shape` do not count.
TEST(OriginalRule, OneStageStopsAtTheEnd) {
    Rule rule(run_of(2, 2, 1));
    rule.call(Operation::Barrier, {0, 1, 2, 3}, {})
        .all_reduce({0, 1, 2, 3}, {1}, DataType::Float64)
        .call(Operation::Broadcast, {0, 1, 2, 3}, {3}, DataType::Int64)
        .all_reduce({0, 1}, {8, 3, 16})
        .all_reduce({0, 2}, {100})
        .all_reduce({0, 1}, {});
    const std::string rings = ": ((0, 1), (1, 0), (2, 3), (3, 2))";
    const std::string world = ": ((0, 1), (1, 2), (2, 3), (3, 0))";
    EXPECT_EQ(rule.emissions(),
              (Emissions{"8" + world, "24" + world, activation + rings, activation + rings,
                         "400" + rings, activation + ": ((0, 2), (2, 0), (1, 3), (3, 1))"}));
}

// Copies of one rank: a ring of tensor parallelism is a rank to itself, to the letter of the rule.
TEST(OriginalRule, RingsOfOneRank) {
    Rule rule(run_of(2, 1, 1));
    rule.all_reduce({0, 1}, {1}, DataType::Float64)
        .call(Operation::Broadcast, {0, 1}, {3}, DataType::Int64)
        .all_reduce({0, 1}, {100});
    EXPECT_EQ(rule.emissions(),
              (Emissions{"8: ((0, 1), (1, 0))", "24: ((0, 1), (1, 0))", "400: ((0, 0), (1, 1))",
                         activation + ": ((0, 1), (1, 0))"}));
}

// b = s: the embedding's [b, s, h] looks like an activation.
TEST(OriginalRule, EqualBatchAndSequence) {
    TrainingRun run = run_of(1, 2, 2);
    run.model.seq = 3;
    Rule rule(run);
    rule.all_reduce({0, 1}, {3, 3, 16}).send(2);
    EXPECT_EQ(rule.emissions().size(), 4U);
}

// Data parallel rings: of each stage and each place in the tensor-parallel group.
TEST(OriginalRule, DataRings) {
    Rule rule(run_of(2, 2, 2));
    EXPECT_EQ(rule.emissions().back(),
              activation + ": ((0, 2), (2, 0), (1, 3), (3, 1), (4, 6), (6, 4), (5, 7), (7, 5))");
}

TEST(OriginalRule, MessagesBeyondAllMemoryAreRefused) {
    TrainingRun run = run_of(1, 1, 2);
    run.model.seq = std::int64_t{1} << 40;
    run.model.hidden = std::int64_t{1} << 40;
    const GroupTable groups;
    EXPECT_THROW(OriginalPermutations(run, groups), InputError);
}

Permutation pairs(const std::vector<std::pair<int, int>>& numbers) {
    Permutation permutation;
    for (const auto& [from, to] : numbers) {
        permutation.emplace_back(Rank(from), Rank(to));
    }
    return permutation;
}

TEST(PythonText, IsTheTuple) {
    EXPECT_EQ(python_text({}), "()");
    EXPECT_EQ(python_text(pairs({{0, 3}})), "((0, 3),)");
    EXPECT_EQ(python_text(pairs({{0, 1}, {1, 10}})), "((0, 1), (1, 10))");
}

// hash(...) % 2**64 of CPython 3.11.
TEST(PythonHash, IsPythons) {
    EXPECT_EQ(python_hash({}), 5740354900026072187U);
    EXPECT_EQ(python_hash(pairs({{0, 1}})), 272664117765156425U);
    EXPECT_EQ(python_hash(pairs({{0, 3}})), 5838947267908685067U);
    EXPECT_EQ(python_hash(pairs({{0, 1}, {1, 2}})), 11789852057567164779U);
    EXPECT_EQ(python_hash(pairs({{0, 1}, {1, 0}})), 6956964331866703688U);
    EXPECT_EQ(python_hash(pairs({{1023, 0}, {5, 77777}})), 12529516296782698371U);
}

/// The rings of `ranks` ranks with steps 1 to `count`.
std::vector<Permutation> shifts(int ranks, int count) {
    std::vector<Permutation> all;
    for (int shift = 1; shift <= count; ++shift) {
        Permutation permutation;
        for (int rank = 0; rank < ranks; ++rank) {
            permutation.emplace_back(Rank(rank), Rank((rank + shift) % ranks));
        }
        all.push_back(permutation);
    }
    return all;
}

using Order = std::vector<std::size_t>;

// list(set) of CPython 3.11 before and after the set grows: with the fifth item to 32 slots, with
// the twentieth to 128.
TEST(PythonSetOrder, IsPythons) {
    EXPECT_EQ(python_set_order({}), Order{});
    EXPECT_EQ(python_set_order(shifts(50, 3)), (Order{2, 0, 1}));
    EXPECT_EQ(python_set_order(shifts(50, 4)), (Order{2, 0, 1, 3}));
    EXPECT_EQ(python_set_order(shifts(50, 5)), (Order{0, 4, 2, 3, 1}));
    EXPECT_EQ(python_set_order(shifts(50, 6)), (Order{5, 0, 4, 2, 3, 1}));
    EXPECT_EQ(python_set_order(shifts(50, 20)),
              (Order{0, 4, 8, 3, 11, 9, 18, 5, 2, 7, 16, 6, 19, 1, 13, 12, 10, 14, 15, 17}));
    EXPECT_EQ(
        python_set_order(shifts(64, 40)),
        (Order{30, 28, 9, 34, 39, 15, 13, 5,  17, 7,  10, 29, 11, 16, 0,  2,  4, 24, 18, 35,
               3,  12, 1, 37, 8,  22, 23, 32, 14, 21, 31, 36, 19, 26, 38, 33, 6, 27, 25, 20}));
}

/// One number for a long order.
std::uint64_t digest(const Order& order) {
    return std::accumulate(
        order.begin(), order.end(), std::uint64_t{0},
        [](std::uint64_t sum, std::size_t item) { return sum * 1000003U + item; });
}

// 3000 tuples; 70 000 numbers, which are hashes of themselves: more than 50 000 grow slower.
TEST(PythonSetOrder, OfLargeSets) {
    std::vector<Permutation> tuples;
    for (int a = 0; a < 300; ++a) {
        for (int b = 0; b < 10; ++b) {
            tuples.push_back(pairs({{a, b}}));
        }
    }
    const Order order = python_set_order(tuples);
    EXPECT_EQ(Order(order.begin(), order.begin() + 4), (Order{2120, 1898, 933, 600}));
    EXPECT_EQ(digest(order), 7081098649742102730U);

    std::vector<std::uint64_t> numbers;
    std::uint64_t state = 1;
    for (int i = 0; i < 70000; ++i) {
        state = state * 6364136223846793005U + 1442695040888963407U;
        numbers.push_back(state % (std::uint64_t{1} << 60U));
    }
    EXPECT_EQ(digest(python_set_order_of_hashes(numbers)), 2060919280912700282U);
}

}  // namespace
}  // namespace npunet::generators::megatron::permutations_test
