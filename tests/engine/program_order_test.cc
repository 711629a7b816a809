// In which order a communicator runs its collectives when messages decide what can come when.
// T(b) = ceil(b / rate), L a link's latency; an all-gather of b bytes from each of two NPUs that
// begin together takes T(b) + L, and so does a message.

#include "engine/program_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <tuple>
#include <utility>

#include "base/errors.h"
#include "tests/support/runs.h"
#include "tests/support/workloads.h"

namespace npunet {
namespace {

using chakra::CollectiveType;
using test::collective_node;
using test::compute_node;
using test::receive_node;
using test::send_node;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr Rate rate(100'000'000'000);
constexpr Time latency = Time::ns(500);

Time message(std::int64_t bytes) {
    return transfer_time(Bytes(bytes), rate) + latency;
}

test::TestMachine full_machine(std::int64_t npus) {
    return test::line_machine(topology::DimensionKind::FullyConnected, npus, rate, latency);
}

/// Ids of a rank's collectives on a slot, as they run.
std::vector<std::uint64_t> order_of(const engine::Workload& workload, Rank rank,
                                    std::size_t slot = 0) {
    std::vector<std::uint64_t> ids;
    const engine::RankProgram& program = workload.program(rank);
    for (const std::uint32_t number : program.collectives_of[slot]) {
        ids.push_back(workload.node_of(rank, program.operations[number]));
    }
    return ids;
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
                before = {id(pass - 1, 1)};  // the last layer turns round on its stage
            } else if (pass > 0) {
                before = {static_cast<std::uint64_t>(passes - pass)};
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

// What waits for a message that nobody sends keeps the order of the trace, after all that can end.
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
// everything would wait in a circle, without any message.
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

/// Work of several ranks that can be done one node after the other, with ids in any order. The
/// sizes of a communicator's collectives are different ones.
class RandomWork {
public:
    RandomWork(std::uint64_t seed, bool groups_overlap) : random_(seed) {
        ranks_ = 2 + random_() % 5;
        nodes_.resize(ranks_);
        make_groups(groups_overlap);
        const std::size_t steps = 8 + random_() % 12;
        std::vector<std::uint64_t> ids(2 * steps);
        std::iota(ids.begin(), ids.end(), std::uint64_t{1});
        std::shuffle(ids.begin(), ids.end(), random_);
        for (std::size_t step = 0; step < steps; ++step) {
            add_step(ids[2 * step], ids[2 * step + 1], static_cast<std::int64_t>(step));
        }
    }

    [[nodiscard]] std::size_t ranks() const { return ranks_; }
    [[nodiscard]] const std::vector<engine::Group>& groups() const { return groups_; }
    [[nodiscard]] engine::Workload workload(bool in_program_order) const {
        engine::WorkloadOptions options;
        options.collectives_in_program_order = in_program_order;
        return test::workload_of(
            ranks_, [this](Rank rank) { return nodes_[rank.index()]; }, groups_, options);
    }

private:
    void make_groups(bool overlap) {
        std::vector<Rank> all;
        for (std::size_t rank = 0; rank < ranks_; ++rank) {
            all.emplace_back(rank);
        }
        const std::size_t half = ranks_ / 2;
        if (!overlap && half >= 2) {
            const auto middle = all.begin() + static_cast<std::ptrdiff_t>(half);
            groups_ = {{"0", {all.begin(), middle}}, {"1", {middle, all.end()}}};
            return;
        }
        const std::size_t count = overlap ? 2 + random_() % 2 : 1;
        for (std::size_t g = 0; g < count; ++g) {
            std::shuffle(all.begin(), all.end(), random_);
            const std::size_t size = 2 + random_() % (ranks_ - 1);
            groups_.push_back({std::to_string(g),
                               {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(size)}});
        }
    }

    /// Some earlier nodes of the rank.
    std::vector<std::uint64_t> before(Rank rank) {
        std::set<std::uint64_t> ids;
        const std::vector<chakra::Node>& earlier = nodes_[rank.index()];
        for (std::size_t i = random_() % 3; i > 0 && !earlier.empty(); --i) {
            ids.insert(earlier[random_() % earlier.size()].id);
        }
        return {ids.begin(), ids.end()};
    }

    /// The messages of a channel keep their order.
    std::vector<std::uint64_t> before_message(Rank rank, std::uint64_t id, int channel) {
        std::vector<std::uint64_t> ids = before(rank);
        const auto [last, first] = last_.emplace(std::pair(rank, channel), id);
        if (!first) {
            if (std::find(ids.begin(), ids.end(), last->second) == ids.end()) {
                ids.push_back(last->second);
            }
            last->second = id;
        }
        return ids;
    }

    void add_step(std::uint64_t id, std::uint64_t other_id, std::int64_t step) {
        switch (random_() % 4) {
            case 0: {
                const Rank rank(random_() % ranks_);
                nodes_[rank.index()].push_back(compute_node(id, random_() % 4, before(rank)));
                return;
            }
            case 1: {
                const Rank from(random_() % ranks_);
                const Rank to((from.index() + 1 + random_() % (ranks_ - 1)) % ranks_);
                const int tag = static_cast<int>(random_() % 2);
                const int channel = 2 * (8 * from.value() + to.value()) + tag;
                auto after = before_message(from, id, channel);
                nodes_[from.index()].push_back(send_node(id, to.value(), 64, tag, after));
                after = before_message(to, other_id, channel);
                nodes_[to.index()].push_back(receive_node(other_id, from.value(), 64, tag, after));
                return;
            }
            default: {
                const engine::Group& group = groups_[random_() % groups_.size()];
                for (const Rank rank : group.ranks) {
                    nodes_[rank.index()].push_back(collective_node(
                        id, CollectiveType::AllGather, 1000 + step, group.name, before(rank)));
                }
            }
        }
    }

    std::mt19937_64 random_;
    std::size_t ranks_ = 0;
    std::vector<engine::Group> groups_;
    std::vector<std::vector<chakra::Node>> nodes_;
    std::map<std::pair<Rank, int>, std::uint64_t> last_;  ///< by rank and channel
};

using Orders = std::vector<std::vector<std::uint64_t>>;  // by rank: ids of collectives

/// By group: the ids of its collectives for each member.
std::vector<Orders> orders_of(const engine::Workload& workload, std::size_t groups) {
    std::vector<Orders> orders(groups);
    for (std::size_t group = 0; group < groups; ++group) {
        for (const Rank rank : workload.groups[group].ranks) {
            const auto& slots = workload.bindings[rank.index()].groups;
            const auto found =
                std::find(slots.begin(), slots.end(), static_cast<std::int32_t>(group));
            orders[group].push_back(
                found == slots.end()
                    ? std::vector<std::uint64_t>{}
                    : order_of(workload, rank, static_cast<std::size_t>(found - slots.begin())));
        }
    }
    return orders;
}

/// All members have the same order.
bool agree(const std::vector<Orders>& groups) {
    return std::all_of(groups.begin(), groups.end(), [](const Orders& members) {
        return std::all_of(members.begin(), members.end(),
                           [&](const auto& order) { return order == members.front(); });
    });
}

// Work that can be done at all, one node after the other, never stalls, whatever the ids, if the
// members of a communicator mean the same by its k-th collective.
TEST(ProgramOrder, WhatCanRunRuns) {
    int agreed = 0;
    int changed = 0;
    for (std::uint64_t seed = 0; seed < 8000; ++seed) {
        SCOPED_TRACE(seed);
        const RandomWork work(seed, true);
        const auto by_trace = orders_of(work.workload(false), work.groups().size());
        if (!agree(by_trace)) {
            continue;
        }
        ++agreed;
        const engine::Workload workload = work.workload(true);
        const auto orders = orders_of(workload, work.groups().size());
        ASSERT_TRUE(agree(orders));
        changed += orders != by_trace ? 1 : 0;
        const engine::Results results =
            test::run(workload, full_machine(static_cast<std::int64_t>(work.ranks())));
        ASSERT_GE(results.finish, Time());
    }
    EXPECT_GT(agreed, 400);
    EXPECT_GT(changed, 40);
}

/// The rounds by looking at every operation of every rank again and again. A collective is known
/// by its communicator and its id, which all members share.
class SlowRounds {
public:
    explicit SlowRounds(const engine::Workload& workload) : workload_(workload) {
        for (std::size_t rank = 0; rank < workload.ranks(); ++rank) {
            const engine::RankProgram& program = workload.program(Rank(rank));
            ended_.emplace_back(program.operations.size(), false);
            came_.emplace_back(program.operations.size(), false);
            parents_.emplace_back(program.operations.size());
            for (std::uint32_t i = 0; i < program.operations.size(); ++i) {
                for (std::uint32_t c = program.child_begin[i]; c < program.child_begin[i + 1];
                     ++c) {
                    parents_[rank][program.children[c]].push_back(i);
                }
            }
        }
        for (int round = 0; one_round(round); ++round) {
        }
    }

    /// Of a communicator's collective.
    [[nodiscard]] int round_of(std::size_t group, std::uint64_t id) const {
        return round_of_.at({group, id});
    }

private:
    bool one_round(int round) {
        bool any = false;
        for (bool more = true; more;) {
            more = false;
            for (std::size_t rank = 0; rank < workload_.ranks(); ++rank) {
                for (std::uint32_t i = 0; i < ended_[rank].size(); ++i) {
                    more = step(rank, i, round) || more;
                }
            }
            any = any || more;
        }
        return receive() || any;
    }

    bool step(std::size_t rank, std::uint32_t i, int round) {
        const engine::ProgramOperation& operation = workload_.program(Rank(rank)).operations[i];
        if (ended_[rank][i] ||
            !std::all_of(parents_[rank][i].begin(), parents_[rank][i].end(),
                         [&](std::uint32_t parent) { return ended_[rank][parent]; })) {
            return false;
        }
        const bool news = !came_[rank][i];
        came_[rank][i] = true;
        if (operation.kind == engine::OperationKind::Receive) {
            return news;
        }
        if (operation.kind == engine::OperationKind::Collective) {
            const std::size_t group = workload_.group_of(Rank(rank), operation);
            const std::uint64_t id = workload_.node_of(Rank(rank), operation);
            if (news && ++met_[{group, id}] == workload_.groups[group].ranks.size()) {
                round_of_[{group, id}] = round;
            }
            ended_[rank][i] = round_of_.count({group, id}) != 0;
            return news || ended_[rank][i];
        }
        if (operation.kind == engine::OperationKind::Send) {
            ++sent_[{rank, workload_.peer_of(Rank(rank), operation).index(), operation.tag}];
        }
        ended_[rank][i] = true;
        return true;
    }

    /// The receives of a channel are in a chain, so that the next is the only one posted.
    bool receive() {
        bool any = false;
        for (std::size_t rank = 0; rank < workload_.ranks(); ++rank) {
            for (std::uint32_t i = 0; i < ended_[rank].size(); ++i) {
                const engine::ProgramOperation& operation =
                    workload_.program(Rank(rank)).operations[i];
                if (operation.kind == engine::OperationKind::Receive && came_[rank][i] &&
                    !ended_[rank][i]) {
                    int& left = sent_[{workload_.peer_of(Rank(rank), operation).index(), rank,
                                       operation.tag}];
                    if (left > 0) {
                        --left;
                        ended_[rank][i] = any = true;
                    }
                }
            }
        }
        return any;
    }

    const engine::Workload& workload_;
    std::vector<std::vector<bool>> ended_;
    std::vector<std::vector<bool>> came_;
    std::vector<std::vector<std::vector<std::uint32_t>>> parents_;
    std::map<std::pair<std::size_t, std::uint64_t>, std::size_t> met_;
    std::map<std::pair<std::size_t, std::uint64_t>, int> round_of_;
    std::map<std::tuple<std::size_t, std::size_t, std::int64_t>, int> sent_;
};

// Where no communicators overlap, nothing has to go out of turn: the order is that of the rounds,
// and of the trace within a round, as brute force finds them.
TEST(ProgramOrder, IsThatOfTheRounds) {
    int agreed = 0;
    int changed = 0;
    for (std::uint64_t seed = 0; seed < 6000; ++seed) {
        SCOPED_TRACE(seed);
        const RandomWork work(seed, false);
        const engine::Workload plain = work.workload(false);
        auto expected = orders_of(plain, work.groups().size());
        if (!agree(expected)) {
            continue;
        }
        ++agreed;
        const SlowRounds rounds(plain);
        for (std::size_t group = 0; group < expected.size(); ++group) {
            for (std::vector<std::uint64_t>& order : expected[group]) {
                std::stable_sort(order.begin(), order.end(), [&](std::uint64_t a, std::uint64_t b) {
                    return rounds.round_of(group, a) < rounds.round_of(group, b);
                });
            }
        }
        changed += expected != orders_of(plain, work.groups().size()) ? 1 : 0;
        ASSERT_EQ(orders_of(work.workload(true), work.groups().size()), expected);
    }
    EXPECT_GT(agreed, 400);
    EXPECT_GT(changed, 40);
}

}  // namespace
}  // namespace npunet
