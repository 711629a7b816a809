// Program order of random work of several ranks: that of a brute force, and one that never stalls.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <tuple>
#include <utility>

#include "collective_orders.h"
#include "tests/support/runs.h"
#include "tests/support/workloads.h"

namespace npunet::program_order_oracle_test {
namespace {

using chakra::CollectiveType;
using test::collective_node;
using test::compute_node;
using test::full_machine;
using test::order_of;
using test::receive_node;
using test::send_node;

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
TEST(ProgramOrderOracle, WhatCanRunRuns) {
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
TEST(ProgramOrderOracle, IsThatOfTheRounds) {
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
}  // namespace npunet::program_order_oracle_test
