// What operators run, from texts as profiles have them, and what becomes of it in traces.
#include "generators/profiler/operator_kernel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "chakra/files/trace_reader.h"
#include "generators/profiler/profile_conversion.h"
#include "kineto_text.h"
#include "tests/cli/program_run.h"

namespace npunet::generators::profiler {
namespace {

using ::testing::ElementsAre;

std::array<std::int64_t, 6> shape_of(const std::optional<OperatorKernel>& known) {
    return known ? known->kernel.shape : std::array<std::int64_t, 6>{};
}

constexpr const char* bf16 = R"(["c10::BFloat16", "c10::BFloat16", "c10::BFloat16", "Scalar"])";

TEST(OperatorKernel, Products) {
    const auto mm = operator_kernel({"aten::mm", "[[8, 4], [4, 2]]", bf16, ""});
    ASSERT_TRUE(mm);
    EXPECT_EQ(mm->kernel.kind, Kernel::Matmul);
    EXPECT_EQ(mm->kernel.type, DataType::Bf16);
    EXPECT_EQ(mm->kernel.launches, 1);
    EXPECT_EQ(mm->bytes, 0);
    EXPECT_THAT(shape_of(mm), ElementsAre(1, 8, 2, 4, 0, 0));
    EXPECT_THAT(shape_of(operator_kernel({"aten::addmm", "[[2], [8, 4], [4, 2], []]", bf16, ""})),
                ElementsAre(1, 8, 2, 4, 0, 0));
    EXPECT_THAT(shape_of(operator_kernel({"aten::bmm", "[[3, 8, 4], [3, 4, 2]]", bf16, ""})),
                ElementsAre(3, 8, 2, 4, 0, 0));
    EXPECT_THAT(
        shape_of(operator_kernel({"aten::baddbmm", "[[3, 8, 2], [3, 8, 4], [3, 4, 2]]", bf16, ""})),
        ElementsAre(3, 8, 2, 4, 0, 0));
    EXPECT_THAT(shape_of(operator_kernel({"aten::linear", "[[5, 8, 4], [2, 4], [2]]", bf16, ""})),
                ElementsAre(1, 40, 2, 4, 0, 0));
    const auto scaled =
        operator_kernel({"aten::_scaled_mm", "[[8, 4], [4, 2], [], []]",
                         R"(["c10::Float8_e4m3fn", "c10::Float8_e5m2", "float", "float"])", ""});
    ASSERT_TRUE(scaled);
    EXPECT_EQ(scaled->kernel.type, DataType::Fp8);
}

// Sizes that do not fit, types without rates, absent or damaged texts.
TEST(OperatorKernel, WhatSaysTooLittleIsNone) {
    EXPECT_FALSE(operator_kernel({"aten::mm", "[[8, 4], [5, 2]]", bf16, ""}));
    EXPECT_FALSE(operator_kernel({"aten::mm", "[[8, 0], [0, 2]]", bf16, ""}));
    EXPECT_FALSE(operator_kernel({"aten::mm", "[[8, 4], [4, 2]]", R"(["long", "long"])", ""}));
    EXPECT_FALSE(operator_kernel({"aten::mm", "[[8, 4], [4, 2]]", "", ""}));
    EXPECT_FALSE(operator_kernel({"aten::mm", "[[8, 4], [4, 2", bf16, ""}));
    EXPECT_FALSE(operator_kernel({"aten::mm", "", bf16, ""}));
    EXPECT_FALSE(operator_kernel({"aten::mm", "[[1e300, 4], [4, 2]]", bf16, ""}));
    EXPECT_FALSE(operator_kernel({"aten::mm", "[[\"8\", 4], {\"4\": 2}]", bf16, ""}));
    EXPECT_FALSE(operator_kernel({"aten::cumsum", "[[8, 4], [4, 2]]", bf16, ""}));
    EXPECT_FALSE(operator_kernel({"aten::add", "[[8, 4], [8, 4]]", R"(["Other", "float"])", ""}));
}

TEST(OperatorKernel, Attention) {
    const char* const sizes = "[[2, 128, 8, 64], [2, 256, 4, 64], [2, 256, 4, 64], [], []]";
    const auto forward =
        operator_kernel({"aten::_flash_attention_forward", sizes, bf16,
                         R"(["", "", "", "", "", "128", "256", "0.", "True", "False", "0.125"])"});
    ASSERT_TRUE(forward);
    EXPECT_EQ(forward->kernel.kind, Kernel::Attention);
    EXPECT_TRUE(forward->kernel.causal);
    EXPECT_THAT(shape_of(forward), ElementsAre(2, 8, 4, 128, 256, 64));
    EXPECT_FALSE(operator_kernel({"aten::_flash_attention_forward", sizes, bf16, ""}))
        << "the mask is not told";
    EXPECT_FALSE(operator_kernel({"aten::_flash_attention_forward",
                                  "[[256, 8, 64], [512, 4, 64], [512, 4, 64]]", bf16,
                                  R"(["", "", "", "", "", "128", "256", "0.", "True"])"}))
        << "packed sequences";
    const auto backward = operator_kernel(
        {"aten::_scaled_dot_product_cudnn_attention_backward",
         "[[2, 8, 128, 64], [2, 8, 128, 64], [2, 4, 256, 64], [2, 4, 256, 64]]", bf16,
         R"(["", "", "", "", "", "", "", "", "", "", "", "128", "256", "0.", "False", ""])"});
    ASSERT_TRUE(backward);
    EXPECT_EQ(backward->kernel.kind, Kernel::AttentionBackward);
    EXPECT_FALSE(backward->kernel.causal);
    EXPECT_THAT(shape_of(backward), ElementsAre(2, 8, 4, 128, 256, 64));
}

// Inputs are read once, and a result like the largest is written.
TEST(OperatorKernel, MemoryTraffic) {
    const auto bytes_of = [](const char* name, const char* dims, const char* types) {
        const auto known = operator_kernel({name, dims, types, ""});
        return known ? known->bytes : -1;
    };
    const char* const pair = R"(["c10::BFloat16", "float", "Scalar"])";
    EXPECT_EQ(bytes_of("aten::add", "[[10, 10], [10], []]", pair), 200 + 40 + 200);
    EXPECT_EQ(bytes_of("aten::mul", "[[10], [10, 10], []]", pair), 20 + 400 + 400);
    EXPECT_EQ(bytes_of("aten::add_", "[[10], [10], []]", pair), 20 + 40 + 20);
    EXPECT_EQ(bytes_of("aten::copy_", "[[10], [10], []]", pair), 20 + 40);
    EXPECT_EQ(bytes_of("aten::fill_", "[[10], []]", pair), 20);
    EXPECT_EQ(bytes_of("aten::add", "[[], []]", pair), -1);
    const auto norm = operator_kernel(
        {"aten::native_layer_norm", "[[4, 8], [], [8], [8], []]",
         R"(["c10::BFloat16", "ScalarList", "c10::BFloat16", "c10::BFloat16", "Scalar"])", ""});
    ASSERT_TRUE(norm);
    EXPECT_EQ(norm->kernel.kind, Kernel::Norm);
    EXPECT_EQ(norm->kernel.type, DataType::Bf16);
    EXPECT_EQ(norm->kernel.shape[0], 32);
    EXPECT_EQ(norm->bytes, 64 + 16 + 16 + 64);
}

class OperatorKernels : public ProfileFiles {
protected:
    std::string notes_;
};

// A product whose parts another kernel adds up, the same in fp32 by way of TF32, an addition, and
// an operator without shapes.
TEST_F(OperatorKernels, AreAttributesOfTraces) {
    const auto inputs = [](int id, const char* dims, const char* type) {
        return fmt::format(R"("External id": {0}, "Input Dims": {1}, "Input type": ["{2}", "{2}"])",
                           id, dims, type);
    };
    const auto by = [](int id) { return fmt::format(R"("External id": {})", id); };
    KinetoText trace;
    trace.op(1, "aten::mm", 0, 10, inputs(5, "[[8, 4], [4, 2]]", "c10::BFloat16"));
    trace.launch(1, 1, 1, 1).launch(1, 3, 1, 2);
    trace.kernel("gemm", 7, 5, 20, 1, by(5)).kernel("splitKreduce", 7, 26, 3, 2, by(5));
    trace.op(1, "aten::mm", 40, 10, inputs(6, "[[8, 4], [4, 2]]", "float")).launch(1, 41, 1, 3);
    trace.kernel("tf32_gemm", 7, 45, 20, 3, by(6));
    trace.op(1, "aten::add", 80, 10, inputs(7, "[[16], [16]]", "float")).launch(1, 81, 1, 4);
    trace.kernel("add", 7, 85, 2, 4, by(7));
    trace.op(1, "aten::mm", 100, 10, by(8)).launch(1, 101, 1, 5);
    trace.kernel("other", 7, 105, 2, 5, by(8));
    write(trace, "rank_0.json");
    ProfileConversion options;
    options.files.folder = folder_ / "traces";
    static_cast<void>(convert_profiles(open_profile_folder(folder_ / "profiles", {}), options, {}));
    std::map<std::string, chakra::Node> nodes;
    for (const chakra::Node& node : chakra::read_trace(folder_ / "traces/workload.0.et")) {
        nodes[node.name] = node;
    }
    const auto text = [&](const char* node, const char* name) {
        return std::string(nodes.at(node).text(name).value_or(""));
    };
    EXPECT_EQ(text("gemm", "kernel"), "matmul");
    EXPECT_EQ(text("gemm", "dtype"), "bf16");
    EXPECT_EQ(nodes.at("gemm").integer("launches"), std::nullopt);
    EXPECT_EQ(nodes.at("gemm").integer("num_ops"), std::nullopt);
    EXPECT_EQ(nodes.at("gemm").integer("duration_ns"), 20'000);
    EXPECT_EQ(text("splitKreduce", "kernel"), "matmul");
    EXPECT_EQ(nodes.at("splitKreduce").integer("launches"), 0);
    EXPECT_EQ(text("tf32_gemm", "dtype"), "tf32");
    EXPECT_EQ(text("add", "kernel"), "elementwise");
    EXPECT_EQ(nodes.at("add").integer("tensor_size"), 3 * 64);
    EXPECT_EQ(nodes.at("other").find("kernel"), nullptr);
}

// Two ranks of an A100 that run a product of 100 us and a copy without shapes of 50 us on an H100.
TEST_F(OperatorKernels, MoveToAnotherDevice) {
    for (const int rank : {0, 1}) {
        KinetoText trace(rank, 2);
        trace.op(1, "aten::mm", 0, 10,
                 R"("External id": 5, "Input Dims": [[4096, 4096], [4096, 4096]], )"
                 R"("Input type": ["c10::BFloat16", "c10::BFloat16"])");
        trace.launch(1, 1, 1, 1).kernel("gemm", 7, 5, 100, 1, R"("External id": 5)");
        trace.launch(1, 3, 1, 2).kernel("other", 7, 106, 50, 2);
        write(trace, fmt::format("rank_{}.json", rank));
    }
    ProfileConversion options;
    options.files.folder = folder_ / "traces";
    options.cpu = CpuModel::None;
    static_cast<void>(convert_profiles(open_profile_folder(folder_ / "profiles", {}), options, {}));
    folder_.write("net.yml",
                  "topology: [Ring]\nnpus_count: [2]\nbandwidth: [50]\nlatency: [500]\n");
    const auto finish_ns = [&](const char* system) {
        folder_.write("system.json", system);
        const cli::Outcome outcome =
            cli::run(fmt::format("simulate --workload {0}/traces/workload --comm-group "
                                 "{0}/traces/comm_group.json --network {0}/net.yml --system "
                                 "{0}/system.json --json",
                                 folder_.path().string()));
        EXPECT_EQ(outcome.code, 0) << outcome.log;
        const auto document = nlohmann::json::parse(outcome.out);
        notes_ = document.at("notes").dump();
        return document.at("finish_ns").get<double>();
    };
    EXPECT_EQ(finish_ns("{}"), 150'000);
    EXPECT_EQ(finish_ns(R"({"device": "a100-sxm4-80gb", "recorded-on": "a100-sxm4-80gb"})"),
              150'000);
    const double moved =
        finish_ns(R"({"device": "h100-sxm5-80gb", "recorded-on": "a100-sxm4-80gb"})");
    EXPECT_GT(moved, 50'000 + 100'000 / 4.0);
    EXPECT_LT(moved, 50'000 + 100'000 / 1.5);
    EXPECT_THAT(notes_, ::testing::HasSubstr("2 of 4 recorded durations of GPU operations, 33.3 % "
                                             "of their time, stay as on a100-sxm4-80gb"));
}

}  // namespace
}  // namespace npunet::generators::profiler
