// Waiting for late members of collectives and for messages, and what holds up the NPU that finishes
// last: hand-made workloads in closed form, and random ones against a brute force that looks at
// every instant of the timeline by itself.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analysis/step_summary.h"
#include "study/parallel_dimensions.h"
#include "study/simulation_run.h"
#include "tests/study/as_machine.h"
#include "tests/support/machines.h"
#include "tests/support/workloads.h"

namespace npunet::study::late_members_test {
namespace {

using chakra::CollectiveType;
using engine::HoldUps;
using engine::Parallelism;
using Kind = engine::OperationKind;

constexpr std::array<Fidelity, 3> fidelities{Fidelity::Analytical, Fidelity::Fluid,
                                             Fidelity::Packet};
constexpr std::int64_t mib = 1 << 20;

Machine ring(std::int64_t npus) {
    return as_machine(test::ring_machine(npus, Rate(50'000'000'000), Time::ns(500)));
}

std::vector<engine::Group> tensor_pairs() {
    return {{"tp0", {Rank(0), Rank(1)}}, {"tp1", {Rank(2), Rank(3)}}, {"dp", {Rank(1), Rank(2)}}};
}

engine::Workload marked(std::size_t ranks, const test::NodesOf& nodes,
                        const std::vector<engine::Group>& groups) {
    engine::Workload workload = test::workload_of(ranks, nodes, groups);
    mark_dimensions(workload);
    return workload;
}

engine::DimensionTimes::Entry times(const engine::Results& results, std::size_t rank,
                                    Parallelism dimension) {
    return (*results.npus.at(rank).dimensions)[dimension];
}

/// Of the NPU that finishes last.
const HoldUps& hold_ups_of(const engine::Results& results) {
    return analysis::last_to_finish(results)->dimensions->hold_ups.value();
}

Time sum_of(const HoldUps::Part& part) {
    Time sum = part.compute + part.memory + part.unknown;
    for (const Time time : part.carried) {
        sum += time;
    }
    return sum;
}

// Rank 1 computes 30 us longer: rank 0 waits exactly that long in the all-reduce and carries it
// from then, after 40 us, until its last compute of 60 us begins.
TEST(LateMembers, InAnAllReduceIsWhatTheOtherComputesLonger) {
    const engine::Workload workload = marked(
        2,
        [](Rank rank) {
            return std::vector{test::compute_node(1, rank == Rank(1) ? 40 : 10),
                               test::collective_node(2, CollectiveType::AllReduce, mib, "tp0", {1}),
                               test::compute_node(3, rank == Rank(1) ? 10 : 60, {2})};
        },
        {{"tp0", {Rank(0), Rank(1)}}});
    for (const Fidelity fidelity : fidelities) {
        SCOPED_TRACE(name_of(fidelity));
        const engine::Results results = simulate(workload, ring(2), fidelity);
        const auto early = times(results, 0, Parallelism::Tensor);
        const auto late = times(results, 1, Parallelism::Tensor);
        EXPECT_EQ(early.waiting, Time::ns(30'000));
        EXPECT_EQ(late.waiting, Time());
        EXPECT_GT(late.exposed, Time());
        const Time carried = results.npus[0].finish - Time::ns(60'000 + 40'000);
        EXPECT_GT(carried, Time());
        EXPECT_EQ(early.exposed, carried + Time::ns(30'000));
        EXPECT_EQ(early.communication, early.exposed);
        EXPECT_EQ(hold_ups_of(results).exposed.compute, Time::ns(30'000));
        EXPECT_EQ(hold_ups_of(results).exposed.carried_by(Parallelism::Tensor), carried);
        EXPECT_EQ(sum_of(hold_ups_of(results).idle), Time());
    }
}

// Ranks 1 and 2 reduce gradients before they meet ranks 0 and 3 in tensor-parallel groups: 0 waits
// in its group for as long as the gradients take, and these are the bottleneck.
TEST(LateMembers, ForALateMemberIsDueToWhatThatOneCarries) {
    const engine::Workload workload = marked(
        4,
        [](Rank rank) {
            const bool inner = rank == Rank(1) || rank == Rank(2);
            std::vector<chakra::Node> nodes{test::compute_node(1, 10)};
            if (inner) {
                nodes.push_back(
                    test::collective_node(2, CollectiveType::AllReduce, 16 * mib, "dp", {1}));
            }
            nodes.push_back(test::collective_node(3, CollectiveType::AllReduce, mib,
                                                  rank < Rank(2) ? "tp0" : "tp1",
                                                  {inner ? 2U : 1U}));
            nodes.push_back(test::compute_node(4, rank == Rank(0) ? 60 : 10, {3}));
            return nodes;
        },
        tensor_pairs());
    for (const Fidelity fidelity : fidelities) {
        SCOPED_TRACE(name_of(fidelity));
        const engine::Results results = simulate(workload, ring(4), fidelity);
        const Time gradients = times(results, 1, Parallelism::Data).exposed;
        EXPECT_GT(gradients, Time::ns(300'000));
        const auto tensor = times(results, 0, Parallelism::Tensor);
        EXPECT_EQ(tensor.waiting, gradients);
        const Time carried = results.npus[0].finish - Time::ns(60'000 + 10'000) - gradients;
        EXPECT_GT(carried, Time());
        EXPECT_EQ(tensor.exposed, gradients + carried);
        EXPECT_EQ(hold_ups_of(results).exposed.carried_by(Parallelism::Data), gradients);
        EXPECT_EQ(hold_ups_of(results).exposed.carried_by(Parallelism::Tensor), carried);
        const auto summary = analysis::step_summary(results);
        ASSERT_TRUE(summary.has_value());
        EXPECT_EQ(summary->last->rank, Rank(0));
        EXPECT_EQ(summary->bottleneck.kind, analysis::Bottleneck::Kind::Communication);
        EXPECT_EQ(summary->bottleneck.dimension, Parallelism::Data);
        EXPECT_EQ(summary->bottleneck.exposed, Time());
        EXPECT_EQ(summary->bottleneck.waiting, gradients);
    }
}

// Rank 0 computes for 50 us and sends; 1 receives and meets 2 in an all-reduce. A receive is idle
// until the first byte leaves, and no exposed communication; 2 waits for 1, and 1 for 0.
TEST(LateMembers, ForAMessageIsIdleTimeDueToTheSender) {
    const engine::Workload workload =
        marked(3,
               [](Rank rank) -> std::vector<chakra::Node> {
                   if (rank == Rank(0)) {
                       return {test::compute_node(1, 50), test::send_node(2, 1, mib, 0, {1})};
                   }
                   const auto reduce = [](std::vector<std::uint64_t> after) {
                       return test::collective_node(4, CollectiveType::AllReduce, mib, "tp",
                                                    std::move(after));
                   };
                   if (rank == Rank(1)) {
                       chakra::Node receive = test::receive_node(3, 0, mib);
                       receive.name = "pp_receive";
                       return {receive, reduce({3}), test::compute_node(5, 1, {4})};
                   }
                   return {reduce({}), test::compute_node(5, 60, {4})};
               },
               {{"tp", {Rank(1), Rank(2)}}});
    for (const Fidelity fidelity : fidelities) {
        SCOPED_TRACE(name_of(fidelity));
        const engine::Results results = simulate(workload, ring(3), fidelity);
        const engine::NpuResult& receiver = results.npus[1];
        EXPECT_EQ(receiver.idle, Time::ns(50'000));
        EXPECT_EQ(times(results, 1, Parallelism::Tensor).waiting, Time());
        const Time message =
            receiver.exposed_communication - times(results, 1, Parallelism::Tensor).exposed;
        EXPECT_GT(message, Time());
        const auto tensor = times(results, 2, Parallelism::Tensor);
        EXPECT_EQ(tensor.waiting, Time::ns(50'000) + message);
        const HoldUps::Part& causes = hold_ups_of(results).exposed;  // of rank 2
        EXPECT_EQ(causes.compute, Time::ns(50'000));
        EXPECT_EQ(causes.carried_by(Parallelism::Tensor), tensor.exposed - tensor.waiting);
        EXPECT_EQ(sum_of(causes), tensor.exposed);
    }
}

// Of a broadcast only the root is waited for; the root itself, and who sends to the root of a
// reduce, wait for none.
TEST(LateMembers, InCollectivesWithARootIsForThoseWhoseDataAreNeeded) {
    for (const CollectiveType type : {CollectiveType::Broadcast, CollectiveType::Reduce}) {
        for (const std::int32_t late : {0, 2}) {
            const engine::Workload workload = marked(
                3,
                [&](Rank rank) {
                    chakra::Node node = test::collective_node(2, type, mib, "tp", {1});
                    node.set_integer("root", 0);
                    return std::vector{test::compute_node(1, rank == Rank(late) ? 40 : 10), node};
                },
                {{"tp", {Rank(0), Rank(1), Rank(2)}}});
            const bool broadcast = type == CollectiveType::Broadcast;
            for (const Fidelity fidelity : fidelities) {
                SCOPED_TRACE(testing::Message() << name_of(fidelity) << ' ' << late << broadcast);
                const engine::Results results = simulate(workload, ring(3), fidelity);
                for (const std::size_t rank : {0U, 1U, 2U}) {
                    const bool waits = broadcast ? late == 0 && rank != 0 : late != 0 && rank == 0;
                    EXPECT_EQ(times(results, rank, Parallelism::Tensor).waiting,
                              waits ? Time::ns(30'000) : Time())
                        << rank;
                }
            }
        }
    }
}

/// Looks at one instant at a time.
class BruteForce {
public:
    explicit BruteForce(const engine::Results& results) : results_(results) {
        std::map<std::pair<std::int32_t, Rank>, std::size_t> number;
        for (const engine::Operation& operation : results.operations) {
            of_rank_[operation.rank].push_back(&operation);
            for (const Time at : {operation.start, operation.end, operation.communication_from}) {
                instants_.insert(at);
            }
            if (operation.group >= 0 && operation.end > operation.start) {
                const std::size_t k = number[{operation.group, operation.rank}]++;
                members_[{operation.group, k}].push_back(&operation);
                number_[&operation] = k;
            }
        }
    }

    void expect_equal() {
        const engine::NpuResult& last = *analysis::last_to_finish(results_);
        std::map<Rank, std::map<std::string, Time>> waiting;
        std::map<std::string, Time> exposed;
        std::map<std::string, Time> idle;
        for (auto at = instants_.begin(); std::next(at) != instants_.end(); ++at) {
            const Time length = *std::next(at) - *at;
            for (const engine::NpuResult& npu : results_.npus) {
                const State state = state_of(npu.rank, *at);
                if (state.what == "awaits member") {
                    waiting[npu.rank][state.dimension] += length;
                }
                if (npu.rank == last.rank && *at < npu.finish && state.what != "compute" &&
                    state.what != "memory") {
                    std::set<Rank> path;
                    const bool is_idle = state.what == "awaits sender" || state.what == "unknown";
                    (is_idle ? idle : exposed)[cause(npu.rank, *at, path)] += length;
                }
            }
        }
        for (const engine::NpuResult& npu : results_.npus) {
            for (const Parallelism dimension : engine::parallelism_by_precedence) {
                EXPECT_EQ((*npu.dimensions)[dimension].waiting,
                          waiting[npu.rank][name_of(dimension)])
                    << npu.rank.value() << ' ' << name_of(dimension);
                waited = waited || (*npu.dimensions)[dimension].waiting > Time();
            }
        }
        expect_equal(hold_ups_of(results_).exposed, exposed);
        expect_equal(hold_ups_of(results_).idle, idle);
        EXPECT_EQ(sum_of(hold_ups_of(results_).exposed), last.exposed_communication);
        EXPECT_EQ(sum_of(hold_ups_of(results_).idle), last.idle);
    }

    bool waited = false;  ///< somewhere

private:
    struct State {
        std::string what;
        std::string dimension = "";
        Time until = Time();
        Rank whom = Rank();
    };

    static void expect_equal(const HoldUps::Part& part, std::map<std::string, Time>& expected) {
        EXPECT_EQ(part.compute, expected["compute"]);
        EXPECT_EQ(part.memory, expected["memory"]);
        EXPECT_EQ(part.unknown, expected["unknown"]);
        for (const Parallelism dimension : engine::parallelism_by_precedence) {
            EXPECT_EQ(part.carried_by(dimension), expected[name_of(dimension)])
                << name_of(dimension);
        }
    }

    /// Of the members of a collective the last, in the order of the group.
    const engine::Operation& last_member(const engine::Operation& operation) {
        const auto& members = members_.at({operation.group, number_.at(&operation)});
        const engine::Operation* last = nullptr;
        for (const Rank rank : results_.groups[static_cast<std::size_t>(operation.group)].ranks) {
            for (const engine::Operation* const member : members) {
                if (member->rank == rank && (last == nullptr || member->start > last->start)) {
                    last = member;
                }
            }
        }
        return *last;
    }

    State state_of(Rank rank, Time at) {
        std::vector<State> all;
        for (const engine::Operation* const operation : of_rank_[rank]) {
            if (operation->start > at || operation->end <= at) {
                continue;
            }
            const std::string dimension = name_of(operation->dimension);
            if (operation->kind == Kind::Compute || operation->kind == Kind::Cpu) {
                return {"compute"};
            }
            if (operation->kind == Kind::Memory) {
                all.push_back({"memory"});
            } else if (operation->communication_from > at) {
                all.push_back(
                    {"awaits sender", "", operation->communication_from, operation->peer});
            } else if (operation->group >= 0 && last_member(*operation).start > at) {
                const engine::Operation& last = last_member(*operation);
                all.push_back({"awaits member", dimension, last.start, last.rank});
            } else {
                all.push_back({"carries", dimension});
            }
        }
        const auto first = [&all](const std::string& what, const std::string& dimension) {
            const State* found = nullptr;
            for (const State& state : all) {
                if (state.what == what && state.dimension == dimension &&
                    (found == nullptr ||
                     std::pair(state.until, state.whom) < std::pair(found->until, found->whom))) {
                    found = &state;
                }
            }
            return found;
        };
        for (const char* const dimension : {"TP", "CP", "EP", "PP", "DP", "other"}) {
            for (const char* const what : {"carries", "awaits member"}) {
                if (const State* const state = first(what, dimension)) {
                    return *state;
                }
            }
        }
        for (const char* const what : {"memory", "awaits sender"}) {
            if (const State* const state = first(what, "")) {
                return *state;
            }
        }
        return {"unknown"};
    }

    std::string cause(Rank rank, Time at, std::set<Rank>& path) {
        const State state = state_of(rank, at);
        if (state.what == "carries") {
            return state.dimension;
        }
        if (!state.whom.valid()) {
            return state.what;
        }
        path.insert(rank);
        return path.count(state.whom) > 0 ? "unknown" : cause(state.whom, at, path);
    }

    const engine::Results& results_;
    std::map<Rank, std::vector<const engine::Operation*>> of_rank_;
    std::set<Time> instants_;
    std::map<std::pair<std::int32_t, std::size_t>, std::vector<const engine::Operation*>> members_;
    std::map<const engine::Operation*, std::size_t> number_;
};

/// Rows and columns of a grid of 2 x 3 ranks, all of them, compute of different lengths, messages.
engine::Workload drawn(std::mt19937_64& random) {
    const std::uint64_t seed = random();
    std::vector<std::vector<chakra::Node>> programs(6);
    std::mt19937_64 draw(seed);
    for (std::uint64_t id = 1; id < 40; ++id) {
        const std::uint64_t what = draw() % 8;
        const std::uint64_t after = id == 1 ? 0 : 1 + draw() % (id - 1);
        const auto bytes = static_cast<std::int64_t>(1 + draw() % 900'000);
        const std::size_t from = draw() % 6;
        for (std::size_t rank = 0; rank < 6; ++rank) {
            std::vector<chakra::Node>& program = programs[rank];
            std::vector<std::uint64_t> depends;
            const bool has = std::any_of(program.begin(), program.end(),
                                         [&](const chakra::Node& n) { return n.id == after; });
            if (has) {
                depends.push_back(after);
            }
            if (what < 3) {
                program.push_back(test::compute_node(id, 1 + draw() % 40, depends));
            } else if (what < 7) {
                const std::array<std::string, 4> names{"tp" + std::to_string(rank / 3),
                                                       "dp" + std::to_string(rank % 3), "ep",
                                                       "tp" + std::to_string(rank / 3)};
                program.push_back(test::collective_node(id, CollectiveType::AllReduce, bytes,
                                                        names[what - 3], depends));
            } else if (rank == from) {
                program.push_back(test::send_node(id, static_cast<std::int32_t>((from + 1) % 6),
                                                  bytes, static_cast<std::int32_t>(id), depends));
            } else if (rank == (from + 1) % 6) {
                program.push_back(test::receive_node(id, static_cast<std::int32_t>(from), bytes,
                                                     static_cast<std::int32_t>(id), depends));
            }
        }
    }
    std::vector<engine::Group> groups{
        {"ep", {Rank(0), Rank(1), Rank(2), Rank(3), Rank(4), Rank(5)}}};
    for (std::int32_t i = 0; i < 2; ++i) {
        groups.push_back(
            {"tp" + std::to_string(i), {Rank(3 * i), Rank(3 * i + 1), Rank(3 * i + 2)}});
    }
    for (std::int32_t i = 0; i < 3; ++i) {
        groups.push_back({"dp" + std::to_string(i), {Rank(i), Rank(i + 3)}});
    }
    return marked(
        6, [&](Rank rank) { return programs[rank.index()]; }, groups);
}

TEST(LateMembers, AndItsCausesEqualABruteForce) {
    std::mt19937_64 random(43);
    const Machine machine =
        as_machine(test::torus_machine(2, 3, Rate(50'000'000'000), Time::ns(500)));
    int waited = 0;
    for (int round = 0; round < 40; ++round) {
        const engine::Workload workload = drawn(random);
        for (const Fidelity fidelity : fidelities) {
            SCOPED_TRACE(testing::Message() << round << ' ' << name_of(fidelity));
            const engine::Results results = simulate(workload, machine, fidelity);
            BruteForce brute_force(results);
            brute_force.expect_equal();
            waited += brute_force.waited ? 1 : 0;
        }
    }
    EXPECT_GT(waited, 60);
}

// Members that a run which was stopped has not seen begin are waited for until its end.
TEST(LateMembers, OfAStoppedRunLastsUntilItsEnd) {
    const engine::Workload workload =
        marked(2,
               [](Rank rank) {
                   return std::vector{
                       test::compute_node(1, rank == Rank(1) ? 40 : 10),
                       test::collective_node(2, CollectiveType::AllReduce, mib, "tp0", {1})};
               },
               {{"tp0", {Rank(0), Rank(1)}}});
    RunOptions options;
    options.max_time = Time::ns(25'000);
    const engine::Results results = simulate(workload, ring(2), Fidelity::Packet, options);
    ASSERT_TRUE(results.partial.has_value());
    EXPECT_EQ(times(results, 0, Parallelism::Tensor).waiting, Time::ns(15'000));
    EXPECT_EQ(hold_ups_of(results).exposed.compute, Time::ns(15'000));
}

}  // namespace
}  // namespace npunet::study::late_members_test
