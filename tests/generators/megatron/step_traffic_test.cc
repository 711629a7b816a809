// Phases, permutations and traffic of all ranks, on calls made by hand.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "base/errors.h"
#include "generators/megatron/traffic/step_calls.h"
#include "generators/megatron/traffic/step_permutations.h"
#include "generators/megatron/traffic/traffic.h"

namespace npunet::generators::megatron::step_traffic_test {

namespace {

Parallelism degrees(std::int64_t dp, std::int64_t tp, std::int64_t pp, std::int64_t cp = 1) {
    Parallelism p;
    p.dp = dp;
    p.tp = tp;
    p.pp = pp;
    p.cp = cp;
    return p;
}

/// The log of one rank, made by hand.
class Log {
public:
    Log(const ProcessGroups& groups, GroupTable& table, int rank)
        : groups_(groups), table_(table), rank_(rank), finder_(rank_, groups, table, "a log") {}

    Log& collective(Operation operation, GroupRole role, const Shape& shape, int root = -1) {
        LoggedCall event;
        event.call.operation = operation;
        event.call.group = table_.add(groups_.of(role, rank_));
        event.call.dtype = DataType::Int8;
        event.call.peer = Rank(root);
        const bool one_shape =
            operation == Operation::AllReduce || operation == Operation::Broadcast;
        event.call.has_shape = one_shape;
        (one_shape ? event.call.shape : event.call.input) = shape;
        event.call.output = shape;
        return add(event);
    }
    Log& all_reduce(GroupRole role, const Shape& shape) {
        return collective(Operation::AllReduce, role, shape);
    }
    Log& barrier() { return collective(Operation::Barrier, GroupRole::World, {}); }
    Log& message(Operation operation, int peer, std::int64_t bytes) {
        LoggedCall event;
        event.call.operation = operation;
        event.call.dtype = DataType::Int8;
        event.call.has_shape = true;
        event.call.shape = {bytes};
        event.call.peer = Rank(peer);
        return add(event);
    }
    Log& add(const LoggedCall& event) {
        finder_.add(event);
        return *this;
    }
    std::vector<StepCall> take() { return finder_.take(); }

private:
    const ProcessGroups& groups_;
    GroupTable& table_;
    Rank rank_;
    StepCallFinder finder_;
};

/// "forward all_reduce 8" of each call.
std::vector<std::string> texts(const std::vector<StepCall>& calls) {
    std::vector<std::string> list;
    for (const StepCall& call : calls) {
        list.push_back(std::string(name_of(call.phase)) + " " +
                       std::string(name_of(call.operation)) + " " + std::to_string(call.bytes));
    }
    return list;
}

using Texts = std::vector<std::string>;

// The middle stage of three, two micro-batches: a message's direction is its phase, and what is
// received decides the phase of what follows.
TEST(Phases, MiddleStage) {
    const ProcessGroups groups(degrees(2, 2, 3));
    GroupTable table;
    Log log(groups, table, 5);  // its neighbours are ranks 1 and 9
    log.barrier().all_reduce(GroupRole::World, {1}).barrier();
    log.message(Operation::BatchReceive, 1, 8).all_reduce(GroupRole::Tensor, {4, 1, 4});
    log.message(Operation::BatchSend, 9, 8).message(Operation::BatchReceive, 9, 8);
    log.all_reduce(GroupRole::Tensor, {5, 1, 4});
    log.message(Operation::BatchSend, 1, 8).message(Operation::BatchReceive, 1, 8);
    log.all_reduce(GroupRole::Tensor, {6, 1, 4}).message(Operation::BatchSend, 9, 8);
    log.message(Operation::BatchReceive, 9, 8).all_reduce(GroupRole::Tensor, {7, 1, 4});
    log.message(Operation::BatchSend, 1, 8);
    log.all_reduce(GroupRole::Data, {100}).all_reduce(GroupRole::Model, {}).barrier();
    EXPECT_EQ(texts(log.take()),
              (Texts{"set-up all_reduce 1", "forward all_reduce 16", "forward batch_isend 8",
                     "backward all_reduce 20", "backward batch_isend 8", "forward all_reduce 24",
                     "forward batch_isend 8", "backward all_reduce 28", "backward batch_isend 8",
                     "update all_reduce 100", "update all_reduce 1"}));
}

// One stage: set-up ends before the last barrier that calls follow; a broadcast begins a forward
// pass, the reported loss ends it.
TEST(Phases, OneStage) {
    const ProcessGroups groups(degrees(2, 2, 1));
    GroupTable table;
    Log log(groups, table, 0);
    log.collective(Operation::Broadcast, GroupRole::World, {3}, 0).barrier();
    for (int micro_batch = 0; micro_batch < 2; ++micro_batch) {
        log.collective(Operation::Broadcast, GroupRole::Tensor, {3, 8}, 0);
        log.all_reduce(GroupRole::Tensor, {4, 1, 4}).all_reduce(GroupRole::Data, {2});
        log.all_reduce(GroupRole::Tensor, {5, 1, 4});
    }
    log.all_reduce(GroupRole::Data, {100}).all_reduce(GroupRole::Model, {}).barrier();
    EXPECT_EQ(texts(log.take()),
              (Texts{"set-up broadcast 3", "forward broadcast 24", "forward all_reduce 16",
                     "forward all_reduce 2", "backward all_reduce 20", "forward broadcast 24",
                     "forward all_reduce 16", "forward all_reduce 2", "backward all_reduce 20",
                     "update all_reduce 100", "update all_reduce 1"}));
}

// What the log says goes before what its position says.
TEST(Phases, OfTheLog) {
    const ProcessGroups groups(degrees(2, 1, 1));
    GroupTable table;
    Log log(groups, table, 0);
    LoggedCall event;
    event.call.operation = Operation::AllReduce;
    event.call.group = table.add(groups.of(GroupRole::Data, Rank(0)));
    event.call.has_shape = true;
    event.call.shape = {4};
    event.phase = Phase::Backward;
    EXPECT_EQ(texts(log.add(event).take()), Texts{"backward all_reduce 16"});
}

TEST(Phases, RanksBeyondTheRunAreRefused) {
    const ProcessGroups groups(degrees(1, 1, 2));
    GroupTable table;
    Log log(groups, table, 0);
    EXPECT_THROW(log.message(Operation::BatchSend, 2, 8), InputError);
    LoggedCall event;
    event.call.group = table.add({Rank(0), Rank(7)});
    EXPECT_THROW(log.add(event), InputError);
}

/// "update all_reduce dp calls 1 bytes 100 ((0, 1), (1, 0))"
std::string text(const StepPermutation& one) {
    return std::string(name_of(one.phase)) + " " + std::string(name_of(one.operation)) + " " +
           one.group + " calls " + std::to_string(one.calls) + " bytes " +
           std::to_string(one.bytes) + " " + python_text(one.pairs);
}

Texts permutations(const std::vector<std::vector<StepCall>>& ranks, const ProcessGroups& groups,
                   GroupTable& table) {
    StepPermutations step(groups, table);
    for (const std::vector<StepCall>& calls : ranks) {
        step.add(calls);
    }
    Texts list;
    for (const StepPermutation& one : step.list()) {
        list.push_back(text(one));
    }
    return list;
}

// Two tensor-parallel groups, of which the first reduces three times and the other twice: twice
// together, once alone. Messages along the pipeline, by direction.
TEST(AllPermutations, MergesWhatRunsTogether) {
    const ProcessGroups groups(degrees(1, 2, 2));
    GroupTable table;
    std::vector<std::vector<StepCall>> ranks;
    for (int rank = 0; rank < 4; ++rank) {
        Log log(groups, table, rank);
        log.barrier();
        if (rank < 2) {
            log.all_reduce(GroupRole::Tensor, {1, 1, 10}).all_reduce(GroupRole::Tensor, {10, 1, 1});
            log.all_reduce(GroupRole::Tensor, {10, 1, 1});
            log.message(Operation::BatchSend, rank + 2, 7);
            log.message(Operation::BatchReceive, rank + 2, 7);
        } else {
            log.message(Operation::BatchReceive, rank - 2, 7);
            log.all_reduce(GroupRole::Tensor, {10, 1, 1}).all_reduce(GroupRole::Tensor, {10, 1, 1});
            log.message(Operation::BatchSend, rank - 2, 7);
        }
        ranks.push_back(log.take());
    }
    EXPECT_EQ(permutations(ranks, groups, table),
              (Texts{"forward all_reduce tp calls 2 bytes 20 ((0, 1), (1, 0), (2, 3), (3, 2))",
                     "forward all_reduce tp calls 1 bytes 10 ((0, 1), (1, 0))",
                     "forward batch_isend pp calls 1 bytes 7 ((0, 2), (1, 3))",
                     "backward batch_isend pp calls 1 bytes 7 ((2, 0), (3, 1))"}));
}

// All-to-all of 3 ranks: one permutation for each distance, a third of the bytes. Scatter from rank
// 1 and gather to it: one for each other rank.
TEST(AllPermutations, RoundsOfDirectOperations) {
    const ProcessGroups groups(degrees(3, 1, 1));
    GroupTable table;
    std::vector<std::vector<StepCall>> ranks;
    for (int rank = 0; rank < 3; ++rank) {
        Log log(groups, table, rank);
        log.collective(Operation::AllToAllSingle, GroupRole::Data, {30});
        log.collective(Operation::Scatter, GroupRole::Data, {5}, 1);
        log.collective(Operation::Gather, GroupRole::Data, {6}, 1);
        ranks.push_back(log.take());
    }
    const std::string group = " world/dp calls 1 bytes ";
    EXPECT_EQ(
        permutations(ranks, groups, table),
        (Texts{"forward all_to_all_single" + group + "10 ((0, 1), (1, 2), (2, 0))",
               "forward all_to_all_single" + group + "10 ((0, 2), (1, 0), (2, 1))",
               "forward scatter" + group + "5 ((1, 2),)", "forward scatter" + group + "5 ((1, 0),)",
               "forward gather" + group + "6 ((2, 1),)",
               "forward gather" + group + "6 ((0, 1),)"}));
}

// A source sends to one destination only, a destination receives from one: for messages around a
// ring of context parallelism too, where the last goes back to the first.
TEST(AllPermutations, RingOfMessages) {
    const ProcessGroups groups(degrees(2, 1, 1, 3));
    GroupTable table;
    std::vector<std::vector<StepCall>> ranks;
    for (int rank = 0; rank < 6; ++rank) {
        Log log(groups, table, rank);
        log.message(Operation::AsyncSend, rank / 3 * 3 + (rank + 1) % 3, 9);
        ranks.push_back(log.take());
    }
    EXPECT_EQ(permutations(ranks, groups, table),
              (Texts{"forward isend cp calls 1 bytes 9 "
                     "((0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3))"}));
}

TEST(AllPermutations, BytesBeyondAllNumbersAreRefused) {
    const ProcessGroups groups(degrees(1, 1, 2));
    GroupTable table;
    StepCall call;
    call.owner = Rank(0);
    call.peer = Rank(1);
    call.operation = Operation::BatchSend;
    call.bytes = std::int64_t{1} << 60;
    StepPermutations step(groups, table);
    step.add(std::vector<StepCall>(7, call));
    EXPECT_EQ(step.list().front().bytes, 7 * call.bytes);
    step.add({call});
    EXPECT_THROW((void)step.list(), InputError);
}

using Cells = std::map<std::pair<int, int>, double>;

/// The traffic of one collective over n ranks, which are one data-parallel group.
Cells traffic_of(Operation operation, int n, std::int64_t bytes, int root = -1) {
    const ProcessGroups groups(degrees(n, 1, 1));
    GroupTable table;
    TrafficMatrix traffic(table);
    for (int rank = 0; rank < n; ++rank) {
        Log log(groups, table, rank);
        traffic.add(log.collective(operation, GroupRole::Data, {bytes, 1}, root).take());
    }
    Cells cells;
    for (const TrafficMatrix::Cell& cell : traffic.cells(Phase::Forward)) {
        cells[{cell.from.value(), cell.to.value()}] = cell.bytes;
    }
    return cells;
}

double sum(const Cells& cells) {
    double all = 0;
    for (const auto& [pair, bytes] : cells) {
        all += bytes;
    }
    return all;
}

// n ranks, x bytes of each: all-reduce 2 (n - 1) x in all, equally over n edges; all-gather
// n (n - 1) x; reduce-scatter and all-to-all (n - 1) x; broadcast, scatter, gather (n - 1) x.
TEST(Traffic, ClosedForms) {
    for (int n = 2; n <= 9; ++n) {
        SCOPED_TRACE(n);
        const std::int64_t x = 5040;  // a multiple of all n
        const double others = n - 1;
        const auto size = static_cast<double>(x);
        const Cells reduce = traffic_of(Operation::AllReduce, n, x);
        EXPECT_EQ(reduce.size(), static_cast<std::size_t>(n));
        EXPECT_DOUBLE_EQ(reduce.at({n - 1, 0}), 2 * others / n * size);
        EXPECT_DOUBLE_EQ(sum(reduce), 2 * others * size);
        EXPECT_DOUBLE_EQ(sum(traffic_of(Operation::AllGatherIntoTensor, n, x)), n * others * size);
        EXPECT_DOUBLE_EQ(sum(traffic_of(Operation::ReduceScatterTensor, n, x)), others * size);
        const Cells exchange = traffic_of(Operation::AllToAllSingle, n, x);
        EXPECT_EQ(exchange.size(), static_cast<std::size_t>(n * (n - 1)));
        EXPECT_DOUBLE_EQ(exchange.at({1, 0}), size / n);
        const Cells broadcast = traffic_of(Operation::Broadcast, n, x, 1);
        EXPECT_EQ(broadcast.size(), static_cast<std::size_t>(n - 1));
        EXPECT_EQ(broadcast.count({0, 1}), 0U);  // no way back to the root
        EXPECT_DOUBLE_EQ(sum(broadcast), others * size);
        const Cells scatter = traffic_of(Operation::Scatter, n, x, 1);
        EXPECT_DOUBLE_EQ(scatter.at({1, 0}), size);
        EXPECT_DOUBLE_EQ(sum(scatter), others * size);
        const Cells gather = traffic_of(Operation::Gather, n, x, 1);
        EXPECT_DOUBLE_EQ(gather.at({0, 1}), size);
        EXPECT_DOUBLE_EQ(sum(gather), others * size);
    }
}

// Chunk by chunk, as a ring all-reduce runs: n - 1 rounds of sums, n - 1 of results.
TEST(Traffic, AllReduceAsItRuns) {
    const int n = 6;
    const std::int64_t chunk = 70;
    Cells expected;
    for (int round = 0; round < 2 * (n - 1); ++round) {
        for (int rank = 0; rank < n; ++rank) {
            expected[{rank, (rank + 1) % n}] += static_cast<double>(chunk);
        }
    }
    EXPECT_EQ(traffic_of(Operation::AllReduce, n, n * chunk), expected);
}

}  // namespace
}  // namespace npunet::generators::megatron::step_traffic_test
