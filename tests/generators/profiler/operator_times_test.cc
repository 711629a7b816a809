// What operators took on a GPU: own work and that of operators within, by name and inputs, in
// order.
#include "generators/profiler/operator_times.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kineto_text.h"
#include "profiles/profile_reader.h"
#include "tests/support/refusals.h"

namespace npunet::generators::profiler {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

TEST(OperatorInputs, TypesAndSizesOfTensors) {
    EXPECT_EQ(inputs_text("[[8, 4], [4, 2]]", R"(["float", "c10::BFloat16"])"),
              "float32[8,4] bfloat16[4,2]");
    EXPECT_EQ(inputs_text("[[5], [], [], [1]]", R"(["long int", "float", "Scalar", "bool"])"),
              "int64[5] bool[1]");
    EXPECT_EQ(inputs_text("[[[8, 4], [2]], []]", R"(["TensorList", "Scalar"])"), "([8,4],[2])");
    // Tensors without dimensions in lists, as the steps of a fused optimizer are.
    EXPECT_EQ(inputs_text("[[[8, 4]], [[], []]]", R"(["TensorList", "TensorList"])"),
              "([8,4]) ([],[])");
}

// Unknown types, lists of what are no sizes, texts of other forms.
TEST(OperatorInputs, WhatIsNotKnownIsEmpty) {
    EXPECT_EQ(inputs_text("[[8], [4]]", R"(["float", "c10::complex<float>"])"), "");
    EXPECT_EQ(inputs_text("[[[8], [[]]]]", R"(["TensorList"])"), "");
    EXPECT_EQ(inputs_text("[[[8], 3]]", R"(["TensorList"])"), "");
    EXPECT_EQ(inputs_text("[[8, \"4\"]]", R"(["float"])"), "");
    EXPECT_EQ(inputs_text("[[8], [4]]", R"(["float"])"), "");
    EXPECT_EQ(inputs_text("[[8], [4]", R"(["float", "float"])"), "");
    EXPECT_EQ(inputs_text("", ""), "");
    EXPECT_EQ(inputs_text("[[8]]", "[3]"), "");
}

class OperatorNestTest : public ProfileFiles {
protected:
    static std::string inputs(int id, const std::string& dims, const std::string& types) {
        return fmt::format(R"("External id": {}, "Input Dims": {}, "Input type": {})", id, dims,
                           types);
    }
    static std::string by(int id) { return fmt::format(R"("External id": {})", id); }

    OperatorNest nest(const KinetoText& trace) const {
        return OperatorNest(profiles::read_profile(write(trace, "rank_0.json")));
    }
};

// linear (0 to 20) contains t (1 to 2) and addmm (3 to 18), which launches two kernels of 7 and
// 18 us; copy_ is within _to_copy, and another one stands by itself.
TEST_F(OperatorNestTest, TimesBelongToTheOutermostOfTheNames) {
    const char* const tensors = R"(["float", "float", "float"])";
    KinetoText trace;
    trace.op(1, "aten::linear", 0, 20, inputs(1, "[[5, 8], [4, 8], [4]]", tensors));
    trace.op(1, "aten::t", 1, 1, inputs(2, "[[4, 8]]", R"(["float"])"));
    trace.op(1, "aten::addmm", 3, 15, inputs(3, "[[4], [5, 8], [8, 4]]", tensors));
    trace.kernel("bias", 7, 10, 7, 1, by(3)).kernel("gemm", 7, 17, 18, 2, by(3));
    trace.op(1, "aten::_to_copy", 30, 10, inputs(4, "[[16]]", R"(["float"])"));
    trace.op(1, "aten::copy_", 31, 5, inputs(5, "[[16], [16]]", R"(["c10::Half", "float"])"));
    trace.kernel("cast", 7, 40, 2, 3, by(5));
    trace.op(1, "aten::copy_", 50, 5, inputs(6, "[[16], [16]]", R"(["c10::Half", "float"])"));
    trace.kernel("cast", 7, 60, 3.5, 4, by(6));
    const OperatorNest calls = nest(trace);
    const OperatorTimes products = calls.times({"aten::addmm", "aten::copy_", "aten::_to_copy"});
    EXPECT_THAT(products.at("aten::addmm"),
                ElementsAre(Pair("float32[4] float32[5,8] float32[8,4]", ElementsAre(25'000))));
    EXPECT_THAT(products.at("aten::_to_copy"),
                ElementsAre(Pair("float32[16]", ElementsAre(2'000))));
    EXPECT_THAT(products.at("aten::copy_"),
                ElementsAre(Pair("float16[16] float32[16]", ElementsAre(3'500))));
    EXPECT_THAT(calls.times({"aten::linear", "aten::addmm"}),
                ElementsAre(Pair("aten::linear", ElementsAre(Pair("float32[5,8] float32[4,8] "
                                                                  "float32[4]",
                                                                  ElementsAre(25'000))))));
    EXPECT_THAT(calls.times({"aten::copy_"}).at("aten::copy_"),
                ElementsAre(Pair("float16[16] float32[16]", ElementsAre(2'000, 3'500))));
    EXPECT_THAT(calls.times({"aten::t"}), IsEmpty()) << "launches nothing";
}

// Two threads at the same time; communication and copies from the host are no work of operators.
TEST_F(OperatorNestTest, CallsAreInOrderOfTheirStart) {
    const std::string dims = "[[8, 4], [4, 2]]";
    const std::string types = R"(["float", "float"])";
    KinetoText trace;
    trace.op(2, "aten::mm", 5, 30, inputs(2, dims, types)).kernel("gemm", 7, 9, 20, 2, by(2));
    trace.op(1, "aten::mm", 0, 40, inputs(1, dims, types)).kernel("gemm", 7, 3, 10, 1, by(1));
    trace.op(1, "aten::mm", 50, 9, inputs(3, dims, types));
    trace.work("gpu_memcpy", "Memcpy HtoD (Pageable -> Device)", 7, 52, 30, 3, by(3));
    trace.op(1, "aten::mm", 60, 9, inputs(4, dims, types));
    trace.kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL", 9, 62, 30, 4, by(4));
    EXPECT_THAT(nest(trace).times({"aten::mm"}).at("aten::mm"),
                ElementsAre(Pair("float32[8,4] float32[4,2]", ElementsAre(10'000, 20'000))));
}

TEST_F(OperatorNestTest, ProfilesWithoutShapesOrKernelsAreRefused) {
    KinetoText without_shapes;
    without_shapes.op(1, "aten::mm", 0, 9, by(1)).kernel("gemm", 7, 3, 10, 1, by(1));
    const InputProblem shapes = test::problem_of([&] { return nest(without_shapes); });
    EXPECT_EQ(shapes.found, "a profile without the shapes of operators' inputs");
    EXPECT_THAT(shapes.remedy, ::testing::HasSubstr("record_shapes=True"));
    KinetoText without_kernels;
    without_kernels.op(1, "aten::mm", 0, 9, inputs(1, "[[8, 4], [4, 2]]", R"(["float", "float"])"));
    EXPECT_EQ(test::problem_of([&] { return nest(without_kernels); }).found,
              "no work of a GPU that operators launched");
}

}  // namespace
}  // namespace npunet::generators::profiler
