// Pipelines as STAGE lays them out, whose receives wait for nothing, run to their end under the
// rules of the npunet dialect.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "generators/stage/stage_workload.h"
#include "study/generated_workload.h"
#include "study/simulation_run.h"
#include "tests/support/machines.h"
#include "tests/support/shared_data.h"
#include "tests/support/stage_cases.h"

namespace npunet::study::stage_pipeline_test {
namespace {

namespace fs = std::filesystem;

Machine ring_of(std::int64_t npus) {
    test::TestMachine machine = test::ring_machine(npus, Rate(50'000'000'000), Time::ns(500));
    machine.system.roofline = true;
    machine.system.compute = {312, 2039};
    return {machine.dialect, machine.network, machine.system, {}};
}

generators::StageArguments small_step() {
    generators::StageArguments arguments;
    arguments.din = 512;
    arguments.dout = 512;
    arguments.dmodel = 128;
    arguments.dff = 256;
    arguments.head = 8;
    arguments.seq = 64;
    arguments.batch = 16;
    return arguments;
}

/// Runs to the end, at both fidelities, and folded as with every NPU.
void expect_finish(const generators::StageArguments& arguments, const Machine& machine) {
    const engine::Workload workload =
        workload_from(generators::generate(arguments), workload_options(machine));
    RunOptions unfolded;
    unfolded.fold = false;
    const Time folded = simulate(workload, machine, Fidelity::Analytical).finish;
    const engine::Results results = simulate(workload, machine, Fidelity::Analytical, unfolded);
    EXPECT_EQ(results.finish, folded);
    EXPECT_NO_THROW(static_cast<void>(simulate(workload, machine, Fidelity::CongestionAware)));
}

TEST(StagePipeline, EveryPlanFinishes) {
    for (std::int64_t pp = 2; pp <= 4; ++pp) {
        for (std::int64_t plan = 1; plan < 8; ++plan) {
            generators::StageArguments arguments = small_step();
            arguments.pp = pp;
            arguments.dp = (plan & 1) != 0 ? 2 : 1;
            arguments.tp = (plan & 2) != 0 ? 2 : 1;
            arguments.sp = (plan & 4) != 0 ? 2 : 1;
            for (const std::int64_t layers : {2, 5}) {
                arguments.num_stacks = layers;
                for (const bool sharded : {false, true}) {
                    arguments.weight_sharded = sharded;
                    arguments.activation_recompute = layers == 5;
                    SCOPED_TRACE(fmt::format("pp {}, plan {}, {} layers, sharded {}", pp, plan,
                                             layers, sharded));
                    expect_finish(arguments, ring_of(arguments.world()));
                }
            }
        }
    }
}

// The sanity workload of the exercise on networks of the collection. One communication of an NPU at
// a time, whatever is ready first, takes about as long: within a tenth.
TEST(StagePipeline, TheSanityWorkloadFinishes) {
    generators::StageArguments arguments;
    arguments.dp = arguments.tp = arguments.pp = arguments.sp = 2;
    arguments.activation_recompute = true;
    arguments.din = arguments.dout = 32000;
    arguments.dmodel = 8192;
    arguments.dff = 28672;
    arguments.head = 64;
    arguments.batch = 512;
    arguments.num_stacks = 8;
    const auto finish = [&](const Machine& machine) {
        const engine::Workload workload =
            workload_from(generators::generate(arguments), workload_options(machine));
        return static_cast<double>(simulate(workload, machine, Fidelity::Analytical).finish.ps());
    };
    for (const char* name : {"mesh-4x4", "torus-4x4"}) {
        SCOPED_TRACE(name);
        const std::string network =
            fmt::format("{}/configs/networks/{}.yml", NPUNET_SOURCE_DIR, name);
        Machine machine = load_machine(network, "", "npunet");
        Machine other = load_machine(network, "", "astra-sim");
        machine.system.roofline = other.system.roofline = true;
        machine.system.compute = other.system.compute = {312, 2039};
        expect_finish(arguments, machine);
        EXPECT_NEAR(finish(machine) / finish(other), 1, 0.1);
    }
}

TEST(StagePipeline, RecordedCasesFinish) {
    NPUNET_SKIP_WITHOUT_SHARED_DATA();
    std::size_t pipelines = 0;
    for (const fs::path& folder : test::stage_cases(NPUNET_SHARED_DIR)) {
        const auto arguments = test::stage_arguments(folder);
        if (!arguments || arguments->pp == 1) {
            continue;
        }
        SCOPED_TRACE(folder.string());
        ++pipelines;
        expect_finish(*arguments, load_machine((folder / "network.yml").string(),
                                               (folder / "system.json").string(), "npunet"));
    }
    EXPECT_GE(pipelines, 4U);
}

}  // namespace
}  // namespace npunet::study::stage_pipeline_test
