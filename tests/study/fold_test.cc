// NPUs that provably behave alike are simulated once. Whatever is folded, every figure and every
// operation of the timeline equals that of the run in which each NPU is simulated; and the folds
// that symmetry promises are found.

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>

#include "as_machine.h"
#include "engine/collective_library/library_in_use.h"
#include "engine/collective_library/library_profile.h"
#include "engine/simulation/fold_finder.h"
#include "generators/transformer/training_step.h"
#include "report/results/results_json.h"
#include "study/generated_workload.h"
#include "study/simulation_run.h"
#include "tests/support/counted_cases.h"
#include "tests/support/machines.h"
#include "tests/support/models.h"
#include "tests/support/workloads.h"
#include "topology/builders/builder.h"
#include "topology/yaml/network_reader.h"

namespace npunet::study::fold_test {
namespace {

using topology::DimensionKind;

std::string figures(const engine::Results& results) {
    nlohmann::json document = nlohmann::json::parse(report::results_json(results));
    document.erase("performance");
    for (const engine::Operation& operation : results.operations) {
        document["timeline"].push_back({operation.rank.value(), operation.node, operation.name,
                                        operation.start.ps(), operation.end.ps()});
    }
    return document.dump();
}

/// How many NPUs were simulated; expects that folding changed nothing.
std::uint64_t expect_equal_runs(const engine::Workload& workload, const Machine& machine,
                                Fidelity fidelity = Fidelity::Analytical) {
    const engine::Results folded = simulate(workload, machine, fidelity);
    RunOptions unfolded;
    unfolded.fold = false;
    const engine::Results full = simulate(workload, machine, fidelity, unfolded);
    EXPECT_EQ(full.simulated_npus, workload.ranks());
    EXPECT_EQ(figures(folded), figures(full));
    return folded.simulated_npus;
}

topology::Dimension dimension(DimensionKind kind, std::int32_t size, std::int64_t gbps,
                              std::int64_t ns) {
    return topology::make_dimension(kind, size, Rate(gbps * 1'000'000'000), Time::ns(ns));
}

Machine machine_of(std::vector<topology::Dimension> dimensions) {
    test::TestMachine machine;
    machine.network = topology::make_network(std::move(dimensions));
    machine.system.roofline = true;
    machine.system.compute = {312, 2039};
    return as_machine(machine);
}

engine::Workload step_of(const Machine& machine, generators::Plan plan) {
    const generators::ModelSpec model = test::tiny_model();
    plan.batch = 2 * plan.dp * plan.pp;
    return workload_from(generators::generate(model, generators::resolve_plan(model, plan)),
                         workload_options(machine));
}

generators::Plan plan_of(std::int64_t dp, std::int64_t tp, std::int64_t pp) {
    generators::Plan plan;
    plan.dp = dp;
    plan.tp = tp;
    plan.pp = pp;
    return plan;
}

TEST(Fold, EveryNpuOfASymmetricStepIsAlike) {
    const Machine torus = machine_of(
        {dimension(DimensionKind::Ring, 4, 50, 500), dimension(DimensionKind::Ring, 4, 25, 700)});
    EXPECT_EQ(expect_equal_runs(step_of(torus, plan_of(4, 4, 1)), torus), 1U);
    EXPECT_EQ(expect_equal_runs(step_of(torus, plan_of(16, 1, 1)), torus), 1U);
    const Machine servers = machine_of({dimension(DimensionKind::FullyConnected, 8, 450, 50),
                                        dimension(DimensionKind::Switch, 2, 25, 1000)});
    EXPECT_EQ(expect_equal_runs(step_of(servers, plan_of(2, 8, 1)), servers), 1U);
}

// Four data-parallel ranks in two servers form one ring, t, t + 4, t + 8, t + 12: within a server
// and between servers by turns.
TEST(Fold, RoutesOfARingAreToldApart) {
    const Machine servers = machine_of({dimension(DimensionKind::FullyConnected, 8, 450, 50),
                                        dimension(DimensionKind::Switch, 2, 25, 1000)});
    EXPECT_EQ(expect_equal_runs(step_of(servers, plan_of(4, 4, 1)), servers), 2U);
}

// The stages of a pipeline do different work; within a stage all NPUs are alike.
TEST(Fold, PipelineStagesAreToldApart) {
    const Machine torus = machine_of({dimension(DimensionKind::Ring, 2, 50, 500),
                                      dimension(DimensionKind::Ring, 2, 50, 500),
                                      dimension(DimensionKind::Ring, 4, 50, 500)});
    EXPECT_EQ(expect_equal_runs(step_of(torus, plan_of(2, 2, 4)), torus), 4U);
}

// In a mesh corners, borders and the middle differ.
TEST(Fold, BordersOfAMeshAreToldApart) {
    const Machine mesh = machine_of({dimension(DimensionKind::Mesh1D, 4, 50, 500),
                                     dimension(DimensionKind::Mesh1D, 4, 50, 500)});
    const std::uint64_t simulated = expect_equal_runs(step_of(mesh, plan_of(4, 4, 1)), mesh);
    EXPECT_GT(simulated, 1U);
}

TEST(Fold, WhatBreaksTheSymmetryIsSeen) {
    const auto ring = [] { return machine_of({dimension(DimensionKind::Ring, 8, 50, 500)}); };
    const engine::Workload workload = step_of(ring(), plan_of(8, 1, 1));
    EXPECT_EQ(expect_equal_runs(workload, ring()), 1U);

    Machine straggler = ring();
    straggler.network.faults.npus.push_back({NodeId(3), topology::Factor{1'500'000'000}});
    EXPECT_EQ(expect_equal_runs(workload, straggler), 8U);

    Machine unlike = ring();
    unlike.system.overrides = {{5, {100, 2039}}};
    EXPECT_GT(expect_equal_runs(workload, unlike), 1U);

    Machine seven = ring();  // chunks of different sizes, but with equal parts
    seven.system.preferred_dataset_splits = 7;
    EXPECT_EQ(expect_equal_runs(workload, seven), 1U);
    const engine::Workload uneven = test::workload_of(8, [](Rank) {
        return std::vector{test::collective_node(1, chakra::CollectiveType::AllReduce, 1'000'003)};
    });
    EXPECT_EQ(expect_equal_runs(uneven, ring()), 8U);

    Machine reference = ring();
    reference.dialect = engine::Dialect::named("astra-sim");
    EXPECT_TRUE(engine::find_fold(workload, reference.network, reference.system, reference.dialect)
                    .trivial());
}

// Ranks 0 and 2 send to 1 and 3 on a ring of four, which is symmetric; the receivers and the
// senders are two classes.
TEST(Fold, SendsAndReceives) {
    const Machine machine = machine_of({dimension(DimensionKind::Ring, 4, 50, 500)});
    const engine::Workload workload = test::workload_of(4, [](Rank rank) {
        const std::int32_t own = rank.value();
        return own % 2 == 0 ? std::vector{test::send_node(1, own + 1, 4096, 7 + own)}
                            : std::vector{test::receive_node(1, own - 1, 4096, 6 + own)};
    });
    EXPECT_EQ(expect_equal_runs(workload, machine), 2U);
}

// Who sends nothing in an unequal all-to-all may receive, and not all receive alike.
TEST(Fold, SilentMembersOfAnUnequalAllToAll) {
    const Machine machine = machine_of({dimension(DimensionKind::Switch, 4, 50, 500)});
    const engine::Workload workload = test::workload_of(4, [](Rank rank) {
        const bool sends = rank.value() == 0;
        chakra::Node node =
            test::collective_node(1, chakra::CollectiveType::AllToAll, sends ? 1'000'010 : 0);
        node.set("comm_sizes", sends ? std::vector<std::int64_t>{0, 0, 1'000'000, 10}
                                     : std::vector<std::int64_t>{0, 0, 0, 0});
        return std::vector{node};
    });
    EXPECT_EQ(expect_equal_runs(workload, machine), 4U);
}

// A collective of no bytes is no turn of its communicator's: those after it keep names and sizes.
TEST(Fold, CollectivesWithoutBytesAreNotCounted) {
    const Machine machine = machine_of({dimension(DimensionKind::Ring, 4, 50, 500)});
    const engine::Workload workload = test::workload_of(4, [](Rank) {
        chakra::Node filled = test::collective_node(2, chakra::CollectiveType::AllReduce, 1 << 20);
        filled.name = "filled";
        return std::vector{test::collective_node(1, chakra::CollectiveType::AllReduce, 0), filled};
    });
    EXPECT_EQ(expect_equal_runs(workload, machine), 1U);
    for (const Fidelity fidelity :
         {Fidelity::Analytical, Fidelity::CongestionAware, Fidelity::Packet}) {
        const engine::Results results = simulate(workload, machine, fidelity);
        ASSERT_EQ(results.collectives.size(), 1U);
        EXPECT_EQ(results.collectives[0].name, "filled");
        EXPECT_EQ(results.collectives[0].bytes, Bytes(1 << 20));
        EXPECT_LE(results.collectives[0].least,
                  results.collectives[0].end - results.collectives[0].first_start);
    }
}

// A root sends the same to two leaves through one port: they are served one after the other and
// must not be taken for one.
TEST(Fold, LeavesOfARootAreNotAlike) {
    Machine machine = machine_of({dimension(DimensionKind::Switch, 4, 50, 500)});
    machine.system.implementations(engine::CollectiveKind::Broadcast).front().algorithm =
        engine::Algorithm::Direct;
    const engine::Workload workload = test::workload_of(4, [](Rank) {
        return std::vector{test::collective_node(1, chakra::CollectiveType::Broadcast, 1 << 20)};
    });
    EXPECT_EQ(expect_equal_runs(workload, machine), 4U);
}

// Without latency a message arrives at the instant of sending. On a 3 x 2 mesh numbered in a snake,
// 0 1 2 over 5 4 3, ranks 3 and 5 send to 0 over the link from 5: 3 its part of the all-to-all, 5
// its part of the all-gather. The all-to-all is the lower node and comes first. The same order must
// hold at 5, to which 2 and 0 send, though rank 0 issues before rank 2.
TEST(Fold, ArrivalsAtTheInstantOfSendingAreInOrderOfContent) {
    test::TestMachine made;
    made.network = topology::parse_network(
        "topology: [Mesh2D]\nnpus_count: [[3, 2]]\nbandwidth: [[25, 50]]\nlatency: [0]\n"
        "placement: snake\n",
        "network.yml");
    const Machine machine = as_machine(made);
    const std::vector<engine::Group> pairs{
        {"0", {Rank(0), Rank(3)}}, {"1", {Rank(1), Rank(4)}}, {"2", {Rank(2), Rank(5)}}};
    const engine::Workload workload = test::workload_of(
        6,
        [](Rank rank) {
            return std::vector{test::collective_node(1, chakra::CollectiveType::AllToAll, 60,
                                                     std::to_string(rank.value() % 3)),
                               test::collective_node(2, chakra::CollectiveType::AllGather, 60)};
        },
        pairs, workload_options(machine));
    EXPECT_EQ(expect_equal_runs(workload, machine), 3U);
    RunOptions unfolded;
    unfolded.fold = false;
    const std::vector<engine::NpuResult> npus =
        simulate(workload, machine, Fidelity::Analytical, unfolded).npus;
    EXPECT_EQ(npus[0].finish, npus[5].finish);
    EXPECT_EQ(npus[1].finish, npus[4].finish);
    EXPECT_EQ(npus[2].finish, npus[3].finish);
}

/// The same program on every rank: collectives over the communicators of a grid and over pairs,
/// sends to the next rank of the grid's first axis or of its diagonal, computes, with random
/// dependencies and sizes.
class RandomProgram {
public:
    RandomProgram(std::uint64_t seed, std::int32_t width, std::int32_t height)
        : random_(seed), width_(width), height_(height) {
        const std::uint64_t nodes = 3 + draw(10);
        for (std::uint64_t node = 1; node <= nodes; ++node) {
            Step step;
            step.kind = draw(8);
            step.size = static_cast<std::int64_t>(1 + draw(64)) * (draw(4) == 0 ? 1000 : 4096);
            if (step.kind >= 2 && draw(6) == 0) {
                step.size = 0;
            }
            step.axis = draw(4);
            step.type = draw(9);
            if (node > 1 && draw(3) > 0) {
                step.after = 1 + draw(node - 1);
            }
            steps_.push_back(step);
        }
    }

    [[nodiscard]] std::vector<engine::Group> groups() const {
        std::vector<engine::Group> result;
        for (std::int32_t y = 0; y < height_; ++y) {
            result.push_back({"row" + std::to_string(y), {}});
            for (std::int32_t x = 0; x < width_; ++x) {
                result.back().ranks.emplace_back(y * width_ + x);
            }
        }
        for (std::int32_t x = 0; x < width_; ++x) {
            result.push_back({"column" + std::to_string(x), {}});
            for (std::int32_t y = 0; y < height_; ++y) {
                result.back().ranks.emplace_back(y * width_ + x);
            }
        }
        for (std::int32_t first = 0; first < ranks() / 2; ++first) {
            result.push_back(
                {"pair" + std::to_string(first), {Rank(first), Rank(first + ranks() / 2)}});
        }
        return result;
    }

    [[nodiscard]] std::vector<chakra::Node> nodes(Rank rank) const {
        using chakra::CollectiveType;
        const std::int32_t x = rank.value() % width_;
        const std::int32_t y = rank.value() / width_;
        const std::string pair = "pair" + std::to_string(rank.value() % (ranks() / 2));
        const std::string names[] = {"row" + std::to_string(y), "column" + std::to_string(x), "",
                                     ranks() % 2 == 0 ? pair : ""};
        constexpr CollectiveType types[] = {
            CollectiveType::AllReduce,     CollectiveType::AllGather, CollectiveType::ReduceScatter,
            CollectiveType::AllToAll,      CollectiveType::AllReduce, CollectiveType::AllGather,
            CollectiveType::ReduceScatter, CollectiveType::AllToAll,  CollectiveType::Barrier};
        std::vector<chakra::Node> result;
        std::uint64_t id = 10;
        for (std::size_t i = 0; i < steps_.size(); ++i) {
            const Step& step = steps_[i];
            std::vector<std::uint64_t> after;
            if (step.after > 0) {
                after.push_back(10 * step.after);
            }
            if (step.kind < 2) {
                result.push_back(test::compute_node(id, step.size % 50, after));
            } else if (step.kind == 2) {
                const std::int32_t up = step.axis < 2 ? 0 : 1;
                const std::int32_t to = (y + up) % height_ * width_ + (x + 1) % width_;
                const std::int32_t from =
                    (y + height_ - up) % height_ * width_ + (x + width_ - 1) % width_;
                const auto tag = static_cast<std::int32_t>(i);
                result.push_back(test::receive_node(id, from, step.size, tag, after));
                result.push_back(test::send_node(id + 1, to, step.size, tag, after));
            } else {
                result.push_back(test::collective_node(id, types[step.type], step.size,
                                                       names[step.axis], after));
            }
            id += 10;
        }
        return result;
    }

private:
    struct Step {
        std::uint64_t kind = 0;
        std::int64_t size = 0;
        std::uint64_t axis = 0;
        std::uint64_t type = 0;
        std::uint64_t after = 0;
    };

    std::uint64_t draw(std::uint64_t below) { return random_() % below; }
    [[nodiscard]] std::int32_t ranks() const { return width_ * height_; }

    std::mt19937_64 random_;
    std::int32_t width_;
    std::int32_t height_;
    std::vector<Step> steps_;
};

std::vector<NodeId> random_placement(const topology::NetworkDescription& network,
                                     std::mt19937_64& random) {
    std::vector<NodeId> npus = network.npu_of_rank;
    switch (random() % 4) {
        case 0:
            return topology::snake_placement(network.dimensions);
        case 1:
            std::shuffle(npus.begin(), npus.end(), random);
            return npus;
        default:
            return npus;
    }
}

/// Whether a case was folded, at least in part.
bool random_program_is_folded(std::uint64_t seed, Fidelity fidelity) {
    constexpr DimensionKind kinds[] = {DimensionKind::Ring, DimensionKind::FullyConnected,
                                       DimensionKind::Switch, DimensionKind::Mesh1D};
    constexpr std::int32_t sizes[] = {2, 3, 4, 6};
    const char* const algorithms[] = {
        "ring",    "direct",    "direct2",  "halvingDoubling", "bidirectionalRing",
        "oneRing", "oneDirect", "multiRing"};
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    const std::int32_t width = sizes[random() % 4];
    const std::int32_t height = sizes[random() % 4];
    const auto any_dimension = [&](std::int32_t size) {
        constexpr std::int64_t rates[] = {10, 25, 50};
        constexpr std::int64_t latencies[] = {0, 500, 700};
        return dimension(kinds[random() % 4], size, rates[random() % 3],
                         latencies[random() % (seed % 4 == 0 ? 3 : 1 + seed % 2)]);
    };
    const topology::Dimension first = any_dimension(width);
    Machine machine = machine_of({first, any_dimension(height)});
    machine.network.npu_of_rank = random_placement(machine.network, random);
    machine.system.roofline = false;
    machine.system.preferred_dataset_splits = 1 + static_cast<std::int32_t>(random() % 3);
    machine.system.active_chunks_per_dimension = 1 + static_cast<std::int32_t>(random() % 2);
    machine.system.endpoint_delay = Time::ns(static_cast<std::int64_t>(random() % 2) * 10);
    for (const auto kind :
         {engine::CollectiveKind::AllReduce, engine::CollectiveKind::AllGather,
          engine::CollectiveKind::ReduceScatter, engine::CollectiveKind::AllToAll}) {
        machine.system.implementations(kind) = {
            *engine::Implementation::named(algorithms[random() % 8])};
    }
    if (fidelity == Fidelity::Fluid && seed % 4 == 1) {
        topology::TrafficClasses& classes = machine.network.packet.classes;
        classes.count = 2;
        classes.weights = {static_cast<std::uint8_t>(1 + seed % 3), 1};
        classes.class_of[static_cast<std::size_t>(Communication::AllToAll)] = 1;
        classes.class_of[static_cast<std::size_t>(Communication::SendReceive)] = 1;
    }
    if (fidelity == Fidelity::Fluid && seed % 4 == 3) {
        const LinkId link(seed % machine.network.graph.links());
        machine.network.faults.links = {
            {link, Time(), Time::ns(50'000), topology::Factor{topology::Factor::one / 4}, Time()}};
    }
    const RandomProgram program(seed, width, height);
    const engine::Workload workload = engine::make_workload(
        static_cast<std::size_t>(width) * static_cast<std::size_t>(height),
        [&](Rank rank) { return program.nodes(rank); }, [](Rank) { return std::string("random"); },
        program.groups(), workload_options(machine));
    return expect_equal_runs(workload, machine, fidelity) < workload.ranks();
}

/// How many of the cases were folded.
std::uint64_t folded_random_programs(std::uint64_t cases, Fidelity fidelity) {
    std::uint64_t folded = 0;
    for (std::uint64_t seed = 0; seed < cases && !testing::Test::HasFailure(); ++seed) {
        folded += random_program_is_folded(seed, fidelity) ? 1 : 0;
    }
    test::count_cases(cases);
    return folded;
}

// Links of one latency and rate, of two, and of zero latency, where much happens at one instant.
TEST(Fold, RandomProgramsOnRandomMachines) {
    const std::uint64_t cases = test::random_cases(1000, 20'000);
    EXPECT_GT(folded_random_programs(cases, Fidelity::Analytical), cases / 3);
}

// Where links stand for others as well, shared out or not; also with traffic classes, and with slow
// links, where nothing is folded.
TEST(Fold, RandomProgramsOnFluidLinks) {
    const std::uint64_t cases = test::random_cases(400, 10'000);
    EXPECT_GT(folded_random_programs(cases, Fidelity::Fluid), cases / 10);
}

// On links without latency what happens at one leads to something at another in the same instant:
// the numbers of links, which the fold changes, must not decide which of them has heard of it.
TEST(Fold, FluidLinksHearOfAnInstantTogether) {
    EXPECT_TRUE(random_program_is_folded(3074, Fidelity::Fluid));
}

// A listing keeps each value where it first came; against looking through the list.
TEST(Fold, ListingsKeepTheFirstOfEqualValues) {
    std::mt19937_64 random(7);
    for (std::size_t length = 0; length < 60; ++length) {
        std::vector<int> came;
        std::vector<int> different;
        for (std::size_t i = 0; i < length; ++i) {
            const int value = static_cast<int>(random() % 20);
            came.push_back(value);
            if (std::find(different.begin(), different.end(), value) == different.end()) {
                different.push_back(value);
            }
        }
        const engine::Listing<int> listing(came);
        ASSERT_EQ(listing.values(), different);
        for (int value = 0; value < 20; ++value) {
            const auto found = std::find(different.begin(), different.end(), value);
            const auto place = static_cast<std::size_t>(found - different.begin());
            EXPECT_EQ(listing.place_of(value),
                      found == different.end() ? std::nullopt : std::optional(place));
        }
    }
}

// Collectives of a communication library in closed form; interleaved stages, whose messages of
// equal numbers reach one port.
TEST(Fold, LibrariesAndInterleavedStages) {
    const generators::ModelSpec model = test::tiny_model();
    Machine machine = machine_of({dimension(DimensionKind::Switch, 4, 300, 500),
                                  dimension(DimensionKind::Switch, 8, 25, 2000)});
    std::vector<std::string> warnings;
    const engine::LibraryProfile profile = engine::find_library_profile("nccl-2.29", "", warnings);
    for (const bool with_library : {false, true}) {
        if (with_library) {
            machine.system.library = std::make_shared<const engine::LibraryInUse>(
                engine::library_in_use(profile, profile.gpu("a100", "test", "gpu")));
        }
        generators::Plan plan;
        plan.tp = 4;
        plan.pp = 2;
        plan.dp = 4;
        plan.vpp = 2;
        plan.schedule = generators::Schedule::Interleaved;
        plan.batch = 32;
        plan.sequence_parallel = true;
        plan.zero = 1;
        plan.overlap_grad_reduce = true;
        const engine::Workload workload =
            workload_from(generators::generate(model, plan), workload_options(machine));
        const std::uint64_t simulated = expect_equal_runs(workload, machine);
        EXPECT_EQ(simulated, 2U) << with_library;
    }
}

}  // namespace
}  // namespace npunet::study::fold_test
