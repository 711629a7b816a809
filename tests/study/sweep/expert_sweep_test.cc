// A sweep over where tokens go: its points are the runs of the generator.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "generators/transformer/memory_estimate.h"
#include "generators/transformer/model_library.h"
#include "generators/transformer/moe_routing.h"
#include "generators/transformer/training_step.h"
#include "study/generated_workload.h"
#include "study/simulation_run.h"
#include "study/sweep/design_space.h"
#include "study/sweep/point_runner.h"
#include "tests/support/temporary_folder.h"

namespace npunet::study {
namespace {

using ::testing::HasSubstr;

class ExpertSweep : public ::testing::Test {
protected:
    void SetUp() override {
        write("net.yml", "topology: [Ring]\nnpus_count: [4]\nbandwidth: [50]\nlatency: [500]\n");
        write("system.json", R"({"roofline-enabled": 1, "local-mem-bw": 1600, "peak-perf": 900})");
        write("counts.txt", "* 1 2 3 4 5 6 7 80\n");
        write("moe.yml",
              "hidden: 64\nlayers: 2\nheads: 4\nffn: 64\nvocab: 64\nseq: 32\n"
              "moe: {experts: 8, top_k: 2}\n");
    }
    void write(const std::string& name, const std::string& text) const {
        folder_.write(name, text);
    }
    [[nodiscard]] std::string path(const std::string& name) const {
        return (folder_ / name).string();
    }
    [[nodiscard]] DesignSpace read(const std::string& text) const {
        write("sweep.yml", text + "systems: system.json\nnetworks: net.yml\n");
        return read_design_space(path("sweep.yml"));
    }

    test::TemporaryFolder folder_;
};

// Time of a simulation, and its peak as predicted, of every routing, capacity and seed.
TEST_F(ExpertSweep, PointsAreRunsOfTheGenerator) {
    const DesignSpace space = read(
        "workload: {model: moe.yml, batch: 8, micro_batch: 1}\n"
        "plan: {dp: 4, ep: 4, moe_routing: [uniform, 'zipf:1.2', counts.txt],\n"
        "       capacity_factor: [0, 0.75], seed: [1, 5]}\n");
    ASSERT_EQ(space.points.size(), 12U);
    PointRunner runner(space, 1);
    static_cast<void>(runner.prepare());
    Machine machine = load_machine(path("net.yml"), path("system.json"), "npunet");
    machine.system.track_memory = true;
    std::set<Time> times;
    for (std::size_t i = 0; i < space.points.size(); ++i) {
        const Point& point = space.points[i];
        SCOPED_TRACE(space.describe(point));
        generators::ModelSpec model = generators::load_model(path("moe.yml"));
        const std::string routing = space.find(point, "moe_routing")->text;
        model.moe.routing =
            generators::routing_named(routing == "counts.txt" ? path(routing) : routing, "here");
        model.moe.capacity_factor = std::stod(space.find(point, "capacity_factor")->text);
        generators::Plan plan;
        plan.dp = 4;
        plan.ep = 4;
        plan.batch = 8;
        plan.seed = static_cast<std::uint64_t>(*space.find(point, "seed")->number);
        plan = generators::resolve_plan(model, plan);
        const engine::Results expected =
            simulate(workload_from(generators::generate(model, plan), workload_options(machine)),
                     machine, Fidelity::Analytical);
        const Outcome outcome = runner.run({i, i});
        EXPECT_EQ(outcome.failure, "");
        EXPECT_EQ(outcome.largest.finish, expected.finish);
        EXPECT_EQ(outcome.largest.peak_memory.value(),
                  generators::memory_of_stages(model, plan).front().peak());
        times.insert(expected.finish);
    }
    // Uniform routing draws nothing; the others differ.
    EXPECT_GT(times.size(), 6U);
}

TEST_F(ExpertSweep, RoutingNeedsExperts) {
    for (const char* key : {"moe_routing: uniform", "capacity_factor: 1"}) {
        const DesignSpace space = read(
            std::string("workload: {model: gpt2-small, batch: 4}\nplan: {dp: 4, ") + key + "}\n");
        PointRunner runner(space, 1);
        static_cast<void>(runner.prepare());
        EXPECT_THAT(runner.run({0, 0}).message, HasSubstr("without experts"));
    }
}

// Megatron-LM's names: the same steps as zero 1 and full recomputation.
TEST_F(ExpertSweep, OtherNamesMeanTheSame) {
    const auto finish = [this](const std::string& plan) {
        const DesignSpace space =
            read("workload: {model: moe.yml, batch: 8}\nplan: {dp: 4, " + plan + "}\n");
        PointRunner runner(space, 1);
        static_cast<void>(runner.prepare());
        return runner.run({0, 0}).largest.finish;
    };
    EXPECT_EQ(finish("distributed_optimizer: true"), finish("zero: 1"));
    EXPECT_EQ(finish("distributed_optimizer: false"), finish("zero: 0"));
    EXPECT_NE(finish("zero: 1"), finish("zero: 0"));
    EXPECT_EQ(finish("activation_recompute: true"), finish("recompute: full"));
    EXPECT_EQ(finish("activation_recompute: false"), finish("recompute: none"));
}

// What goes with a step's products, the type of these, and what runs beside them.
TEST_F(ExpertSweep, StepOperationsChangeTheStep) {
    const auto outcome = [this](const std::string& plan) {
        const DesignSpace space =
            read("workload: {model: gpt2-small, batch: 4, seq: 64}\nplan: {dp: 2, tp: 2, " + plan +
                 "}\n");
        PointRunner runner(space, 1);
        static_cast<void>(runner.prepare());
        return runner.run({0, 0});
    };
    const auto finish = [&](const std::string& plan) { return outcome(plan).largest.finish; };
    const Time core = finish("step_ops: core, precision: bf16, tp_comm_overlap: 0");
    const Time full = finish("step_ops: full");
    EXPECT_EQ(full, finish("recompute: none"));
    EXPECT_GT(full, core);
    // At 1600 GB/s the bytes of operands count.
    EXPECT_LT(finish("step_ops: core, precision: fp8"), core);
    EXPECT_LT(finish("tp_comm_overlap: 0.5"), full);
    EXPECT_THAT(outcome("tp_comm_overlap: 1.5").message,
                HasSubstr("tp_comm_overlap: found 1.5; expected a share from 0 to 1"));
}

}  // namespace
}  // namespace npunet::study
