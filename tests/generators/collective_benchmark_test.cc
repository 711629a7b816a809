#include "generators/collective_benchmark.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/generators/rendezvous.h"
#include "tests/generators/steps.h"
#include "tests/support/refusals.h"

namespace npunet::generators {
namespace {

using ::testing::HasSubstr;

CollectiveBenchmark benchmark_of(BenchmarkType type) {
    CollectiveBenchmark benchmark;
    benchmark.type = type;
    benchmark.size = Bytes(1000);
    benchmark.npus = 5;
    benchmark.repeat = 3;
    return benchmark;
}

TEST(CollectiveBenchmark, RepeatsOneCollectiveOverTheGroup) {
    CollectiveBenchmark benchmark = benchmark_of(BenchmarkType::AllGather);
    benchmark.group = {Rank(4), Rank(0), Rank(2)};
    const GeneratedWorkload workload = generate(benchmark);
    ASSERT_EQ(workload.rank_count(), 5);
    ASSERT_EQ(workload.groups().size(), 1U);
    EXPECT_EQ(workload.groups()[0].ranks, benchmark.group);
    EXPECT_TRUE(workload.nodes(Rank(1)).empty());
    const std::vector<chakra::Node> nodes = workload.nodes(Rank(4));
    ASSERT_EQ(nodes.size(), 3U);
    EXPECT_TRUE(is_collective(nodes[1], chakra::CollectiveType::AllGather));
    EXPECT_EQ(nodes[1].integer("comm_size"), 1000);
    EXPECT_EQ(nodes[1].text("pg_name"), "1");
    EXPECT_EQ(nodes[1].data_deps, std::vector<std::uint64_t>{1});
}

TEST(CollectiveBenchmark, SendsFromEachMemberToTheNext) {
    CollectiveBenchmark benchmark = benchmark_of(BenchmarkType::SendReceive);
    benchmark.group = {Rank(3), Rank(1)};
    const GeneratedWorkload pair = generate(benchmark);
    ASSERT_EQ(pair.nodes(Rank(3)).size(), 3U);
    EXPECT_EQ(pair.nodes(Rank(3))[2].type, chakra::NodeType::CommSend);
    EXPECT_EQ(pair.nodes(Rank(3))[2].integer("comm_dst"), 1);
    EXPECT_EQ(pair.nodes(Rank(1))[2].type, chakra::NodeType::CommReceive);
    EXPECT_EQ(pair.nodes(Rank(1))[2].integer("comm_src"), 3);
    EXPECT_TRUE(pair.nodes(Rank(0)).empty());

    benchmark.group.clear();
    const GeneratedWorkload chain = generate(benchmark);
    EXPECT_EQ(chain.nodes(Rank(2)).size(), 6U);
    EXPECT_EQ(chain.nodes(Rank(2))[5].data_deps, (std::vector<std::uint64_t>{3, 4}));
}

// "0" is the whole system for every reader of traces: such a benchmark needs no group file.
TEST(CollectiveBenchmark, WholeSystemNeedsNoGroupFile) {
    CollectiveBenchmark benchmark = benchmark_of(BenchmarkType::AllReduce);
    benchmark.group.clear();
    EXPECT_EQ(generate(benchmark).nodes(Rank(0))[0].text("pg_name"), "0");
    benchmark.group = {Rank(1), Rank(0)};
    EXPECT_EQ(generate(benchmark).nodes(Rank(0))[0].text("pg_name"), "1");
}

TEST(CollectiveBenchmark, EveryTypeRunsToItsEnd) {
    for (const auto& [name, type] : benchmark_types()) {
        EXPECT_EQ(unfinished_after_rendezvous(generate(benchmark_of(type))), 0) << name;
        EXPECT_EQ(generate(benchmark_of(type)).nodes(Rank(0)).size(), 3U) << name;
    }
}

TEST(CollectiveBenchmark, TypesAreThoseOfTheSchema) {
    const std::vector<std::pair<BenchmarkType, chakra::CollectiveType>> pairs{
        {BenchmarkType::AllReduce, chakra::CollectiveType::AllReduce},
        {BenchmarkType::AllGather, chakra::CollectiveType::AllGather},
        {BenchmarkType::ReduceScatter, chakra::CollectiveType::ReduceScatter},
        {BenchmarkType::AllToAll, chakra::CollectiveType::AllToAll},
        {BenchmarkType::Broadcast, chakra::CollectiveType::Broadcast},
        {BenchmarkType::Reduce, chakra::CollectiveType::Reduce},
        {BenchmarkType::Gather, chakra::CollectiveType::Gather},
        {BenchmarkType::Scatter, chakra::CollectiveType::Scatter},
        {BenchmarkType::Barrier, chakra::CollectiveType::Barrier}};
    for (const auto& [type, collective] : pairs) {
        const GeneratedWorkload workload = generate(benchmark_of(type));
        EXPECT_TRUE(is_collective(workload.nodes(Rank(0))[0], collective));
        EXPECT_EQ(workload.nodes(Rank(0))[0].integer("comm_size"),
                  type == BenchmarkType::Barrier ? 0 : 1000);
    }
}

TEST(CollectiveBenchmark, RefusesImpossibleGroups) {
    const auto error_of = [](const CollectiveBenchmark& benchmark) {
        return test::message_of<InputError>([&] { return generate(benchmark); });
    };
    CollectiveBenchmark benchmark = benchmark_of(BenchmarkType::AllReduce);
    benchmark.group = {Rank(0), Rank(5)};
    EXPECT_THAT(error_of(benchmark), HasSubstr("rank 5"));
    benchmark.group = {Rank(0), Rank(1), Rank(0)};
    EXPECT_THAT(error_of(benchmark), HasSubstr("rank 0 twice"));
    benchmark.group = {Rank(-1), Rank(1)};
    EXPECT_THAT(error_of(benchmark), HasSubstr("--group"));
    benchmark.group = {Rank(1)};
    EXPECT_THAT(error_of(benchmark), HasSubstr("two ranks"));
    benchmark = benchmark_of(BenchmarkType::AllReduce);
    benchmark.npus = 1;
    EXPECT_THAT(error_of(benchmark), HasSubstr("--npus"));
    benchmark = benchmark_of(BenchmarkType::AllReduce);
    benchmark.size = Bytes(0);
    EXPECT_THAT(error_of(benchmark), HasSubstr("--size"));
    benchmark.size = Bytes(chakra::largest_comm_size + 1);
    EXPECT_THAT(error_of(benchmark), HasSubstr("--size"));
    benchmark = benchmark_of(BenchmarkType::AllReduce);
    benchmark.repeat = 0;
    EXPECT_THAT(error_of(benchmark), HasSubstr("--repeat"));
}

}  // namespace
}  // namespace npunet::generators
