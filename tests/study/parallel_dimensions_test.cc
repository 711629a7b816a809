#include "study/parallel_dimensions.h"

#include <gtest/gtest.h>

#include "tests/support/workloads.h"

namespace npunet::study::parallel_dimensions_test {
namespace {

using engine::Parallelism;

TEST(ParallelDimensions, OfGroupsByTheirNames) {
    for (const char* name : {"tp", "tp3", "TP_0", "tensor", "tensor-parallel 4",
                             "TENSOR_MODEL_PARALLEL_GROUP", "tp_group"}) {
        EXPECT_EQ(dimension_of_group(name), Parallelism::Tensor) << name;
    }
    for (const char* name : {"", "3", "tp-dp", "model_parallel", "group", "ftp", "tp-cp", "world",
                             "expert_tensor_parallel"}) {
        EXPECT_EQ(dimension_of_group(name), Parallelism::Other) << name;
    }
    EXPECT_EQ(dimension_of_group("dp_12"), Parallelism::Data);
    EXPECT_EQ(dimension_of_group("DATA_PARALLEL_GROUP_WITH_CP"), Parallelism::Data);
    EXPECT_EQ(dimension_of_group("Pipeline Parallel"), Parallelism::Pipeline);
    EXPECT_EQ(dimension_of_group("EXPERT_MODEL_PARALLEL_GROUP"), Parallelism::Expert);
    EXPECT_EQ(dimension_of_group("cp"), Parallelism::Context);
}

// Operations come first, then what is known of groups, then the groups' names.
TEST(ParallelDimensions, AreMarked) {
    chakra::Node named = test::collective_node(1, chakra::CollectiveType::AllReduce, 8, "one");
    named.name = "mb0_layer0_mlp_forward_all_reduce";
    engine::Workload workload = test::workload_of(
        2,
        [&](Rank) {
            return std::vector{
                named, test::collective_node(2, chakra::CollectiveType::AllReduce, 8, "one"),
                test::collective_node(3, chakra::CollectiveType::AllReduce, 8, "dp"),
                test::collective_node(4, chakra::CollectiveType::AllReduce, 8, "cp"),
                test::collective_node(5, chakra::CollectiveType::AllReduce, 8)};
        },
        {{"one", {Rank(0), Rank(1)}}, {"dp", {Rank(0), Rank(1)}}, {"cp", {Rank(0), Rank(1)}}});
    EXPECT_EQ(workload.dimension_of(Rank(0), 0), Parallelism::Other);
    mark_dimensions(workload, {{"one", Parallelism::Expert}, {"cp", Parallelism::Data}});
    const std::vector<Parallelism> expected{Parallelism::Tensor, Parallelism::Expert,
                                            Parallelism::Data, Parallelism::Data,
                                            Parallelism::Other};
    for (std::uint32_t i = 0; i < expected.size(); ++i) {
        EXPECT_EQ(workload.dimension_of(Rank(1), i), expected[i]) << i;
    }
}

}  // namespace
}  // namespace npunet::study::parallel_dimensions_test
