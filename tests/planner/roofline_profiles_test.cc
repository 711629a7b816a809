// A GPT block of n = b s tokens, hidden size h, inner width 4 h: 3 x (24 n h^2 + 4 n s h) FLOPs in
// multiplications, 12 h^2 + 13 h parameters, 32 n h + 4 n a bytes of activations with a fused core
// (8 n h of them on every rank, the rest divided), and over tp ranks 4 sums of 2 n h bytes.
#include "planner/roofline_profiles.h"

#include <gmock/gmock.h>

#include "tests/support/refusals.h"

namespace npunet::planner {
namespace {

constexpr double h = 1024;
constexpr double heads = 8;
constexpr double vocab = 2048;
constexpr double seq = 512;
constexpr double blocks = 3;
constexpr double mib = 1048576;
constexpr double state_bytes = 2 + 4 + 12;

generators::ModelSpec gpt() {
    generators::ModelSpec model =
        generators::gpt_model({.hidden = static_cast<std::int64_t>(h),
                               .layers = static_cast<std::int64_t>(blocks),
                               .heads = static_cast<std::int64_t>(heads),
                               .vocab = static_cast<std::int64_t>(vocab),
                               .seq = static_cast<std::int64_t>(seq)});
    model.name = "GPT";
    return model;
}

/// A memory so fast that FLOPs alone take time, or the other way round.
const RooflineDevice computes{"A100", 100, 1e9, 1e12};
const RooflineDevice remembers{"A100", 1e9, 1000, 1e12};

TEST(RooflineProfiles, FlopsOfMultiplications) {
    for (const std::int64_t batch : {1, 4}) {
        const double n = static_cast<double>(batch) * seq;
        const ProfileFile file = roofline_profile(gpt(), computes, 0, 1, batch);
        ASSERT_EQ(file.layer_ms.size(), 5U);
        // With the causal mask 2 n s h forward and, with five products instead of two, 5 n s h
        // backward.
        const double block = (3 * 24 * n * h * h + 7 * n * seq * h) / 100e12 * 1e3;
        EXPECT_GT(file.layer_ms[1], block);
        EXPECT_LT(file.layer_ms[1], 1.03 * block) << "element-wise work is small";
        EXPECT_EQ(file.layer_ms[1], file.layer_ms[3]);
        const double head = 3 * 2 * n * h * vocab / 100e12 * 1e3;
        EXPECT_GT(file.layer_ms[4], head);
        EXPECT_LT(file.layer_ms[4], 1.03 * head);
    }
}

// Times at two bandwidths differ by the bytes of the ring times the difference of 1 / bandwidth.
TEST(RooflineProfiles, SumsOverTheTensorParallelGroup) {
    for (const double tp : {2.0, 4.0, 8.0}) {
        RooflineDevice slow = computes;
        slow.intra_bandwidth = 50;
        RooflineDevice fast = computes;
        fast.intra_bandwidth = 200;
        const double n = 2 * seq;
        const double ring = 2 * (tp - 1) / tp * 2 * n * h;
        const auto at = [&](const RooflineDevice& device) {
            return roofline_profile(gpt(), device, 0, static_cast<std::int64_t>(tp), 2);
        };
        const ProfileFile a = at(slow);
        const ProfileFile b = at(fast);
        const double per_byte = 1e3 * (1 / 50e9 - 1 / 200e9);
        EXPECT_NEAR(a.layer_ms[1] - b.layer_ms[1], 4 * ring * per_byte, 1e-9);
        EXPECT_NEAR(a.layer_ms[0] - b.layer_ms[0], ring * per_byte, 1e-9);
        EXPECT_NEAR(a.layer_ms[4] - b.layer_ms[4], ring * per_byte, 1e-9);
        const double per_token = 2 * (tp - 1) / tp * 4 * n;
        EXPECT_NEAR(a.between_ms - b.between_ms, 3 * per_token * per_byte, 1e-9);
    }
}

// Adam reads gradient and state and writes state and weight: 4 + 12 + 12 + 2 bytes a parameter.
TEST(RooflineProfiles, TheOptimizerIsBoundByMemory) {
    const double parameters =
        vocab * h + seq * h + blocks * (12 * h * h + 13 * h) + vocab * h + 2 * h;
    const ProfileFile file = roofline_profile(gpt(), remembers, 0, 1, 1);
    EXPECT_NEAR(file.optimizer_ms, 1e3 * parameters * 30 / 1000e9, 1e-9);
    double sum = file.between_ms;
    for (const double time : file.layer_ms) {
        sum += time;
    }
    EXPECT_NEAR(file.forward_backward_ms, sum, 1e-9);
    EXPECT_GT(file.between_ms, 0) << "the loss";
    EXPECT_NEAR(file.total_ms, sum + file.optimizer_ms, 1e-9);
}

// Each product takes 1 us and nothing else takes time: four linears in a block and one in the head,
// three products each. Of the nodes of attention one a pass launches its kernel.
TEST(RooflineProfiles, KernelsTakeTheirOwnTime) {
    RooflineDevice device = remembers;
    device.kernel_us = [](const generators::KernelInfo& kernel, std::int64_t) {
        return kernel.kind == generators::Kernel::Matmul ? 1.0 : 0.0;
    };
    const ProfileFile products = roofline_profile(gpt(), device, 0, 1, 1);
    EXPECT_NEAR(products.layer_ms[1], 3 * 4 * 1e-3, 1e-12);
    EXPECT_NEAR(products.layer_ms[4], 3 * 1e-3, 1e-12);
    EXPECT_EQ(products.optimizer_ms, 0);
    device.kernel_us = [](const generators::KernelInfo& kernel, std::int64_t) {
        const bool attends = kernel.kind == generators::Kernel::Attention ||
                             kernel.kind == generators::Kernel::AttentionBackward;
        return attends ? kernel.launches : 0.0;
    };
    EXPECT_NEAR(roofline_profile(gpt(), device, 0, 1, 1).layer_ms[2], 2 * 1e-3, 1e-12);
}

// By 1 TB/s: the optimizer's step as by roofline, and 4 bytes a parameter to set gradients to zero,
// 4 for their norm, 8 to clip them.
TEST(RooflineProfiles, TheStepOfADeviceHasAllPasses) {
    RooflineDevice device = remembers;
    device.kernel_us = [](const generators::KernelInfo&, std::int64_t bytes) {
        return static_cast<double>(bytes) / 1e6;
    };
    const double parameters =
        vocab * h + seq * h + blocks * (12 * h * h + 13 * h) + vocab * h + 2 * h;
    const ProfileFile file = roofline_profile(gpt(), device, 0, 1, 1);
    EXPECT_NEAR(file.optimizer_ms, 1e3 * parameters * (30 + 4 + 4 + 8) / 1000e9, 1e-9);
    EXPECT_EQ(file.layer_memory_mib, roofline_profile(gpt(), remembers, 0, 1, 1).layer_memory_mib);
}

TEST(RooflineProfiles, MemoryAndParameters) {
    for (const double tp : {1.0, 2.0, 4.0}) {
        const double n = 4 * seq;
        const ProfileFile file =
            roofline_profile(gpt(), remembers, 0, static_cast<std::int64_t>(tp), 4);
        const double activations = 8 * n * h + (24 * n * h + 4 * n * heads) / tp;
        EXPECT_DOUBLE_EQ(file.layer_activation_mib[2], activations / mib);
        const double split = (12 * h * h + 7 * h) / tp + 6 * h;
        EXPECT_DOUBLE_EQ(file.layer_memory_mib[2], (split * state_bytes + activations) / mib);
        const double embedding = vocab * h / tp + seq * h;
        EXPECT_DOUBLE_EQ(file.layer_memory_mib[0], embedding * state_bytes / mib);
        const double head = 4 * n * h + 4 * n * vocab / tp;
        EXPECT_DOUBLE_EQ(file.layer_activation_mib[4], head / mib);
        EXPECT_DOUBLE_EQ(file.layer_memory_mib[4],
                         ((vocab * h / tp + 2 * h) * state_bytes + head) / mib);
        const std::vector<double> parameters{2 * (vocab + seq) * h, 2 * (12 * h * h + 13 * h),
                                             2 * (12 * h * h + 13 * h), 2 * (12 * h * h + 13 * h),
                                             2 * (vocab * h + 2 * h)};
        EXPECT_EQ(file.parameter_bytes, parameters);
    }
}

// A shared table stands in the first and in the last layer: a pipeline's stages hold it twice.
TEST(RooflineProfiles, TiedTablesCountTwice) {
    generators::ModelSpec tied = gpt();
    tied.tied_embeddings = true;
    EXPECT_EQ(text_of(roofline_profile(tied, remembers, 0, 2, 1)),
              text_of(roofline_profile(gpt(), remembers, 0, 2, 1)));
}

// Eight heads are at most eight parts.
TEST(RooflineProfiles, TheGridEndsWhereTheModelCannotBeDivided) {
    const auto files = roofline_profiles(gpt(), computes, {.sequence = 0, .max_batch = 16});
    EXPECT_EQ(files.size(), 4U * 5);
    EXPECT_EQ(files.back().tp, 8);
    EXPECT_EQ(files.back().batch, 16);
    EXPECT_NE(test::problem_of([] {
                  return roofline_profiles(gpt(), computes, {.max_batch = 1, .max_tp = 16});
              }).expected,
              "");
    generators::ModelSpec experts = gpt();
    experts.moe.experts = 4;
    experts.moe.top_k = 2;
    experts.moe.ffn = 128;
    EXPECT_THAT(
        test::problem_of([&] { return roofline_profile(experts, computes, 0, 1, 1); }).found,
        ::testing::HasSubstr("experts"));
}

}  // namespace
}  // namespace npunet::planner
