// A sweep over the stage dialect: its keys, and that its points are the runs of the generator.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/errors.h"
#include "generators/stage/stage_workload.h"
#include "study/generated_workload.h"
#include "study/simulation_run.h"
#include "study/sweep/design_space.h"
#include "study/sweep/point_runner.h"
#include "tests/support/refusals.h"
#include "tests/support/temporary_folder.h"

namespace npunet::study {
namespace {

using ::testing::HasSubstr;

const std::string workload =
    "workload: {dialect: stage, din: 1000, dout: 1000, dmodel: 256, dff: 1024, head: 8, seq: 128, "
    "batch: 16, num_stacks: 2}\n";

class StageSweep : public ::testing::Test {
protected:
    void SetUp() override {
        write("net.yml", "topology: [Ring]\nnpus_count: [4]\nbandwidth: [50]\nlatency: [500]\n");
        write("system.json", R"({"roofline-enabled": 1, "local-mem-bw": 1600, "peak-perf": 900})");
    }
    void write(const std::string& name, const std::string& text) const {
        folder_.write(name, text);
    }
    [[nodiscard]] DesignSpace read(const std::string& text) const {
        write("sweep.yml", text + "systems: system.json\nnetworks: net.yml\n");
        return read_design_space((folder_ / "sweep.yml").string());
    }
    [[nodiscard]] std::string error_of(const std::string& text) const {
        return test::message_of<InputError>([&] { return read(text); });
    }
    [[nodiscard]] Time finish_of(const generators::StageArguments& arguments,
                                 const std::string& dialect) const {
        Machine machine = load_machine((folder_ / "net.yml").string(),
                                       (folder_ / "system.json").string(), dialect);
        machine.system.track_memory = true;
        return simulate(workload_from(generators::generate(arguments), workload_options(machine)),
                        machine, Fidelity::Analytical)
            .finish;
    }

    test::TemporaryFolder folder_;
};

// Both issue orders in one sweep: the same plan must not share what depends on the order.
TEST_F(StageSweep, PointsAreRunsOfTheGenerator) {
    const DesignSpace space =
        read(workload +
             "plan: {dp: [1, 2], tp: [1, 2], sp: [1, 2], activation_recompute: [0, true]}\n"
             "where: dp * tp * sp == npus\ndialects: [astra-sim, astra-sim-2025-03]\n");
    ASSERT_EQ(space.points.size(), 12U);
    PointRunner runner(space, 1);
    static_cast<void>(runner.prepare());
    bool orders_differ = false;
    for (std::size_t i = 0; i < space.points.size(); ++i) {
        const Point& point = space.points[i];
        SCOPED_TRACE(space.describe(point));
        generators::StageArguments arguments;
        arguments.din = arguments.dout = 1000;
        arguments.dmodel = 256;
        arguments.dff = 1024;
        arguments.head = 8;
        arguments.seq = 128;
        arguments.batch = 16;
        arguments.num_stacks = 2;
        arguments.dp = *space.find(point, "dp")->number;
        arguments.tp = *space.find(point, "tp")->number;
        arguments.sp = *space.find(point, "sp")->number;
        arguments.activation_recompute = *space.find(point, "activation_recompute")->number != 0;
        const std::string dialect = space.find(point, "dialect")->text;
        const Outcome outcome = runner.run({i, i});
        Time expected;
        try {
            expected = finish_of(arguments, dialect);
        } catch (const StallError&) {
            EXPECT_EQ(outcome.failure, "stalled");
            continue;
        }
        EXPECT_EQ(outcome.largest.finish, expected);
        orders_differ = orders_differ ||
                        (dialect != "astra-sim" && expected != finish_of(arguments, "astra-sim"));
    }
    EXPECT_TRUE(orders_differ);
}

TEST_F(StageSweep, RefusesWhatStageDoesNotHave) {
    EXPECT_THAT(error_of("workload: {dialect: stage, model: gpt2-small}\n"), HasSubstr("model"));
    EXPECT_THAT(error_of(workload + "plan: {schedule: gpipe}\n"), HasSubstr("schedule"));
    EXPECT_THAT(error_of(workload + "plan: {activation_recompute: [2]}\n"), HasSubstr("'2'"));
    EXPECT_THAT(error_of("workload: {dialect: stages}\n"), HasSubstr("stage"));
}

TEST_F(StageSweep, PlansThatDoNotDivideAreErrorsOfTheirPoint) {
    const DesignSpace space = read(workload + "plan: {dp: 4, tp: 2}\n");
    PointRunner runner(space, 1);
    static_cast<void>(runner.prepare());
    EXPECT_THAT(runner.run({0, 0}).message, HasSubstr("8 ranks"));
}

}  // namespace
}  // namespace npunet::study
