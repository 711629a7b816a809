// Exposed communication by dimension, against a brute force that looks at every instant of the
// timeline by itself: an instant without compute belongs to the first of TP, CP, EP, PP, DP, other
// that communicates.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <set>
#include <string>

#include "generators/transformer/training_step.h"
#include "study/generated_workload.h"
#include "study/parallel_dimensions.h"
#include "study/simulation_run.h"
#include "tests/study/as_machine.h"
#include "tests/support/machines.h"
#include "tests/support/models.h"
#include "tests/support/workloads.h"

namespace npunet::study::exposed_dimensions_test {
namespace {

using engine::Parallelism;

Machine torus() {
    test::TestMachine from = test::torus_machine(4, 2, Rate(50'000'000'000), Time::ns(500));
    from.system.roofline = true;
    from.system.compute = {312, 2039};
    return as_machine(from);
}

/// By name, so that the order of the enumeration does not matter here.
using Exposed = std::map<std::string, Time>;
const std::array<const char*, 6> precedence{"TP", "CP", "EP", "PP", "DP", "other"};

struct BruteForce {
    std::map<Rank, Exposed> exposed;
    bool two_at_once = false;  ///< dimensions, without compute, somewhere
};

BruteForce brute_force(const engine::Results& results) {
    BruteForce found;
    std::map<Rank, std::vector<engine::Operation>> of_rank;
    for (const engine::Operation& operation : results.operations) {
        of_rank[operation.rank].push_back(operation);
    }
    for (const auto& [rank, operations] : of_rank) {
        std::set<Time> instants;
        for (const engine::Operation& operation : operations) {
            instants.insert({operation.start, operation.end, operation.communication_from});
        }
        // Between neighbouring instants nothing begins or ends.
        for (auto at = instants.begin(); std::next(at) != instants.end(); ++at) {
            std::set<std::string> communicating;
            bool computes = false;
            for (const engine::Operation& operation : operations) {
                if (operation.start > *at || operation.end <= *at) {
                    continue;
                }
                using Kind = engine::OperationKind;
                if (operation.kind == Kind::Compute || operation.kind == Kind::Cpu) {
                    computes = true;
                } else if (operation.kind != Kind::Memory && operation.communication_from <= *at) {
                    communicating.insert(name_of(operation.dimension));
                }
            }
            if (computes || communicating.empty()) {
                continue;
            }
            found.two_at_once = found.two_at_once || communicating.size() > 1;
            const auto* const first =
                std::find_if(precedence.begin(), precedence.end(),
                             [&](const char* name) { return communicating.count(name) > 0; });
            found.exposed[rank][*first] += *std::next(at) - *at;
        }
    }
    return found;
}

/// Whether two dimensions were exposed at the same time.
bool expect_equal(const engine::Results& results) {
    BruteForce expected = brute_force(results);
    for (const engine::NpuResult& npu : results.npus) {
        Time sum;
        for (const Parallelism dimension : engine::parallelism_by_precedence) {
            const Time exposed = (*npu.dimensions)[dimension].exposed;
            EXPECT_EQ(exposed, expected.exposed[npu.rank][name_of(dimension)])
                << npu.rank.value() << ' ' << name_of(dimension);
            EXPECT_LE(exposed, (*npu.dimensions)[dimension].communication);
            sum += exposed;
        }
        EXPECT_EQ(sum, npu.exposed_communication);
    }
    return expected.two_at_once;
}

generators::Plan drawn_plan(std::mt19937_64& random) {
    static const std::array<std::array<std::int64_t, 4>, 6> grids{
        {{2, 2, 1, 2}, {4, 2, 1, 1}, {2, 1, 2, 2}, {1, 2, 2, 2}, {8, 1, 1, 1}, {2, 2, 2, 1}}};
    const auto& [dp, tp, cp, pp] = grids[random() % grids.size()];
    generators::Plan plan;
    plan.dp = dp;
    plan.tp = tp;
    plan.cp = cp;
    plan.pp = pp;
    plan.batch = 4 * dp;
    plan.sequence_parallel = random() % 2 == 0;
    plan.overlap_grad_reduce = random() % 2 == 0;
    plan.zero = static_cast<std::int64_t>(random() % 3);
    plan.overlap_param_gather = plan.zero > 0 && random() % 2 == 0;
    return plan;
}

TEST(ExposedDimensions, OfStepsEqualABruteForce) {
    const Machine machine = torus();
    std::mt19937_64 random(40);
    const generators::ModelSpec model = test::tiny_model();
    for (int round = 0; round < 12; ++round) {
        const generators::Plan plan = generators::resolve_plan(model, drawn_plan(random));
        const engine::Workload workload =
            workload_from(generators::generate(model, plan), workload_options(machine));
        for (const Fidelity fidelity : {Fidelity::Analytical, Fidelity::Fluid, Fidelity::Packet}) {
            SCOPED_TRACE(testing::Message() << round << ' ' << name_of(fidelity));
            expect_equal(simulate(workload, machine, fidelity));
        }
    }
}

// Collectives of groups that say which dimension they are of, and of one that does not, several
// under way at once, beside compute and messages.
TEST(ExposedDimensions, OfCollectivesAtOnceEqualABruteForce) {
    const std::vector<std::string> names{"tp", "cp0", "expert_parallel", "dp", "mine"};
    const Machine machine = as_machine(test::ring_machine(4, Rate(50'000'000'000), Time::ns(500)));
    std::vector<engine::Group> groups;
    for (const std::string& name : names) {
        groups.push_back({name, {Rank(0), Rank(1), Rank(2), Rank(3)}});
    }
    std::mt19937_64 random(41);
    int at_once = 0;
    for (int round = 0; round < 60; ++round) {
        const std::uint64_t seed = random();
        engine::Workload workload = test::workload_of(
            4,
            [&](Rank rank) {
                std::mt19937_64 same(seed);  // the collectives of all ranks are the same
                std::vector<chakra::Node> nodes;
                for (std::uint64_t id = 1; id <= 24; id += 2) {
                    const std::uint64_t before = same() % id;
                    const std::vector<std::uint64_t> after =
                        before == 0 ? std::vector<std::uint64_t>() : std::vector{before};
                    nodes.push_back(test::compute_node(id, 1 + same() % 40, after));
                    nodes.push_back(
                        test::collective_node(id + 1, chakra::CollectiveType::AllReduce,
                                              static_cast<std::int64_t>(1 + same() % 900'000),
                                              names[same() % names.size()], {1 + same() % id}));
                }
                if (rank == Rank(0)) {
                    nodes.push_back(test::send_node(30, 1, 500'000, 0, {3}));
                } else if (rank == Rank(1)) {
                    nodes.push_back(test::receive_node(30, 0, 500'000));
                }
                return nodes;
            },
            groups);
        mark_dimensions(workload);
        for (const Fidelity fidelity : {Fidelity::Analytical, Fidelity::Packet}) {
            SCOPED_TRACE(testing::Message() << round << ' ' << name_of(fidelity));
            at_once += expect_equal(simulate(workload, machine, fidelity)) ? 1 : 0;
        }
    }
    EXPECT_GT(at_once, 30);
}

// Figures of a run that is broken off are those up to then.
TEST(ExposedDimensions, OfPartialRunsSumToTheTotal) {
    const Machine machine = torus();
    generators::Plan plan;
    plan.dp = plan.tp = plan.pp = 2;
    plan.batch = 4;
    const engine::Workload workload =
        workload_from(generators::generate(test::tiny_model(), plan), workload_options(machine));
    RunOptions options;
    options.max_time = Time::ns(200'000);
    const engine::Results results = simulate(workload, machine, Fidelity::Packet, options);
    ASSERT_TRUE(results.partial.has_value());
    expect_equal(results);
}

// Groups that stand for others, but are of another dimension: every rank has its own.
TEST(ExposedDimensions, OfFoldedRanksAreTheirOwn) {
    const Machine machine = as_machine(test::ring_machine(4, Rate(50'000'000'000), Time::ns(500)));
    engine::Workload workload = test::workload_of(
        4,
        [](Rank rank) {
            return std::vector{test::collective_node(1, chakra::CollectiveType::AllReduce, 4096,
                                                     rank.value() % 2 == 0 ? "tp" : "dp")};
        },
        {{"tp", {Rank(0), Rank(2)}}, {"dp", {Rank(1), Rank(3)}}});
    mark_dimensions(workload);
    const engine::Results results = simulate(workload, machine, Fidelity::Analytical);
    EXPECT_EQ(results.simulated_npus, 1U);
    for (const engine::NpuResult& npu : results.npus) {
        const Parallelism own = npu.rank.value() % 2 == 0 ? Parallelism::Tensor : Parallelism::Data;
        EXPECT_EQ((*npu.dimensions)[own].exposed, npu.exposed_communication);
        EXPECT_GT(npu.exposed_communication, Time());
    }
}

TEST(ExposedDimensions, AreNotKnownInTheDialectsOfTheReference) {
    test::TestMachine made = test::ring_machine(4, Rate(50'000'000'000), Time::ns(500));
    made.dialect = engine::Dialect::named("astra-sim");
    const Machine machine = as_machine(made);
    const engine::Workload workload = test::workload_of(
        4,
        [](Rank) {
            return std::vector{test::collective_node(1, chakra::CollectiveType::AllReduce, 4096)};
        },
        {}, workload_options(machine));
    for (const engine::NpuResult& npu : simulate(workload, machine, Fidelity::Analytical).npus) {
        EXPECT_EQ(npu.dimensions, nullptr);
    }
}

}  // namespace
}  // namespace npunet::study::exposed_dimensions_test
