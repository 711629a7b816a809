// In which order a communicator runs its collectives when messages decide what can come when.
// T(b) = ceil(b / rate), L a link's latency; an all-gather of b bytes from each of two NPUs that
// begin together takes T(b) + L, and so does a message.

#include "engine/program/program_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "base/errors.h"
#include "collective_orders.h"
#include "tests/support/refusals.h"
#include "tests/support/runs.h"
#include "tests/support/workloads.h"

namespace npunet::program_order_test {
namespace {

using chakra::CollectiveType;
using test::collective_node;
using test::compute_node;
using test::full_machine;
using test::order_of;
using test::receive_node;
using test::send_node;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Time message(std::int64_t bytes) {
    return transfer_time(Bytes(bytes), test::full_rate) + test::full_latency;
}

/// Forward over both ranks and back, with a gather on the way out and one on the way back; the
/// receive of the way back has the lowest id.
std::vector<chakra::Node> there_and_back(Rank rank) {
    std::vector<chakra::Node> nodes{
        receive_node(1, rank == Rank(0) ? 1 : 0, 300'000),
        collective_node(2, CollectiveType::AllGather, 100'000, "", {1}),
        compute_node(3, 5),
        collective_node(4, CollectiveType::AllGather, 2'000'000, "", {3}),
    };
    if (rank == Rank(0)) {
        nodes.push_back(send_node(5, 1, 300'000, 0, {4}));
    } else {
        nodes.push_back(compute_node(6, 7, {1}));
        nodes.push_back(send_node(7, 0, 300'000, 0, {6}));
    }
    return nodes;
}

// The gather of the way out cannot wait for that of the way back. Compute, gather, message to
// rank 1, compute there, message back, gather: rank 1's part of it is there already.
TEST(ProgramOrder, WhatFollowsAMessageComesAfterWhatItNeeds) {
    const engine::Workload workload = test::workload_of(2, there_and_back);
    EXPECT_THAT(order_of(workload, Rank(0)), ElementsAre(4, 2));
    EXPECT_THAT(order_of(workload, Rank(1)), ElementsAre(4, 2));
    const engine::Results results = test::run(workload, full_machine(2));
    EXPECT_EQ(results.finish, Time::ns(5000) + message(2'000'000) + message(300'000) +
                                  Time::ns(7000) + message(300'000) + message(100'000));
}

// A chain of layers over two stages of two members each, out and back, layer i on stage i mod 2:
// every gather and message waits for the one before it, so that the time is the sum, whatever the
// ids. Here those of the way back are the lowest, and receives come first of all.
TEST(ProgramOrder, InterleavedStagesRunLayerAfterLayer) {
    constexpr int layers = 6;
    constexpr int passes = 2 * layers;
    const std::vector<engine::Group> groups{{"0", {Rank(0), Rank(1)}}, {"1", {Rank(2), Rank(3)}}};
    const auto layer_of = [](int pass) { return pass < layers ? pass : passes - 1 - pass; };
    const auto id = [](int pass, int part) {
        return static_cast<std::uint64_t>(100 + 4 * (passes - pass) + part);
    };
    const auto nodes = [&](Rank rank) {
        const int stage = rank.value() / 2;
        const int other = (rank.value() + 2) % 4;
        std::vector<chakra::Node> list;
        for (int pass = 0; pass < passes; ++pass) {
            if (layer_of(pass) % 2 != stage) {
                continue;
            }
            std::vector<std::uint64_t> before;
            if (pass == layers) {
                before.push_back(id(pass - 1, 1));  // the last layer turns round on its stage
            } else if (pass > 0) {
                before.push_back(static_cast<std::uint64_t>(passes - pass));
                list.push_back(receive_node(before[0], other, 200'000, pass));
            }
            list.push_back(compute_node(id(pass, 0), 3, before));
            list.push_back(collective_node(id(pass, 1), CollectiveType::AllGather, 400'000 + pass,
                                           std::to_string(stage), {id(pass, 0)}));
            if (pass + 1 < passes && pass + 1 != layers) {
                list.push_back(send_node(id(pass, 2), other, 200'000, pass + 1, {id(pass, 1)}));
            }
        }
        return list;
    };
    Time expected = (passes - 2) * message(200'000);
    for (int pass = 0; pass < passes; ++pass) {
        expected += Time::ns(3000) + message(400'000 + pass);
    }
    const engine::Results results = test::run(test::workload_of(4, nodes, groups), full_machine(4));
    EXPECT_EQ(results.finish, expected);
}

// What waits for a message that is never sent keeps the order of the trace, after all that can end.
TEST(ProgramOrder, WhatNeverEndsComesLast) {
    const engine::Workload workload = test::workload_of(2, [](Rank rank) {
        return std::vector{receive_node(1, 1 - rank.value(), 1024, 7),
                           collective_node(2, CollectiveType::AllGather, 10, "", {1}),
                           collective_node(3, CollectiveType::AllGather, 20, "", {1}),
                           collective_node(4, CollectiveType::AllGather, 30)};
    });
    EXPECT_THAT(order_of(workload, Rank(0)), ElementsAre(4, 2, 3));
    const std::string text = test::message_of<StallError>(
        [&] { static_cast<void>(test::run(workload, full_machine(2))); });
    EXPECT_THAT(text, HasSubstr("rank 0 (3 of 4 nodes left): node 1 'receive_1' waits for a "
                                "message of 1024 bytes with tag 7 from rank 1"));
}

// The root of a broadcast need not wait for who gets it, though the rounds take it so. Rank 1 takes
// part when a message tells it that rank 0 is done: the order of the trace stays, and the run ends.
// Broadcast and message leave one after the other, then rank 1 gathers.
TEST(ProgramOrder, ARootMayGoOn) {
    const engine::Workload workload = test::workload_of(2, [](Rank rank) {
        const auto broadcast = [](std::vector<std::uint64_t> after) {
            return collective_node(2, CollectiveType::Broadcast, 100'000, "", std::move(after));
        };
        const auto gather = collective_node(4, CollectiveType::AllGather, 200'000);
        return rank == Rank(0)
                   ? std::vector{broadcast({}), send_node(3, 1, 300'000, 0, {2}), gather}
                   : std::vector{receive_node(1, 0, 300'000), broadcast({1}), gather};
    });
    EXPECT_THAT(order_of(workload, Rank(0)), ElementsAre(2, 4));
    EXPECT_EQ(test::run(workload, full_machine(2)).finish,
              message(100'000 + 300'000) + message(200'000));
}

// Two communicators of the same ranks whose gathers cross. On rank 0 the first of y needs the
// second of x, on rank 1 the first of x the second of y: were these to wait for the first ones,
// everything would wait in a cycle, without any message.
TEST(ProgramOrder, CollectivesThatEveryMemberCameToGoFirst) {
    const std::vector<engine::Group> groups{{"x", {Rank(0), Rank(1)}}, {"y", {Rank(1), Rank(0)}}};
    const engine::Workload workload = test::workload_of(
        2,
        [](Rank rank) {
            const auto gather = [](std::uint64_t id, const char* group, std::int64_t bytes,
                                   std::vector<std::uint64_t> after = {}) {
                return collective_node(id, CollectiveType::AllGather, bytes, group,
                                       std::move(after));
            };
            if (rank == Rank(0)) {
                return std::vector{gather(1, "x", 10), gather(2, "x", 20), gather(3, "y", 30, {2}),
                                   gather(4, "y", 40), send_node(5, 1, 8)};
            }
            return std::vector{gather(3, "y", 30), gather(4, "y", 40), gather(5, "x", 10, {4}),
                               gather(6, "x", 20), receive_node(7, 0, 8)};
        },
        groups);
    EXPECT_THAT(order_of(workload, Rank(0), 0), ElementsAre(2, 1));
    EXPECT_THAT(order_of(workload, Rank(0), 1), ElementsAre(4, 3));
    static_cast<void>(test::run(workload, full_machine(2)));
}

// Ranks 0 to 3 do the same. Of what the gathers of 0 and 1 wait for the first comes early, for 2
// and 3 the second: two orders, two programs.
TEST(ProgramOrder, RanksShareAProgramWhereTheirOrderIsEqual) {
    const std::vector<engine::Group> groups{{"a", {Rank(0), Rank(1)}}, {"b", {Rank(2), Rank(3)}}};
    const auto nodes = [](Rank rank) {
        std::vector<chakra::Node> list;
        if (rank < Rank(4)) {
            const bool low = rank < Rank(2);
            list = {receive_node(1, low ? 4 : 5, 8), receive_node(2, low ? 5 : 4, 8),
                    collective_node(3, CollectiveType::AllGather, 100, low ? "a" : "b", {1}),
                    collective_node(4, CollectiveType::AllGather, 200, low ? "a" : "b", {2})};
            return list;
        }
        if (rank == Rank(4)) {
            list.push_back(send_node(9, 5, 8));
        } else {
            list.push_back(receive_node(9, 4, 8));
        }
        for (int to = 0; to < 4; ++to) {
            list.push_back(send_node(10 + static_cast<std::uint64_t>(to), to, 8, 0, {9}));
        }
        return list;
    };
    const engine::Workload workload = test::workload_of(6, nodes, groups);
    for (const Rank rank : {Rank(0), Rank(1)}) {
        EXPECT_THAT(order_of(workload, rank), ElementsAre(3, 4));
    }
    for (const Rank rank : {Rank(2), Rank(3)}) {
        EXPECT_THAT(order_of(workload, rank), ElementsAre(4, 3));
    }
    EXPECT_EQ(workload.program_of[0], workload.program_of[1]);
    EXPECT_EQ(workload.program_of[2], workload.program_of[3]);
    EXPECT_NE(workload.program_of[0], workload.program_of[2]);
    engine::WorkloadOptions any_order;
    any_order.collectives_in_program_order = false;
    const engine::Workload plain = test::workload_of(6, nodes, groups, any_order);
    EXPECT_EQ(plain.program_of[0], plain.program_of[3]);
    static_cast<void>(test::run(workload, full_machine(6)));
}

}  // namespace
}  // namespace npunet::program_order_test
