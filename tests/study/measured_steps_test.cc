// Measured training steps beside predicted ones: rows, quantities, times, fits.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "base/errors.h"
#include "engine/device/kernel_time.h"
#include "engine/device/stack_profile.h"
#include "generators/transformer/training_step.h"
#include "study/steps/measured_steps.h"
#include "study/steps/stack_fit.h"
#include "study/steps/step_ledger.h"
#include "tests/support/counted_cases.h"
#include "tests/support/temporary_folder.h"

namespace npunet::study::measured_steps_test {
namespace {

using testing::Contains;
using testing::HasSubstr;

const std::string header =
    "id,group,gpu,gpus,gpus_per_node,intra_link,inter_link,model,layers,hidden,heads,kv_heads,seq,"
    "vocab,global_batch,micro_batch,tp,pp,dp,cp,vpp,sp,recompute,zero,precision,quantity,value,"
    "unit,notes\n";
const std::string a100_step =
    "a,g,A100-SXM4-80GB,32,8,NVLink3+NVSwitch 300 GB/s per direction,8 x HDR 200 Gb/s per node,"
    "GPT 1.7B,24,2304,24,,2048,51200,512,16,1,1,32,,1,0,full (uniform),0,fp16 mixed,"
    "achieved_tflops_per_gpu,137,TFLOP/s,\n";
const std::string h100_step =
    "b,g,H100-SXM5-80GB,8,8,NVLink4 450 GB/s per direction,400 Gb/s per GPU,Llama 3.1 8B,2,4096,"
    "32,8,8192,128256,8,1,2,1,4,1,1,1,none,distributed optimizer,bf16,iteration_time,1.5,s,"
    "ffn 14336\n";

std::vector<MeasuredStep> steps_of(const std::string& rows) {
    const test::TemporaryFolder folder;
    std::ofstream(folder.path() / "steps.csv") << header << rows;
    return read_measured_steps((folder.path() / "steps.csv").string());
}

TEST(MeasuredSteps, AreModelsPlansAndMachines) {
    const MeasuredStep gpt = steps_of(a100_step).at(0);
    EXPECT_EQ(gpt.skipped, "");
    EXPECT_EQ(gpt.device, "a100-sxm4-80gb");
    EXPECT_EQ(gpt.stack, "megatron-nemo-24");
    EXPECT_EQ(gpt.domain, 8);
    EXPECT_EQ(gpt.intra_gb_s, 300);
    EXPECT_EQ(gpt.inter_gb_s, 25);  // 8 NICs of 200 Gb/s for 8 GPUs
    EXPECT_EQ(gpt.plan.dp, 32);
    EXPECT_EQ(gpt.plan.recompute, generators::Recompute::Full);
    EXPECT_TRUE(gpt.model.dropout);
    EXPECT_FALSE(gpt.model.gated);

    const MeasuredStep llama = steps_of(h100_step).at(0);
    EXPECT_EQ(llama.model.ffn, 14336);
    EXPECT_TRUE(llama.model.gated);
    EXPECT_TRUE(llama.plan.sequence_parallel);
    EXPECT_EQ(llama.plan.zero, 1);
    EXPECT_EQ(llama.inter_gb_s, 50);
    EXPECT_TRUE(llama.assumed.empty()) << llama.assumed.front();
}

// NVLS needs switches that reduce, which the A100's do not.
TEST(MeasuredSteps, SwitchesOfHopperReduce) {
    const engine::StackProfile stack = engine::load_stack_profile("megatron-nemo-24");
    const auto reducing = [&](const std::string& row) {
        return machine_of(steps_of(row).at(0), stack).network.reducing_switches.size();
    };
    EXPECT_EQ(reducing(a100_step), 0U);
    EXPECT_EQ(reducing(h100_step), 1U);
}

// Whole steps packet by packet, against the estimate that the ledger is of. The first row is on 16
// GPUs; the others, on 64 to 128, run in scripts/test-long.
TEST(MeasuredSteps, TakeAsLongInPackets) {
    const std::vector<std::string> ids{"MPT-075", "MPT-073", "MPT-072",
                                       "MPT-035", "MPT-018", "MPT-025"};
    const std::uint64_t count = std::min<std::uint64_t>(test::random_cases(1, 6), ids.size());
    const std::vector<MeasuredStep> all = read_measured_steps(measured_steps_file());
    for (std::uint64_t i = 0; i < count; ++i) {
        const auto step = std::find_if(
            all.begin(), all.end(), [&](const MeasuredStep& other) { return other.id == ids[i]; });
        ASSERT_NE(step, all.end()) << ids[i];
        StepOptions packets;
        packets.fidelity = Fidelity::Packet;
        const double estimate = step_ledger({*step}, {}).rows.at(0).seconds;
        const double simulated = step_ledger({*step}, packets).rows.at(0).seconds;
        ASSERT_GT(estimate, 0) << ids[i];
        EXPECT_NEAR(simulated / estimate, 1, 0.002) << ids[i];
    }
    test::count_cases(count);
}

TEST(MeasuredSteps, SayWhyTheyAreSkippedAndWhatIsAssumed) {
    const auto changed = [](std::string row, const std::string& from, const std::string& to) {
        row.replace(row.find(from), from.size(), to);
        return steps_of(row).at(0);
    };
    EXPECT_EQ(changed(h100_step, "iteration_time", "all_reduce_time").skipped,
              "not a training step");
    EXPECT_EQ(changed(h100_step, ",8,1,2,1,4,", ",8,,2,1,4,").skipped, "micro-batch not stated");
    EXPECT_EQ(changed(h100_step, "H100-SXM5-80GB", "GB300").skipped,
              "no device profile for 'GB300'");
    EXPECT_EQ(changed(h100_step, "1.5,s", "1.5,h").skipped, "unit 'h'");
    EXPECT_EQ(changed(h100_step, "1.5,s", ",s").skipped, "the column value has no positive number");
    EXPECT_EQ(changed(h100_step, "bf16", "NVFP4").skipped, "no measured rates of fp4");
    EXPECT_EQ(changed(h100_step, ",8,8,NVLink4", ",9,8,NVLink4").skipped,
              "tp x pp x cp does not divide the number of GPUs");
    EXPECT_THAT(changed(h100_step, "400 Gb/s per GPU", "").assumed, testing::IsEmpty());
    EXPECT_THAT(changed(h100_step, "ffn 14336", "").assumed, Contains("ffn 14336"));
    EXPECT_THAT(changed(h100_step, ",1,1,none,", ",1,,none,").assumed, Contains("sp 1"));
    EXPECT_EQ(changed(h100_step, "Llama 3.1 8B", "LLAMA3_70B (LoRA)").skipped,
              "adapters alone are trained (LoRA)");
    // A plan that cannot be is a reason, too.
    const StepLedger ledger = step_ledger({changed(h100_step, "8,1,2,1,4", "7,1,2,1,4")}, {});
    EXPECT_THAT(ledger.rows.at(0).step.skipped, HasSubstr("batch"));
    EXPECT_EQ(ledger.all.answered, 0U);
}

TEST(MeasuredSteps, LayersThatDoNotDivideLeaveTheEndsShorter) {
    std::string row = h100_step;
    row.replace(row.find(",2,4096"), 7, ",6,4096");
    row.replace(row.find(",8,8,NVLink4"), 12, ",64,8,NVLink4");
    row.replace(row.find("8,1,2,1,4,1,1,1,none"), 20, "64,1,2,4,8,1,2,1,none");
    const MeasuredStep step = steps_of(row).at(0);
    EXPECT_EQ(step.skipped, "the virtual stages do not divide the layers");
    row.replace(row.find(",6,4096"), 7, ",14,4096");
    const MeasuredStep uneven = steps_of(row).at(0);
    EXPECT_EQ(uneven.skipped, "");
    EXPECT_EQ(uneven.plan.first_stage_layers, 1);
    EXPECT_EQ(uneven.plan.last_stage_layers, 1);
}

// Narayanan et al. 2021, eq. 3 and table 1: 137 TFLOP/s of 512 sequences of 2048 tokens.
TEST(MeasuredSteps, QuantitiesAreTimes) {
    const MeasuredStep gpt = steps_of(a100_step).at(0);
    const double s = 2048;
    const double h = 2304;
    const double flops = 96 * 512 * s * 24 * h * h * (1 + s / (6 * h) + 51200 / (16 * 24 * h));
    EXPECT_NEAR(measured_seconds(gpt), flops / 32 / 137e12, 1e-3 * measured_seconds(gpt));
    EXPECT_NEAR(in_unit_of(gpt, measured_seconds(gpt)), 137, 1e-9);

    std::string row = h100_step;
    row.replace(row.find("iteration_time,1.5,s"), 20, "tokens_per_s_per_gpu,4096,token/s");
    const MeasuredStep tokens = steps_of(row).at(0);
    EXPECT_DOUBLE_EQ(measured_seconds(tokens), 8 * 8192 / 8 / 4096.0);
    row.replace(row.find("tokens_per_s_per_gpu,4096,token/s"), 33, "mfu,40,%");
    const MeasuredStep mfu = steps_of(row).at(0);
    EXPECT_NEAR(in_unit_of(mfu, 2 * measured_seconds(mfu)), 20, 1e-9);
}

engine::KernelCall call_of(const generators::KernelInfo& kernel) {
    engine::KernelCall call;
    call.kernel = kernel.kind;
    call.type = kernel.type;
    call.causal = kernel.causal;
    call.launches = kernel.launches;
    call.shape.assign(
        kernel.shape.begin(),
        kernel.shape.begin() + static_cast<std::ptrdiff_t>(chakra::shape_size(kernel.kind)));
    return call;
}

TEST(MeasuredSteps, AStepOfOneGpuIsTheSumOfItsKernels) {
    std::string row = h100_step;
    row.replace(row.find(",8,8,NVLink4"), 12, ",1,8,NVLink4");
    row.replace(row.find("8,1,2,1,4,1,1,1,none"), 20, "2,1,1,1,1,1,1,0,none");
    const MeasuredStep step = steps_of(row).at(0);
    ASSERT_EQ(step.skipped, "");
    const engine::DeviceProfile device = engine::load_device_profile(step.device);
    engine::StackProfile stack = engine::load_stack_profile("megatron-nemo-24");
    const generators::GeneratedWorkload workload =
        generators::generate(step.model, plan_of(step, stack));
    const generators::Role& role = workload.role_of(Rank(0));
    const auto sum_s = [&] {
        double sum = 0;
        for (const generators::NodeTemplate& node : role.nodes) {
            if (node.type == chakra::NodeType::Compute) {
                EXPECT_GE(node.kernel, 0);
                const auto& kernel = role.kernels.at(static_cast<std::size_t>(node.kernel));
                sum += kernel_us(device, stack, call_of(kernel), static_cast<double>(node.bytes));
            }
        }
        return sum * 1e-6;
    };
    // To the picosecond of each kernel.
    const double tolerance = 1e-12 * static_cast<double>(role.nodes.size());
    EXPECT_NEAR(predicted_seconds(step, stack, {}), sum_s(), tolerance);
    stack.devices[step.device] = {0.5, 3, 0, 0};
    EXPECT_NEAR(predicted_seconds(step, stack, {}), sum_s(), tolerance);
    stack.host_us = 1e5;  // then the host decides
    EXPECT_NEAR(predicted_seconds(step, stack, {}), sum_s(), tolerance);
    EXPECT_GT(sum_s(), 10);
}

// Each makes steps longer, but for the two overlaps, which make them shorter.
TEST(MeasuredSteps, EveryIngredientCounts) {
    const MeasuredStep step = steps_of(h100_step).at(0);
    const engine::StackProfile stack = engine::load_stack_profile("megatron-nemo-24");
    const double whole = predicted_seconds(step, stack, {});
    const auto without = [&](Ingredient ingredient) {
        StepOptions options;
        options.without = ingredient;
        return predicted_seconds(step, stack, options);
    };
    for (const Ingredient ingredient :
         {Ingredient::KernelRates, Ingredient::LibraryCosts, Ingredient::StepOperations,
          Ingredient::LoadedRates, Ingredient::ComputeRate, Ingredient::MemoryTime}) {
        EXPECT_LT(without(ingredient), whole) << static_cast<int>(ingredient);
    }
    for (const Ingredient ingredient : {Ingredient::TensorOverlap, Ingredient::GradientOverlap}) {
        EXPECT_GT(without(ingredient), whole) << static_cast<int>(ingredient);
    }
}

// GB200 has the scalars of the H100, which alone was calibrated on the group.
TEST(StepLedger, RowsAreCalibratedOnWhereTheirGpuWas) {
    std::string row = h100_step;
    row.replace(row.find("b,g,"), 4, "b,dgxc-llama8,");
    std::string other = row;
    other.replace(other.find("H100-SXM5-80GB"), 14, "GB200");
    const StepLedger ledger = step_ledger(steps_of(row + other + h100_step), {});
    ASSERT_EQ(ledger.all.answered, 3U);
    EXPECT_TRUE(ledger.rows[0].calibrated);
    EXPECT_FALSE(ledger.rows[1].calibrated);
    EXPECT_FALSE(ledger.rows[2].calibrated) << "another group";
    EXPECT_THAT(ledger_points(ledger), testing::SizeIs(3));
    EXPECT_NEAR(ledger_points(ledger)[0].measured_s, 1.5, 1e-9);
}

TEST(StackProfiles, ScaleTheTimesOfKernels) {
    const engine::DeviceProfile device = engine::load_device_profile("h100-sxm5-80gb");
    engine::StackProfile stack;
    stack.devices[device.name] = {0.8, 1.5, 0, 0};
    engine::KernelCall product;
    product.kernel = engine::Kernel::Matmul;
    product.type = engine::DataType::Bf16;
    product.shape = {1, 4096, 4096, 4096};
    const double loaded = device.matmul.at(engine::DataType::Bf16).loaded_rate;
    EXPECT_LT(loaded, 1);
    EXPECT_DOUBLE_EQ(kernel_us(device, stack, product, 0),
                     kernel_us(device, product, 0) / (0.8 * loaded));
    engine::KernelCall norm;
    norm.kernel = engine::Kernel::Norm;
    norm.shape = {1 << 20};
    EXPECT_DOUBLE_EQ(kernel_us(device, stack, norm, 1e7), 1.5 * kernel_us(device, norm, 1e7));
    stack.host_us = 1000;
    norm.launches = 3;
    EXPECT_DOUBLE_EQ(kernel_us(device, stack, norm, 1e7), 3000);
    norm.launches = 0;
    EXPECT_EQ(kernel_us(device, stack, norm, 1e7), 0);
}

TEST(StackProfiles, OfTheProjectAreReadAndWritten) {
    EXPECT_THAT(engine::known_stacks(),
                testing::ElementsAre("fsdp-eager", "megatron-nemo-24", "megatron-nemo-24-fp8"));
    for (const std::string& name : engine::known_stacks()) {
        const engine::StackProfile profile = engine::load_stack_profile(name);
        EXPECT_EQ(profile.name, name);
        EXPECT_FALSE(profile.calibrated_on.empty());
        const test::TemporaryFolder folder;
        const std::string path = (folder.path() / "again.json").string();
        std::ofstream(path) << stack_profile_text(profile);
        EXPECT_EQ(stack_profile_text(engine::read_stack_profile(path)),
                  stack_profile_text(profile));
    }
    try {
        static_cast<void>(engine::load_stack_profile("megatron-nemo-25"));
        FAIL();
    } catch (const InputError& error) {
        EXPECT_THAT(error.what(), HasSubstr("megatron-nemo-24"));
    }
}

TEST(StackFit, FindsTheScalarsOfSyntheticSteps) {
    std::string wide = h100_step;
    wide.replace(wide.find("8,1,2,1,4,1,1,1,none"), 20, "8,1,8,1,1,1,1,1,none");
    std::string narrow = h100_step;
    narrow.replace(narrow.find("8,1,2,1,4,1,1,1,none"), 20, "16,1,1,1,8,1,1,0,none");
    std::string small = h100_step;
    small.replace(small.find(",2,4096,32,8,8192"), 17, ",2,1024,16,8,2048");
    std::vector<MeasuredStep> steps = steps_of(h100_step + wide + narrow + small);
    engine::StackProfile stack = engine::load_stack_profile("megatron-nemo-24");
    stack.devices["h100-sxm5-80gb"] = {0.9, 1.4, 0.4, 0};
    for (MeasuredStep& step : steps) {
        ASSERT_EQ(step.skipped, "");
        step.value = predicted_seconds(step, stack, {});
    }
    const StackFit fit = fit_stack(stack, {"h100-sxm5-80gb"}, steps);
    EXPECT_EQ(fit.rows, 4U);
    EXPECT_LT(fit.most_percent, 1.5);
    EXPECT_NEAR(fit.scalars.compute_rate, 0.9, 0.03);
    EXPECT_NEAR(fit.scalars.memory_time, 1.4, 0.15);
}

// Rows of one plan that measured more than a tenth apart are marked.
TEST(StepLedger, MarksRowsThatContradictEachOther) {
    std::string other = h100_step;
    other.replace(0, 1, "c");
    other.replace(other.find("1.5,s"), 5, "1.8,s");
    const StepLedger ledger = step_ledger(steps_of(h100_step + other), {});
    EXPECT_EQ(ledger.rows.at(0).repeated_by, "c");
    EXPECT_EQ(ledger.rows.at(1).repeated_by, "b");
    EXPECT_EQ(ledger.rows.at(0).seconds, ledger.rows.at(1).seconds);
    EXPECT_EQ(ledger.all.answered, 2U);
    EXPECT_EQ(ledger.parts.at(0).name, "megatron-nemo-24, h100-sxm5-80gb");
}

// Kernels do not run faster in a step than alone: what does not fit goes to the other scalars.
TEST(StackFit, EndsAtTheRateOfTheKernels) {
    std::string narrow = h100_step;
    narrow.replace(narrow.find("8,1,2,1,4,1,1,1,none"), 20, "16,1,1,1,8,1,1,0,none");
    std::vector<MeasuredStep> steps = steps_of(h100_step + narrow);
    engine::StackProfile stack = engine::load_stack_profile("megatron-nemo-24");
    stack.devices["h100-sxm5-80gb"] = {1.2, 1.4, 0.2, 0};
    for (MeasuredStep& step : steps) {
        step.value = predicted_seconds(step, stack, {});
    }
    EXPECT_EQ(fit_stack(stack, {"h100-sxm5-80gb"}, steps).scalars.compute_rate, 1);
}

}  // namespace
}  // namespace npunet::study::measured_steps_test
